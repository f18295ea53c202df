// A memory bucket, a folder to download into, and a tuning under which a megabyte is a big object.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "objects/download.h"
#include "objects/testing/memory_source.h"
#include "sys/testing/temp_dir.h"

namespace slipway::objects {

[[nodiscard]] inline DownloadTuning tiny_tuning() {
  return {.one_stream = 100'000,
          .min_part = 100'000,
          .max_part = 200'000,
          .checkpoint_bytes = 300'000,
          .checkpoint_interval = std::chrono::hours(1),
          .tries = 4,
          .retry_delay = std::chrono::microseconds(100)};
}

[[nodiscard]] inline std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

[[nodiscard]] inline std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class DownloadFixture : public ::testing::Test {
 protected:
  DownloadFixture() : file_(dir_.file("file")) {
    request_.key = "k";
    request_.file = file_;
    request_.tuning = tiny_tuning();
  }

  [[nodiscard]] Result<Downloaded> get(std::stop_token stop = {}) {
    return download(source_, request_, std::move(stop));
  }
  [[nodiscard]] std::string read_file() const { return bytes_of(file_); }
  [[nodiscard]] std::vector<std::string> folder() const { return names_in(dir_.path()); }

  void expect_error(ErrorKind kind, std::string_view words) {
    const auto done = get();
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().kind(), kind) << done.error().describe();
    EXPECT_THAT(done.error().describe(), ::testing::HasSubstr(std::string(words)));
  }

  sys::TempDir dir_;
  std::filesystem::path file_;
  MemorySource source_;
  DownloadRequest request_;
};

}  // namespace slipway::objects
