#include "catalog/reservations.h"

#include <gtest/gtest.h>

#include "catalog/testing/catalog_fixture.h"

namespace slipway::catalog {
namespace {

class ReservationsTest : public CatalogTest {
 protected:
  Result<Reservation> reserve(const std::string& image_id, std::uint32_t start, const std::string& pool = kPool) {
    const auto added = catalog_->add_image(source_of(image_id));
    if (!added) return fail(added.error());
    return catalog_->reserve({.pool = pool, .image_id = image_id, .start = {start}});
  }
  Result<Reservation> reserve_snapshot(const std::string& name, std::uint32_t start) {
    return catalog_->reserve(
        {.pool = kPool, .purpose = Purpose::kSnapshot, .image_id = "a", .snapshot_name = name, .start = {start}});
  }
};

TEST_F(ReservationsTest, GivesTheFirstFreeIdFromTheStart) {
  EXPECT_EQ(reserve("a", 5)->device_id, DeviceId{5});
  EXPECT_EQ(reserve("b", 5)->device_id, DeviceId{6});
  EXPECT_EQ(reserve("c", 8)->device_id, DeviceId{8});
  EXPECT_EQ(reserve("d", 5)->device_id, DeviceId{7});
  EXPECT_EQ(reserve("e", 5)->device_id, DeviceId{9});
  EXPECT_EQ(reserve_snapshot("s", 6)->device_id, DeviceId{10});
  const auto all = catalog_->list_reservations().value();
  ASSERT_EQ(all.size(), 6U);
  EXPECT_EQ(all.front().image_id, "a");
  EXPECT_EQ(all.front().reserved_at, clock_.now());
  EXPECT_EQ(all.back().purpose, Purpose::kSnapshot);
  EXPECT_EQ(all.back().snapshot_name, "s");
}

TEST_F(ReservationsTest, GoesAroundTheEnd) {
  EXPECT_EQ(reserve("a", DeviceId::kGreatest)->device_id, DeviceId{DeviceId::kGreatest});
  EXPECT_EQ(reserve("b", DeviceId::kGreatest)->device_id, DeviceId{1});
  EXPECT_EQ(reserve("c", DeviceId::kGreatest)->device_id, DeviceId{2});
  const auto next = catalog_->reserve_next(catalog_->list_reservations()->back());
  EXPECT_EQ(next->device_id, DeviceId{3});
}

TEST_F(ReservationsTest, PoolsHaveIdsOfTheirOwn) {
  EXPECT_EQ(reserve("a", 5)->device_id, DeviceId{5});
  EXPECT_EQ(reserve("b", 5, "other")->device_id, DeviceId{5});
}

TEST_F(ReservationsTest, TheSameThingGetsTheSameIdAgain) {
  EXPECT_EQ(reserve("a", 5)->device_id, DeviceId{5});
  EXPECT_EQ(reserve("a", 99)->device_id, DeviceId{5});
  EXPECT_EQ(reserve_snapshot("s", 5)->device_id, DeviceId{6});
  EXPECT_EQ(reserve_snapshot("s", 5)->device_id, DeviceId{6});
  EXPECT_EQ(reserve_snapshot("t", 5)->device_id, DeviceId{7});
}

TEST_F(ReservationsTest, ACollisionInThePoolMovesOn) {
  const Reservation first = reserve("a", 5).value();
  ASSERT_TRUE(reserve("b", 6));
  const Reservation next = catalog_->reserve_next(first).value();
  EXPECT_EQ(next.device_id, DeviceId{7});
  EXPECT_EQ(reserve("a", 5)->device_id, DeviceId{7});
  EXPECT_FAILS(catalog_->reserve_next(first), ErrorKind::kConflict, "is not reserved for the volume of image a");
  ASSERT_TRUE(catalog_->store_image(downloaded("a")));
  ASSERT_TRUE(catalog_->store_volume(volume_of("a", 7)));
  EXPECT_FAILS(catalog_->reserve_next(next), ErrorKind::kConflict, "belongs to the volume of image a");
}

TEST_F(ReservationsTest, IsOursOnceThePoolWasSeenWithoutIt) {
  const Reservation first = reserve("a", 5).value();
  EXPECT_EQ(first.state, IdState::kReserved);
  ASSERT_TRUE(catalog_->mark_made(first));
  EXPECT_EQ(reserve("a", 5)->state, IdState::kMade);
  const Reservation next = catalog_->reserve_next(*reserve("a", 5)).value();
  EXPECT_EQ(next.state, IdState::kReserved);
  EXPECT_FAILS(catalog_->mark_made(first), ErrorKind::kConflict, "is not reserved for the volume of image a");
}

TEST_F(ReservationsTest, IsDeletedOnlyWhenNothingHoldsIt) {
  unpack("a", 7);
  EXPECT_FAILS(catalog_->mark_deleting(kPool, {7}), ErrorKind::kConflict, "the volume of image a");
  ASSERT_TRUE(reserve("b", 9));
  ASSERT_TRUE(catalog_->mark_deleting(kPool, {9}));
  EXPECT_EQ(reserve("b", 9)->device_id, DeviceId{10});
}

TEST_F(ReservationsTest, IsReleasedOnlyWhenNothingHoldsIt) {
  unpack("a", 7);
  activate("a", 7, 8, "snap");
  ASSERT_TRUE(reserve("b", 9));
  EXPECT_FAILS(catalog_->release_reservation(kPool, {7}), ErrorKind::kConflict, "the volume of image a");
  EXPECT_FAILS(catalog_->release_reservation(kPool, {8}), ErrorKind::kConflict, "snapshot snap");
  EXPECT_TRUE(catalog_->release_reservation(kPool, {9}).value());
  EXPECT_FALSE(catalog_->release_reservation(kPool, {9}).value());
}

TEST_F(ReservationsTest, LongRowsOfTakenIdsAreSteppedOver) {
  ASSERT_TRUE(catalog_->add_image(source_of("a")));
  force(
      "WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n WHERE x < 16777215) "
      "INSERT INTO id_reservations (pool, device_id, purpose, image_id, snapshot_name, reserved_at) "
      "SELECT 'few', x, 'snapshot', 'a', 's' || x, 0 FROM n WHERE x < 2000 OR x > 16775000");
  EXPECT_EQ(reserve("b", 16'776'000, "few")->device_id, DeviceId{2'000});
  EXPECT_EQ(reserve("c", 100, "few")->device_id, DeviceId{2'001});
  force("DELETE FROM id_reservations WHERE pool = 'few'");
}

TEST_F(ReservationsTest, WhenAllIdsAreTakenThereIsNoSpace) {
  for (const char* id : {"a", "b", "c"}) ASSERT_TRUE(catalog_->add_image(source_of(id)));
  store::Pool pool({.open = {.path = path_}}, clock_);
  auto lease = pool.acquire(store::Pool::Use::kWrite).value();
  const auto one_of_two = [&](const std::string& image_id) {
    return reservations::reserve(*lease, {.pool = kPool, .image_id = image_id, .start = {2}}, clock_.now(), {2});
  };
  EXPECT_EQ(one_of_two("a")->device_id, DeviceId{2});
  EXPECT_EQ(one_of_two("b")->device_id, DeviceId{1});
  EXPECT_FAILS(one_of_two("c"), ErrorKind::kNoSpace, "all 2 device ids of pool pool are taken");
}

TEST_F(ReservationsTest, BadRequestsAreRefused) {
  EXPECT_FAILS(catalog_->reserve({.pool = kPool, .image_id = "none", .start = {1}}), ErrorKind::kNotFound, "none");
  EXPECT_FAILS(reserve("a", 0), ErrorKind::kInvalid, "0 is not a device id");
  EXPECT_FAILS(reserve("a", 1, ""), ErrorKind::kInvalid, "pool is empty");
  EXPECT_FAILS(reserve_snapshot("", 1), ErrorKind::kInvalid, "not a snapshot name");
  EXPECT_FAILS(catalog_->reserve({.pool = kPool, .image_id = "a", .snapshot_name = "s", .start = {1}}),
               ErrorKind::kInvalid, "a volume has no snapshot name");
}

}  // namespace
}  // namespace slipway::catalog
