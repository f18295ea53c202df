// Made-up CVEs of real size, and a server that gives them out as NVD's API 2.0 does.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "net/http_server.h"

namespace slipway::bench {

[[nodiscard]] std::string made_up_id(std::size_t number);  // "CVE-2020-10007"

// The page that has `count` CVEs from `first` on, of `total`.
[[nodiscard]] std::string nvd_page(std::size_t first, std::size_t count, std::size_t total);

class NvdServer {
 public:
  explicit NvdServer(std::size_t cves);

  [[nodiscard]] std::string url() const { return server_->url() + "/rest/json/cves/2.0"; }

 private:
  std::unique_ptr<net::HttpServer> server_;
};

}  // namespace slipway::bench
