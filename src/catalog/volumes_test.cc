#include "catalog/volumes.h"

#include <gtest/gtest.h>

#include "catalog/testing/catalog_fixture.h"

namespace slipway::catalog {
namespace {

class VolumesTest : public CatalogTest {};

TEST_F(VolumesTest, IsStoredAndFoundByImageAndByDevice) {
  unpack("a", 7);
  const Volume volume = catalog_->find_unpacked("a").value().value();
  EXPECT_EQ(volume.pool, kPool);
  EXPECT_EQ(volume.device_id, DeviceId{7});
  EXPECT_EQ(volume.device_name, volume_name("a"));
  EXPECT_EQ(volume.device_path, "/dev/mapper/" + volume_name("a"));
  EXPECT_EQ(volume.size_bytes, 1'000U);
  EXPECT_EQ(volume.file_count, 10U);
  EXPECT_EQ(volume.source_checksum, sha256_hex("one"));
  EXPECT_EQ(volume.unpacked_at, clock_.now());
  EXPECT_TRUE(volume.current);
  EXPECT_EQ(catalog_->find_volume_by_device(kPool, {7}).value().value().image_id, "a");
  EXPECT_FALSE(catalog_->find_volume_by_device("other", {7}).value().has_value());
  EXPECT_FALSE(catalog_->find_volume_by_device(kPool, {8}).value().has_value());
}

TEST_F(VolumesTest, OneWithoutAVerifiedLayoutIsThereButNotUnpacked) {
  ASSERT_TRUE(catalog_->store_image(downloaded("a")));
  NewVolume volume = volume_of("a", 7);
  volume.layout_verified = false;
  EXPECT_EQ(catalog_->store_volume(volume)->unpacked_at, std::nullopt);
  EXPECT_TRUE(catalog_->find_volume("a").value().has_value());
  EXPECT_FALSE(catalog_->find_unpacked("a").value().has_value());
  ASSERT_TRUE(catalog_->store_volume(volume_of("a", 7)));
  EXPECT_TRUE(catalog_->find_unpacked("a").value().has_value());
  EXPECT_EQ(catalog_->list_volumes()->size(), 1U);
}

TEST_F(VolumesTest, OneOfEarlierContentIsNoLongerUnpacked) {
  unpack("a", 7);
  ASSERT_TRUE(catalog_->store_image(downloaded("a", "two")));
  EXPECT_FALSE(catalog_->find_unpacked("a").value().has_value());
  EXPECT_FALSE(catalog_->find_volume("a").value().value().current);
  ASSERT_TRUE(catalog_->store_volume(volume_of("a", 7, "two")));
  EXPECT_TRUE(catalog_->find_unpacked("a").value().has_value());
}

TEST_F(VolumesTest, NeedsACompletedDownload) {
  EXPECT_FAILS(catalog_->store_volume(volume_of("a", 7)), ErrorKind::kNotFound, "no image a");
  ASSERT_TRUE(catalog_->mark_downloading(source_of("a")));
  EXPECT_FAILS(catalog_->store_volume(volume_of("a", 7)), ErrorKind::kConflict, "no completed download");
  EXPECT_TRUE(catalog_->list_reservations()->empty());
}

TEST_F(VolumesTest, DeviceIdsBelongToOneThingOfAPool) {
  unpack("a", 7);
  ASSERT_TRUE(catalog_->store_image(downloaded("b")));
  EXPECT_FAILS(catalog_->store_volume(volume_of("b", 7)), ErrorKind::kConflict, "reserved for the volume of image a");
  activate("a", 7, 8, "snap-a");
  EXPECT_FAILS(catalog_->store_volume(volume_of("b", 8)), ErrorKind::kConflict, "snapshot snap-a of image a");
  NewVolume elsewhere = volume_of("b", 7);
  elsewhere.pool = "other";
  EXPECT_TRUE(catalog_->store_volume(elsewhere));
}

TEST_F(VolumesTest, DeviceNamesBelongToOneImage) {
  unpack("a", 7);
  ASSERT_TRUE(catalog_->store_image(downloaded("b")));
  NewVolume volume = volume_of("b", 9);
  volume.device_name = volume_name("a");
  EXPECT_FAILS(catalog_->store_volume(volume), ErrorKind::kConflict, "is that of image a");
}

TEST_F(VolumesTest, SnapshotsHoldOnToTheVolumeAsItIs) {
  unpack("a", 7);
  activate("a", 7, 8, "snap-a");
  ASSERT_TRUE(catalog_->deactivate_snapshot("snap-a"));
  NewVolume unverified = volume_of("a", 7);
  unverified.layout_verified = false;
  EXPECT_FAILS(catalog_->store_volume(unverified), ErrorKind::kConflict, "snapshot snap-a stands on");
  EXPECT_FAILS(catalog_->store_volume(volume_of("a", 9)), ErrorKind::kConflict, "snapshot snap-a stands on");
  EXPECT_FAILS(catalog_->store_volume(volume_of("a", 7, "two")), ErrorKind::kConflict, "snapshot snap-a stands on");
  EXPECT_FAILS(catalog_->delete_volume("a", DeviceFate::kGone), ErrorKind::kConflict, "snapshot snap-a stands on");
  EXPECT_TRUE(catalog_->store_volume(volume_of("a", 7)));
  ASSERT_TRUE(catalog_->delete_snapshot("snap-a", DeviceFate::kGone));
  EXPECT_TRUE(catalog_->delete_volume("a", DeviceFate::kGone).value());
}

TEST_F(VolumesTest, DeletingFreesTheIdOnlyWhenTheDeviceIsGone) {
  unpack("a", 7);
  EXPECT_TRUE(catalog_->delete_volume("a", DeviceFate::kMayRemain).value());
  ASSERT_EQ(catalog_->list_reservations()->size(), 1U);
  EXPECT_EQ(catalog_->list_reservations()->front().state, IdState::kDeleting);
  // The note of what is to be cleaned up keeps the id from being used, and is in nobody's way.
  EXPECT_FAILS(catalog_->store_volume(volume_of("a", 7)), ErrorKind::kConflict,
               "device 7 of pool pool is to be deleted");
  ASSERT_TRUE(catalog_->store_volume(volume_of("a", 9)));
  EXPECT_TRUE(catalog_->delete_volume("a", DeviceFate::kGone).value());
  ASSERT_TRUE(catalog_->note_failed_delete(kPool, {7}, "busy"));
  EXPECT_EQ(catalog_->list_reservations()->front().note, "busy");
  EXPECT_TRUE(catalog_->release_reservation(kPool, {7}).value());
  EXPECT_TRUE(catalog_->list_reservations()->empty());
  EXPECT_FALSE(catalog_->delete_volume("a", DeviceFate::kGone).value());
}

TEST_F(VolumesTest, BadValuesAreRefused) {
  ASSERT_TRUE(catalog_->store_image(downloaded("a")));
  for (const std::uint32_t bad : {0U, 1U << 24, ~0U}) {
    EXPECT_FAILS(catalog_->store_volume(volume_of("a", bad)), ErrorKind::kInvalid, "is not a device id");
  }
  NewVolume volume = volume_of("a", 7);
  volume.pool = "";
  EXPECT_FAILS(catalog_->store_volume(volume), ErrorKind::kInvalid, "pool is empty");
  volume = volume_of("a", 7);
  volume.source_checksum = "";
  EXPECT_FAILS(catalog_->store_volume(volume), ErrorKind::kInvalid, "not a SHA-256");
}

}  // namespace
}  // namespace slipway::catalog
