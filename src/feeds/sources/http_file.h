// Internal to feeds/sources: one file from a server into the cache folder, and the note of what the server said of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "base/error.h"
#include "base/time.h"
#include "net/headers.h"
#include "net/http_client.h"

namespace slipway::feeds {

struct HttpNote {
  std::string place{};
  std::string etag{};
  std::string last_modified{};
  std::string sha256{};  // the name of the content in the folder
  std::uint64_t size = 0;
  TimePoint fetched_at{};

  [[nodiscard]] bool has_content(const std::filesystem::path& dir) const;
};

// None: there is none, or it is not to be trusted.
[[nodiscard]] std::optional<HttpNote> read_note(const std::filesystem::path& file);
[[nodiscard]] Result<> write_note(const std::filesystem::path& file, const HttpNote& note);

struct HttpFileRequest {
  std::filesystem::path dir{};
  std::uint64_t max_size = 0;
  std::optional<HttpNote> known{};  // what is there already: the server may say 304
};

struct HttpFileAnswer {
  int status = 0;
  net::Headers headers{};
  HttpNote note{};  // with 200: the content is in the folder, on disk
};

// kRejected: it is larger than allowed; kCorrupt: a web page came. net::HttpClient's errors and those of the disk.
[[nodiscard]] Result<HttpFileAnswer> get_file(net::HttpClient& client, const std::string& url,
                                              const HttpFileRequest& request, const std::stop_token& stop);

}  // namespace slipway::feeds
