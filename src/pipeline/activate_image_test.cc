#include "pipeline/activate_image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/identity.h"
#include "pipeline/testing/volume_fixture.h"
#include "sys/fault.h"

namespace slipway::pipeline {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class ActivateImageTest : public VolumeFixture {
 protected:
  ActivateImageTest() {
    unpack("the-image", kVolume, "thin-1");
    open();
  }

  void add_machines(fsm::Manager& manager) override {
    machine_ = *add_activate_image(manager, {.catalog = catalog_, .pool = pool_});
  }
  fsm::RunVersion start() { return *machine_->start(request_.snapshot_name, request_); }
  Result<ActivateImageResponse> activate() { return machine_->wait(start()); }
  catalog::Snapshot row() { return catalog_->find_snapshot(request_.snapshot_name).value().value(); }

  std::optional<ActivateImageMachine> machine_;
  ActivateImageRequest request_{.image_id = "the-image",
                                .device_id = kVolume.value,
                                .device_name = "thin-1",
                                .snapshot_name = "snap-a",
                                .pool = pool_->name()};
};

TEST_F(ActivateImageTest, ASnapshotIsMadeActivatedAndRegistered) {
  const auto made = activate();
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_TRUE(made->activated);
  EXPECT_TRUE(made->active);
  EXPECT_EQ(made->snapshot_id, catalog::first_snapshot_id("the-image", "snap-a").value);
  const auto device = pool_->find({made->snapshot_id}).value();
  ASSERT_TRUE(device);
  EXPECT_EQ(device->path, made->device_path);
  EXPECT_EQ(device->origin, kVolume);
  EXPECT_TRUE(row().active);
  EXPECT_EQ(row().device_path, made->device_path);
  EXPECT_EQ(catalog_->get_image("the-image")->activation_status, catalog::ActivationStatus::kActive);
  EXPECT_EQ(breaches(), "");
}

TEST_F(ActivateImageTest, WhatIsThereIsHandedOutWithoutTouchingThePool) {
  const auto first = activate();
  ASSERT_TRUE(first);
  const int before = stage_->changes();
  const auto second = activate();
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->activated);
  EXPECT_TRUE(second->active);
  EXPECT_EQ(second->device_path, first->device_path);
  EXPECT_EQ(stage_->changes(), before);
}

TEST_F(ActivateImageTest, SeveralSnapshotsOfOneImageHaveTheirOwnNames) {
  ASSERT_TRUE(activate());
  request_.snapshot_name = "snap-b";
  ASSERT_TRUE(activate());
  EXPECT_EQ(catalog_->snapshots_of("the-image")->size(), 2);
  EXPECT_EQ(pool_->list()->size(), 3);
}

TEST_F(ActivateImageTest, AfterARebootTheSameOneComesBack) {
  const auto before = activate();
  ASSERT_TRUE(before);
  stage_->reboot();
  const auto after = activate();
  ASSERT_TRUE(after) << after.error().message();
  EXPECT_TRUE(after->activated);
  EXPECT_EQ(after->snapshot_id, before->snapshot_id);
  EXPECT_EQ(pool_->list()->size(), 2);
  EXPECT_TRUE(row().active);
}

TEST_F(ActivateImageTest, OneThatRestsComesBackThoughItsVolumeIsLostAndThePoolIsFull) {
  const auto before = activate();
  ASSERT_TRUE(before);
  stage_->reboot();
  stage_->drop(kVolume);
  stage_->set_full(true);
  const auto after = activate();
  ASSERT_TRUE(after) << after.error().message();
  EXPECT_EQ(after->snapshot_id, before->snapshot_id);
  EXPECT_TRUE(row().active);
}

TEST_F(ActivateImageTest, OneThatHasLostItsDeviceIsMadeAgain) {
  const auto before = activate();
  ASSERT_TRUE(before);
  stage_->drop({before->snapshot_id});
  const auto after = activate();
  ASSERT_TRUE(after) << after.error().message();
  EXPECT_TRUE(after->activated);
  EXPECT_EQ(pool_->list()->size(), 2);
  EXPECT_EQ(ids().size(), 2);
  EXPECT_EQ(breaches(), "");
}

TEST_F(ActivateImageTest, OneThatHasLostItsDeviceAndItsVolumeIsNotForgotten) {
  const auto before = activate();
  ASSERT_TRUE(before);
  stage_->drop({before->snapshot_id});
  stage_->drop(kVolume);
  EXPECT_THAT(harness_.ending(start()), AllOf(StartsWith("aborted: "), HasSubstr("another one cannot be made")));
  EXPECT_EQ(row().snapshot_id.value, before->snapshot_id);
  EXPECT_EQ(ids().size(), 2);
}

