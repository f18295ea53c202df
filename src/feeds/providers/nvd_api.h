// NVD's API 2.0: CVEs page by page, at first all of them, then those that have changed since.
//
// What is asked for is the tag of a sync: "nvd2 FROM UNTIL" asks for what was modified from FROM on (or "all") until
// UNTIL, in windows of at most 120 days. A sync that is interrupted goes on with the same question; a new one asks from
// where the last one that was completed ended.
//
// A load of all has no window (NVD refuses longer ones): what changes meanwhile is in the next sync, which begins when
// this one began. When the total shrinks between two pages, the page and so much before it are read again: something
// may have moved up.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/time.h"
#include "feeds/intake.h"
#include "net/http_client.h"

namespace slipway::feeds {

[[nodiscard]] bool is_nvd_api(std::string_view place);

class NvdApi {
 public:
  explicit NvdApi(net::HttpClient& client) : client_(client) {}

  // All that Provider::run() promises.
  [[nodiscard]] Result<> run(Intake& intake);

 private:
  friend class NvdSync;

  net::HttpClient& client_;
  std::deque<TimePoint> asked_{};  // the requests of the last 30 seconds: what NVD counts
  int refusals_ = 0;               // in a row, each of which may have meant patience
};

}  // namespace slipway::feeds
