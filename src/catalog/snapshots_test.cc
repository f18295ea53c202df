#include "catalog/snapshots.h"

#include <gtest/gtest.h>

#include "catalog/testing/catalog_fixture.h"

namespace slipway::catalog {
namespace {

class SnapshotsTest : public CatalogTest {
 protected:
  ActivationStatus activation() { return catalog_->get_image("a")->activation_status; }
};

TEST_F(SnapshotsTest, RegisteringActivatesTheImageInTheSameTransaction) {
  unpack("a", 7);
  clock_.advance(std::chrono::seconds(3));
  activate("a", 7, 8, "snap-a");
  const Snapshot snapshot = catalog_->find_snapshot("snap-a").value().value();
  EXPECT_EQ(snapshot.image_id, "a");
  EXPECT_EQ(snapshot.pool, kPool);
  EXPECT_EQ(snapshot.snapshot_id, DeviceId{8});
  EXPECT_EQ(snapshot.origin, DeviceId{7});
  EXPECT_EQ(snapshot.device_path, "/dev/mapper/snap-a");
  EXPECT_TRUE(snapshot.active);
  EXPECT_EQ(snapshot.created_at, clock_.now());
  EXPECT_EQ(catalog_->find_snapshot_by_device(kPool, {8}).value().value().name, "snap-a");
  EXPECT_EQ(activation(), ActivationStatus::kActive);
  EXPECT_EQ(catalog_->get_image("a")->activated_at, clock_.now());
}

TEST_F(SnapshotsTest, RegisteringTheSameAgainIsSuccess) {
  unpack("a", 7);
  activate("a", 7, 8, "snap-a");
  const auto activated = catalog_->get_image("a")->activated_at;
  clock_.advance(std::chrono::seconds(3));
  activate("a", 7, 8, "snap-a");
  EXPECT_EQ(catalog_->snapshots_of("a")->size(), 1U);
  EXPECT_EQ(catalog_->get_image("a")->activated_at, activated);
}

TEST_F(SnapshotsTest, TheImageIsActiveAsLongAsOneOfItsSnapshotsIs) {
  unpack("a", 7);
  activate("a", 7, 8, "one");
  activate("a", 7, 9, "two");
  EXPECT_TRUE(catalog_->deactivate_snapshot("one").value());
  EXPECT_FALSE(catalog_->deactivate_snapshot("one").value());
  EXPECT_EQ(activation(), ActivationStatus::kActive);
  EXPECT_EQ(catalog_->find_snapshot("one").value()->deactivated_at, clock_.now());
  ASSERT_EQ(catalog_->list_active_snapshots()->size(), 1U);
  EXPECT_EQ(catalog_->list_active_snapshots()->front().name, "two");
  EXPECT_EQ(catalog_->list_snapshots()->size(), 2U);
  EXPECT_TRUE(catalog_->delete_snapshot("two", DeviceFate::kGone).value());
  EXPECT_EQ(activation(), ActivationStatus::kInactive);
  EXPECT_FALSE(catalog_->delete_snapshot("two", DeviceFate::kGone).value());
  EXPECT_FALSE(catalog_->deactivate_snapshot("two").value());
  activate("a", 7, 8, "one");
  EXPECT_EQ(activation(), ActivationStatus::kActive);
  EXPECT_EQ(catalog_->find_snapshot("one").value()->deactivated_at, std::nullopt);
}

TEST_F(SnapshotsTest, NeedsTheVerifiedVolumeOfItsImageAsOrigin) {
  EXPECT_FAILS(catalog_->register_snapshot(snapshot_of("a", 7, 8, "s")), ErrorKind::kNotFound, "no image a");
  ASSERT_TRUE(catalog_->store_image(downloaded("a")));
  EXPECT_FAILS(catalog_->register_snapshot(snapshot_of("a", 7, 8, "s")), ErrorKind::kConflict, "no volume");
  NewVolume unverified = volume_of("a", 7);
  unverified.layout_verified = false;
  ASSERT_TRUE(catalog_->store_volume(unverified));
  EXPECT_FAILS(catalog_->register_snapshot(snapshot_of("a", 7, 8, "s")), ErrorKind::kConflict, "verified layout");
  ASSERT_TRUE(catalog_->store_volume(volume_of("a", 7)));
  unpack("b", 5);
  EXPECT_FAILS(catalog_->register_snapshot(snapshot_of("a", 5, 8, "s")), ErrorKind::kConflict, "is device 7 of pool");
  EXPECT_EQ(activation(), ActivationStatus::kInactive);
  EXPECT_EQ(catalog_->list_reservations()->size(), 2U);  // of the volumes
}

TEST_F(SnapshotsTest, NamesAndIdsBelongToOneSnapshot) {
  unpack("a", 7);
  unpack("b", 5);
  activate("a", 7, 8, "snap");
  EXPECT_FAILS(catalog_->register_snapshot(snapshot_of("b", 5, 9, "snap")), ErrorKind::kConflict, "one of image a");
  EXPECT_FAILS(catalog_->register_snapshot(snapshot_of("a", 7, 9, "snap")), ErrorKind::kConflict, "active as device 8");
  EXPECT_FAILS(catalog_->register_snapshot(snapshot_of("b", 5, 8, "other")), ErrorKind::kConflict,
               "reserved for snapshot snap");
  EXPECT_FAILS(catalog_->register_snapshot(snapshot_of("b", 5, 7, "other")), ErrorKind::kConflict,
               "the volume of image a");
  EXPECT_FAILS(catalog_->register_snapshot(snapshot_of("b", 5, 9, "a/b")), ErrorKind::kInvalid, "not a snapshot name");
}

TEST_F(SnapshotsTest, TheActivationStatusFollowsSnapshotsAndNothingElse) {
  unpack("a", 7);
  EXPECT_FAILS(catalog_->update_activation_status("a", ActivationStatus::kActive), ErrorKind::kConflict, "0 active");
  ASSERT_TRUE(catalog_->update_activation_status("a", ActivationStatus::kFailed, "pool full"));
  EXPECT_EQ(activation(), ActivationStatus::kFailed);
  EXPECT_EQ(catalog_->get_image("a")->error, "pool full");
  activate("a", 7, 8, "snap-a");
  EXPECT_EQ(activation(), ActivationStatus::kActive);
  EXPECT_EQ(catalog_->get_image("a")->error, "");
  EXPECT_FAILS(catalog_->update_activation_status("a", ActivationStatus::kInactive), ErrorKind::kConflict, "1 active");
  EXPECT_FAILS(catalog_->update_activation_status("a", ActivationStatus::kFailed), ErrorKind::kConflict, "1 active");
  EXPECT_FAILS(catalog_->update_activation_status("x", ActivationStatus::kFailed), ErrorKind::kNotFound, "no image x");
}

TEST_F(SnapshotsTest, ActivatingLeavesTheErrorOfADownload) {
  unpack("a", 7);
  ASSERT_TRUE(catalog_->mark_download_failed("a", {.reason = "access denied"}));
  activate("a", 7, 8, "snap-a");
  EXPECT_EQ(catalog_->get_image("a")->error, "access denied");
}

}  // namespace
}  // namespace slipway::catalog