TEST_F(ActivateImageTest, ADeviceOfAnotherOriginUnderItsIdIsLeftAlone) {
  const auto before = activate();
  ASSERT_TRUE(before);
  const DeviceId id{before->snapshot_id};
  unpack("another", {200}, "thin-2");
  ASSERT_TRUE(pool_->remove({id, "snap-a", kSize}));
  ASSERT_TRUE(pool_->snapshot({id, "by-hand", kSize}, {{200}, "thin-2", kSize}));
  if (!pool_->find(id).value()->origin) GTEST_SKIP() << "this pool does not know what a resting device was made of";
  EXPECT_THAT(harness_.ending(start()), AllOf(StartsWith("aborted: "), HasSubstr("is a snapshot of device 200")));
  EXPECT_TRUE(*pool_->find(id));
  EXPECT_EQ(row().snapshot_id, id);
}

TEST_F(ActivateImageTest, ANameThatIsAnotherImagesIsRefused) {
  ASSERT_TRUE(activate());
  unpack("another", {200}, "thin-2");
  request_.image_id = "another";
  request_.device_id = 200;
  const auto refused = activate();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kConflict);
  EXPECT_THAT(refused.error().message(), HasSubstr("snapshot of the-image"));
  EXPECT_TRUE(row().active);
}

TEST_F(ActivateImageTest, AnIdThatSomebodyElseHasTakenIsPassedOver) {
  const DeviceId first = catalog::first_snapshot_id("the-image", "snap-a");
  ASSERT_TRUE(pool_->create({first, "made-by-hand", kSize}));
  const auto made = activate();
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_NE(made->snapshot_id, first.value);
  EXPECT_TRUE(*pool_->find(first));
  EXPECT_EQ(breaches(), "");
}

TEST_F(ActivateImageTest, WithoutItsVolumeOrWithoutRoomItAborts) {
  stage_->set_full(true);
  auto run = start();
  EXPECT_THAT(harness_.ending(run), StartsWith("aborted: "));
  EXPECT_EQ(ids().size(), 1);
  stage_->set_full(false);
  stage_->drop(kVolume);
  run = start();
  EXPECT_THAT(harness_.ending(run), AllOf(StartsWith("aborted: "), HasSubstr("any more")));
  EXPECT_THAT(*pool_->list(), IsEmpty());
  EXPECT_EQ(ids().size(), 1);
  EXPECT_FALSE(*catalog_->find_snapshot("snap-a"));
}

TEST_F(ActivateImageTest, KilledBeforeOrAfterAnyTransitionItGoesOnToOneSnapshot) {
  for (const char* transition : {"check-snapshot", "create-snapshot", "register"}) {
    for (const bool after : {false, true}) {
      request_.snapshot_name = fmt::format("snap-{}-{}", transition, after);
      const auto run = cut_off(transition, after, [this] { return start(); });
      const auto made = machine_->wait(run);
      ASSERT_TRUE(made) << transition << ": " << made.error().message();
      EXPECT_TRUE(row().active);
      EXPECT_EQ(breaches(), "");
    }
  }
  EXPECT_EQ(pool_->list()->size(), 7);
  EXPECT_EQ(ids().size(), 7);
}

TEST_F(ActivateImageTest, WhatIsRegisteredAsActiveIsSoAlsoAfterARebootInBetween) {
  const auto run = cut_off("create-snapshot", /*after=*/true, [this] { return start(); }, [this] { stage_->reboot(); });
  const auto made = machine_->wait(run);
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_TRUE(row().active);
  const auto device = pool_->find({made->snapshot_id}).value();
  ASSERT_TRUE(device);
  EXPECT_TRUE(device->active());
  EXPECT_EQ(made->device_path, device->path);
}

TEST_F(ActivateImageTest, OneWhoseImageIsRemovedMeanwhileLeavesNoDevice) {
  const fault::Scope meanwhile("pipeline.activate.register",
                               {.action = fault::Action::kCall, .call = [this] {
                                  ASSERT_TRUE(catalog_->delete_volume("the-image", catalog::DeviceFate::kMayRemain));
                                }});
  EXPECT_THAT(harness_.ending(start()), StartsWith("aborted: "));
  EXPECT_EQ(pool_->list()->size(), 1);  // the volume, which is to be deleted
  ASSERT_EQ(ids().size(), 1);
  EXPECT_EQ(ids().front().state, catalog::IdState::kDeleting);
}

TEST_F(ActivateImageTest, AnotherPoolThanTheProcessHasIsRefused) {
  request_.pool = "elsewhere";
  EXPECT_THAT(harness_.ending(start()), AllOf(StartsWith("aborted: "), HasSubstr("elsewhere")));
}

}  // namespace
}  // namespace slipway::pipeline
