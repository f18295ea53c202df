// A catalog in a temporary folder, and things to put into it.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/digest.h"
#include "catalog/catalog.h"
#include "catalog/identity.h"
#include "store/database.h"
#include "sys/testing/manual_clock.h"
#include "sys/testing/temp_dir.h"

namespace slipway::catalog {

inline constexpr const char* kBucket = "bucket";
inline constexpr const char* kPool = "pool";

[[nodiscard]] inline ImageSource source_of(const std::string& image_id) {
  return {.image_id = image_id, .bucket = kBucket, .key = "images/" + image_id + ".tar"};
}

[[nodiscard]] inline DownloadedImage downloaded(const std::string& image_id, const std::string& content = "one") {
  return {.source = source_of(image_id),
          .etag = "etag-of-" + content,
          .local_path = "/images/" + image_id + ".tar",
          .checksum = sha256_hex(content),
          .size_bytes = content.size(),
          .verified_file = FileIdentity{.size = content.size(), .mtime_ns = 1, .ctime_ns = 2, .inode = 3}};
}

[[nodiscard]] inline NewVolume volume_of(const std::string& image_id, std::uint32_t device,
                                         const std::string& content = "one") {
  return {.image_id = image_id,
          .pool = kPool,
          .device_id = {device},
          .device_name = volume_name(image_id),
          .device_path = "/dev/mapper/" + volume_name(image_id),
          .size_bytes = 1'000,
          .file_count = 10,
          .layout_verified = true,
          .source_checksum = sha256_hex(content)};
}

[[nodiscard]] inline NewSnapshot snapshot_of(const std::string& image_id, std::uint32_t origin, std::uint32_t device,
                                             const std::string& name) {
  return {.image_id = image_id,
          .pool = kPool,
          .snapshot_id = {device},
          .name = name,
          .device_path = "/dev/mapper/" + name,
          .origin = {origin}};
}

// Says each breach, so that EXPECT_EQ(breaches(...), "") shows them.
[[nodiscard]] inline std::string breaches(Catalog& catalog) {
  const auto found = catalog.check_consistency();
  if (!found) return found.error().message();
  std::string all;
  for (const auto& breach : *found) all += breach.rule + ": " + breach.sentence + "\n";
  return all;
}

class CatalogTest : public ::testing::Test {
 protected:
  CatalogTest() { reopen(); }
  void TearDown() override {
    if (catalog_) {
      EXPECT_EQ(breaches(*catalog_), "");
    }
  }

  void reopen() {
    catalog_.reset();
    auto opened = Catalog::open(path_, clock_);
    if (!opened) throw std::runtime_error(opened.error().message());
    catalog_ = std::move(*opened);
  }

  // SQL beside the catalog, for what its operations refuse.
  void force(std::string_view sql) {
    auto db = store::Database::open({.path = path_, .foreign_keys = false}).value();
    const auto done = db.execute(sql);
    ASSERT_TRUE(done) << done.error().message();
  }

  // An image that is downloaded, unpacked as `device`.
  void unpack(const std::string& image_id, std::uint32_t device) {
    const auto stored = catalog_->store_image(downloaded(image_id));
    ASSERT_TRUE(stored) << stored.error().message();
    const auto volume = catalog_->store_volume(volume_of(image_id, device));
    ASSERT_TRUE(volume) << volume.error().message();
  }
  void activate(const std::string& image_id, std::uint32_t origin, std::uint32_t device, const std::string& name) {
    const auto registered = catalog_->register_snapshot(snapshot_of(image_id, origin, device, name));
    ASSERT_TRUE(registered) << registered.error().message();
  }
  Status status(const std::string& image_id) { return catalog_->image_status(image_id).value().value().status; }

  sys::TempDir dir_;
  std::string path_ = dir_.file("catalog.db");
  sys::ManualClock clock_;
  std::unique_ptr<Catalog> catalog_;
};

// The result is an error of this kind whose message has these words.
#define EXPECT_FAILS(expression, expected_kind, words)                                                \
  do {                                                                                                \
    const auto outcome = (expression);                                                                \
    ASSERT_FALSE(outcome.has_value()) << #expression;                                                 \
    EXPECT_EQ(outcome.error().kind(), expected_kind) << outcome.error().message();                    \
    EXPECT_NE(outcome.error().message().find(words), std::string::npos) << outcome.error().message(); \
  } while (false)

}  // namespace slipway::catalog
