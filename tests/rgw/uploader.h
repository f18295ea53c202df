// Puts objects into the server with curl, whose signatures are not ours: what it stored, we must be able to read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rgw_server.h"
#include "sys/testing/temp_dir.h"

namespace slipway::rgw {

enum class Access : std::uint8_t { kPrivate, kPublicRead };

// Every failure throws, with the server's answer.
class Uploader {
 public:
  explicit Uploader(RgwServer server) : server_(std::move(server)) {}

  void make_bucket(const std::string& bucket);
  void put(const std::string& bucket, const std::string& key, std::string_view body, Access access = Access::kPrivate);
  // The same body under each key, over one connection.
  void put_all(const std::string& bucket, const std::vector<std::string>& keys, std::string_view body);
  // Each part but the last must have 5 MiB.
  void put_parts(const std::string& bucket, const std::string& key, const std::vector<std::string>& parts);

 private:
  [[nodiscard]] std::string url(const std::string& bucket, std::string_view key) const;
  [[nodiscard]] std::string write_body(const std::string& name, std::string_view body) const;
  // Lines of a curl config file: what every request needs is added.
  [[nodiscard]] std::string curl(const std::string& lines) const;

  RgwServer server_;
  sys::TempDir folder_;
};

}  // namespace slipway::rgw
