// NVD's API 2.0, as tests need it: pages, windows, refusals, and answers that are broken in the ways of real servers.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "net/testing/test_http.h"
#include "sys/mutex.h"

namespace slipway::feeds {

struct NvdCve {
  std::string id{};
  std::string modified = "2025-01-01T00:00:00.000";
  std::string description = "a flaw";
};

class NvdTestServer {
 public:
  // What is answered instead of a page, once each, in order.
  struct Trouble {
    int status = 200;
    net::Headers headers{};
    std::string body{};       // with 200 and no body: the page, as below
    bool truncated = false;   // the page is cut short of its Content-Length
    bool no_trouble = false;  // a page as always
  };

  explicit NvdTestServer(std::size_t cves);

  [[nodiscard]] std::string url() const { return server_->url("/rest/json/cves/2.0"); }
  void set(std::vector<NvdCve> cves) SLIPWAY_EXCLUDES(mutex_);
  // Before the answer to request `number` (from 0), the CVEs become these.
  void set_before(std::size_t number, std::vector<NvdCve> cves) SLIPWAY_EXCLUDES(mutex_);
  void trouble(std::vector<Trouble> list) SLIPWAY_EXCLUDES(mutex_);
  [[nodiscard]] std::vector<std::string> queries() const SLIPWAY_EXCLUDES(mutex_);
  [[nodiscard]] std::vector<std::string> keys() const SLIPWAY_EXCLUDES(mutex_);  // the apiKey of each request
  // At most so many in a page, whatever is asked for.
  void page(std::size_t most) SLIPWAY_EXCLUDES(mutex_);

 private:
  void answer(const net::ServerRequest& request, net::ResponseWriter& writer) SLIPWAY_EXCLUDES(mutex_);
  [[nodiscard]] std::string page_for(const std::string& query) const SLIPWAY_REQUIRES(mutex_);

  mutable sys::Mutex mutex_;
  std::vector<NvdCve> cves_ SLIPWAY_GUARDED_BY(mutex_);
  std::vector<std::pair<std::size_t, std::vector<NvdCve>>> later_ SLIPWAY_GUARDED_BY(mutex_);
  std::deque<Trouble> troubles_ SLIPWAY_GUARDED_BY(mutex_);
  std::vector<std::string> queries_ SLIPWAY_GUARDED_BY(mutex_);
  std::vector<std::string> keys_ SLIPWAY_GUARDED_BY(mutex_);
  std::size_t most_ SLIPWAY_GUARDED_BY(mutex_) = 2000;
  std::unique_ptr<net::TestServer> server_;
};

// CVE-2024-10000 and so on.
[[nodiscard]] std::vector<NvdCve> numbered_cves(std::size_t first, std::size_t count);

}  // namespace slipway::feeds
