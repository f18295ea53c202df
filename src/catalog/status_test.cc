#include "catalog/status.h"

#include <gtest/gtest.h>

#include "catalog/testing/catalog_fixture.h"

namespace slipway::catalog {
namespace {

class StatusTest : public CatalogTest {
 protected:
  void scan(bool blocked, const std::string& content = "one") {
    const ScanVerdict verdict{.image_id = "a",
                              .checksum = sha256_hex(content),
                              .scanned_at = clock_.now(),
                              .has_high = blocked,
                              .blocked = blocked,
                              .engine = "e"};
    ASSERT_TRUE(catalog_->record_scan(verdict, {}));
  }
};

TEST_F(StatusTest, FollowsTheImageThroughItsStages) {
  ASSERT_TRUE(catalog_->add_image(source_of("a")));
  EXPECT_EQ(status("a"), Status::kPending);
  ASSERT_TRUE(catalog_->mark_downloading(source_of("a")));
  EXPECT_EQ(status("a"), Status::kDownloading);
  ASSERT_TRUE(catalog_->mark_download_failed("a", {.reason = "r"}));
  EXPECT_EQ(status("a"), Status::kFailed);
  ASSERT_TRUE(catalog_->store_image(downloaded("a")));
  EXPECT_EQ(status("a"), Status::kDownloaded);
  scan(/*blocked=*/true);
  EXPECT_EQ(status("a"), Status::kVulnerable);
  scan(/*blocked=*/false);
  EXPECT_EQ(status("a"), Status::kScanned);
  unpack("a", 7);
  EXPECT_EQ(status("a"), Status::kUnpacked);
  ASSERT_TRUE(catalog_->update_activation_status("a", ActivationStatus::kFailed, "pool full"));
  EXPECT_EQ(status("a"), Status::kFailed);
  activate("a", 7, 8, "snap");
  EXPECT_EQ(status("a"), Status::kReady);
  ASSERT_TRUE(catalog_->deactivate_snapshot("snap"));
  EXPECT_EQ(status("a"), Status::kUnpacked);
}

TEST_F(StatusTest, StagesOfEarlierContentDoNotCount) {
  unpack("a", 7);
  scan(/*blocked=*/true);
  activate("a", 7, 8, "snap");
  ASSERT_TRUE(catalog_->mark_downloading(source_of("a")));
  EXPECT_EQ(status("a"), Status::kReady);
  ASSERT_TRUE(catalog_->store_image(downloaded("a", "two")));
  EXPECT_EQ(status("a"), Status::kDownloaded);
  scan(/*blocked=*/true, "two");
  EXPECT_EQ(status("a"), Status::kVulnerable);
}

TEST_F(StatusTest, AnUnverifiedVolumeIsNotUnpacked) {
  ASSERT_TRUE(catalog_->store_image(downloaded("a")));
  NewVolume volume = volume_of("a", 7);
  volume.layout_verified = false;
  ASSERT_TRUE(catalog_->store_volume(volume));
  EXPECT_EQ(status("a"), Status::kDownloaded);
}

TEST_F(StatusTest, OneQueryHasAllOfAnImage) {
  unpack("a", 7);
  unpack("b", 17);
  activate("b", 17, 18, "of-b");
  activate("a", 7, 9, "two");
  activate("a", 7, 8, "one");
  ASSERT_TRUE(catalog_->deactivate_snapshot("two"));
  ASSERT_TRUE(catalog_->acquire_lock("a", "run-1"));
  scan(/*blocked=*/false);
  const ImageStatus all = catalog_->image_status("a").value().value();
  EXPECT_EQ(all.image.image_id, "a");
  EXPECT_EQ(all.status, Status::kReady);
  EXPECT_EQ(all.scan.value().engine, "e");
  EXPECT_EQ(all.volume.value().device_id, DeviceId{7});
  EXPECT_TRUE(all.volume->current);
  ASSERT_EQ(all.snapshots.size(), 2U);
  EXPECT_EQ(all.snapshots[0].name, "one");
  EXPECT_TRUE(all.snapshots[0].active);
  EXPECT_EQ(all.snapshots[1].name, "two");
  EXPECT_FALSE(all.snapshots[1].active);
  EXPECT_EQ(all.lock.value().holder, "run-1");
}

TEST_F(StatusTest, WhatIsNotThereIsNotMadeUp) {
  EXPECT_FALSE(catalog_->image_status("a").value().has_value());
  ASSERT_TRUE(catalog_->add_image(source_of("a")));
  const ImageStatus all = catalog_->image_status("a").value().value();
  EXPECT_FALSE(all.scan.has_value());
  EXPECT_FALSE(all.volume.has_value());
  EXPECT_TRUE(all.snapshots.empty());
  EXPECT_FALSE(all.lock.has_value());
}

TEST_F(StatusTest, ListsByDerivedStatusAndByPages) {
  for (int i = 1; i <= 5; ++i) ASSERT_TRUE(catalog_->add_image(source_of("p" + std::to_string(i))));
  unpack("u", 7);
  unpack("r", 17);
  activate("r", 17, 18, "one");
  activate("r", 17, 19, "two");
  ASSERT_TRUE(catalog_->deactivate_snapshot("two"));
  EXPECT_EQ(catalog_->list_status()->size(), 7U);
  const auto ready = catalog_->list_status(Status::kReady).value();
  ASSERT_EQ(ready.size(), 1U);
  EXPECT_EQ(ready[0].image.image_id, "r");
  EXPECT_EQ(ready[0].snapshots, 2U);
  EXPECT_EQ(ready[0].active_snapshots, 1U);
  EXPECT_EQ(ready[0].device_path, "/dev/mapper/one");
  EXPECT_FALSE(ready[0].scan.has_value());
  const auto page = catalog_->list_status(Status::kPending, {.limit = 3}).value();
  ASSERT_EQ(page.size(), 3U);
  const auto rest = catalog_->list_status(Status::kPending, {.after = page.back().image.row, .limit = 3}).value();
  ASSERT_EQ(rest.size(), 2U);
  EXPECT_EQ(rest.back().image.image_id, "p5");
}

TEST(StatusTextTest, EveryTextIsReadBack) {
  for (int i = 0; i < 8; ++i) {
    const auto value = static_cast<Status>(i);
    EXPECT_EQ(parse_status(to_string(value)), value);
  }
  for (int i = 0; i < 4; ++i) {
    const auto value = static_cast<DownloadStatus>(i);
    EXPECT_EQ(parse_download_status(to_string(value)), value);
  }
  for (int i = 0; i < 3; ++i) {
    const auto value = static_cast<ActivationStatus>(i);
    EXPECT_EQ(parse_activation_status(to_string(value)), value);
  }
  EXPECT_EQ(parse_purpose("volume"), Purpose::kVolume);
  EXPECT_EQ(parse_purpose("snapshot"), Purpose::kSnapshot);
  EXPECT_EQ(parse_status("Ready"), std::nullopt);
  EXPECT_EQ(parse_download_status(""), std::nullopt);
}

}  // namespace
}  // namespace slipway::catalog
