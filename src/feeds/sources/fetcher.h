// Brings the parts of a source to this machine.
//
// What is downloaded lies in the cache folder under its digest, so that a sync that was interrupted reads on in the
// very same bytes, and what a later one need not download again is not. Beside it, for each part, a note says from
// where it came and what the server said of its version.
//
//   CACHE/PROVIDER/PLACE.json     {"place", "etag", "last_modified", "sha256", "size", "fetched_at"}
//   CACHE/PROVIDER/SHA256         the bytes
//
// A crash leaves at worst a file that no note names; the next fetch of the provider removes it.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/time.h"
#include "feeds/sources/place.h"
#include "net/http_client.h"
#include "sys/clock.h"

namespace slipway::feeds {

struct FetchedPart {
  std::filesystem::path path{};  // a file, or a folder
  std::string tag{};             // changes when the content does
  std::string place{};           // where it is from, for people
  std::string name{};            // what the file is called there
};

struct Fetched {
  std::vector<FetchedPart> parts{};
  std::string tag{};  // of all of them
};

// The source asked for patience, at every place that there is.
struct Patience {
  Duration wait{};
};

class Fetcher {
 public:
  struct Options {
    std::filesystem::path cache_dir{};  // made when it is missing
    std::uint64_t max_size = std::uint64_t{16} << 30;
  };

  // The client must outlive it.
  Fetcher(net::HttpClient& client, Options options) : client_(client), options_(std::move(options)) {}

  // All parts, each from the first of its places that has it. When none has, the error names them all; `patience` is
  // set when the servers want to be asked later. Thread-safe for different providers.
  [[nodiscard]] Result<Fetched> fetch(const std::string& provider, const std::vector<Part>& parts, sys::Clock& clock,
                                      const Logger& log, const std::stop_token& stop,
                                      std::optional<Patience>& patience);

 private:
  net::HttpClient& client_;
  const Options options_;
};

}  // namespace slipway::feeds
