#include "pipeline/remove_image.h"

#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "pipeline/device_ids.h"
#include "pipeline/testing/volume_fixture.h"
#include "sys/fault.h"

namespace slipway::pipeline {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class RemoveImageTest : public VolumeFixture {
 protected:
  RemoveImageTest() {
    unpack("the-image", kVolume, "thin-1");
    unpack("other", {200}, "thin-2");
    activate("the-image", kVolume, {101}, "snap-a");
    activate("the-image", kVolume, {102}, "snap-b");
    open();
  }

  void add_machines(fsm::Manager& manager) override {
    const RemoveParts parts{.catalog = catalog_, .pool = pool_};
    remove_ = *add_remove_image(manager, parts);
    deactivate_ = *add_deactivate_snapshot(manager, parts);
  }
  fsm::RunVersion start_removal(bool force = true) {
    return *remove_->start("the-image", {.image_id = "the-image", .force = force});
  }
  Result<RemoveImageResponse> remove(bool force = true) { return remove_->wait(start_removal(force)); }
  Result<DeactivateSnapshotResponse> deactivate(const std::string& name, bool remove = false) {
    return deactivate_->wait(*deactivate_->start(name, {.name = name, .remove = remove}));
  }
  // That nothing is left of it, and all of the other.
  void expect_gone() {
    EXPECT_FALSE(*catalog_->find_image("the-image"));
    EXPECT_EQ(pool_->list()->size(), 1);
    EXPECT_EQ(ids().size(), 1);
    EXPECT_FALSE(*catalog_->find_lock("the-image"));
    EXPECT_FALSE(std::filesystem::exists(images() / "the-image.tar"));
    EXPECT_TRUE(std::filesystem::exists(images() / "other.tar"));
    EXPECT_EQ(breaches(), "");
  }

  std::optional<RemoveImageMachine> remove_;
  std::optional<DeactivateSnapshotMachine> deactivate_;
};

TEST_F(RemoveImageTest, TakesAllThatWasMadeOfIt) {
  const auto removed = remove();
  ASSERT_TRUE(removed) << removed.error().message();
  EXPECT_EQ(removed->snapshots, 2);
  EXPECT_EQ(removed->deferred, 0);
  expect_gone();
}

TEST_F(RemoveImageTest, ActiveSnapshotsAreInTheWayUnlessForced) {
  const auto refused = remove(/*force=*/false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kConflict);
  EXPECT_THAT(refused.error().hint(), AllOf(HasSubstr("slipway deactivate snap-a"), HasSubstr("--force")));
  EXPECT_EQ(pool_->list()->size(), 4);
  EXPECT_FALSE(*catalog_->find_lock("the-image"));
  ASSERT_TRUE(deactivate("snap-a"));
  ASSERT_TRUE(deactivate("snap-b"));
  EXPECT_TRUE(remove(/*force=*/false));
  expect_gone();
}

TEST_F(RemoveImageTest, WhatIsInUseIsDeletedLater) {
  stage_->set_busy({101}, true);
  const auto removed = remove();
  ASSERT_TRUE(removed);
  EXPECT_EQ(removed->deferred, 1);
  EXPECT_FALSE(*catalog_->find_image("the-image"));
  ASSERT_EQ(ids().size(), 2);
  EXPECT_EQ(ids().front().state, catalog::IdState::kDeleting);
  EXPECT_THAT(ids().front().note, HasSubstr("in use"));
  EXPECT_TRUE(*pool_->find({101}));

  auto treated = heal(doctor(), {});
  ASSERT_EQ(treated->size(), 1);
  EXPECT_EQ(treated->front().ailment.rule, "device-to-delete");
  EXPECT_FALSE(treated->front().healed);
  stage_->set_busy({101}, false);
  treated = heal(doctor(), {});
  ASSERT_EQ(treated->size(), 1);
  EXPECT_TRUE(treated->front().healed);
  expect_gone();
  EXPECT_THAT(*heal(doctor(), {}), IsEmpty());
}

TEST_F(RemoveImageTest, ASnapshotInUseThatIsToBeDeletedIsForgottenAndDeletedLater) {
  stage_->set_busy({101}, true);
  const auto removed = deactivate("snap-a", /*remove=*/true);
  ASSERT_TRUE(removed) << removed.error().message();
  EXPECT_TRUE(removed->deferred);
  EXPECT_FALSE(*catalog_->find_snapshot("snap-a"));
  EXPECT_TRUE(*pool_->find({101}));
  stage_->set_busy({101}, false);
  EXPECT_EQ(delete_deferred(*catalog_, *pool_, {}, volumes::WhenBusy::kWait, [](const auto&) { return true; })->gone,
            1);
  EXPECT_FALSE(*pool_->find({101}));
  EXPECT_THAT(*examine(doctor()), IsEmpty());
}

TEST_F(RemoveImageTest, WhatCannotBeDeletedIsAnErrorUntilItCan) {
  {
    const fault::Scope sick("pipeline.discard", {.times = -1, .error = Error(ErrorKind::kIo, "injected")});
    const auto run = start_removal();
    while (!fsm::is_finished(harness_.manager().run(run)->progress.state)) {
      harness_.clock.advance(std::chrono::seconds(1));
      std::this_thread::yield();
    }
    EXPECT_THAT(harness_.ending(run), StartsWith("failed"));
  }
  EXPECT_EQ(pool_->list()->size(), 4);
  const auto removed = remove();
  ASSERT_TRUE(removed) << removed.error().message();
  expect_gone();
}

TEST_F(RemoveImageTest, AnImageOfAnotherPoolIsLeftAlone) {
  ASSERT_TRUE(catalog_->store_image({.source = {.image_id = "far", .bucket = "bucket", .key = "far.tar"},
                                     .local_path = "/far.tar",
                                     .checksum = sha256_hex("far")}));
  ASSERT_TRUE(catalog_->store_volume({.image_id = "far",
                                      .pool = "far-away",
                                      .device_id = {200},  // which is another's here
                                      .device_name = "thin-far",
                                      .device_path = "/dev/thin-far",
                                      .layout_verified = true,
                                      .source_checksum = sha256_hex("far")}));
  const auto refused = remove_->wait(*remove_->start("far", {.image_id = "far", .force = true}));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("far-away"));
  EXPECT_TRUE(*pool_->find({200}));
}

TEST_F(RemoveImageTest, WhileSomethingIsMadeOfItItIsNotRemoved) {
  const auto other = deactivate_->start("the-image", {.name = "the-image"},
                                        {.not_before = harness_.clock.now() + std::chrono::hours(1)});
  ASSERT_TRUE(other);
  const auto refused = remove();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kConflict);
  EXPECT_THAT(refused.error().hint(), HasSubstr("slipway runs cancel " + other->version.to_string()));
  EXPECT_EQ(pool_->list()->size(), 4);
}

TEST_F(RemoveImageTest, KilledBeforeOrAfterAnyTransitionItGoesOn) {
  for (const char* transition : {"lock-image", "remove-devices", "forget"}) {
    for (const bool after : {false, true}) {
      if (!*catalog_->find_image("the-image")) {
        unpack("the-image", kVolume, "thin-1");
        activate("the-image", kVolume, {101}, "snap-a");
      }
      const auto run = cut_off(transition, after, [this] { return start_removal(); });
      const auto removed = remove_->wait(run);
      ASSERT_TRUE(removed) << transition << after << ": " << removed.error().message();
      expect_gone();
    }
  }
}

TEST_F(RemoveImageTest, AnImageThatIsNotThereAborts) {
  ASSERT_TRUE(remove());
  EXPECT_THAT(harness_.ending(start_removal()), StartsWith("aborted: "));
}

TEST_F(RemoveImageTest, ALockOfADeadRunIsTakenOver) {
  ASSERT_TRUE(catalog_->acquire_lock("the-image", "some-run-of-long-ago"));
  ASSERT_TRUE(remove());
  expect_gone();
}

TEST_F(RemoveImageTest, ADeactivatedSnapshotStaysInThePool) {
  const auto down = deactivate("snap-a");
  ASSERT_TRUE(down) << down.error().message();
  EXPECT_TRUE(down->deactivated);
  EXPECT_EQ(down->image_id, "the-image");
  EXPECT_FALSE((*pool_->find({101}))->active());
  EXPECT_FALSE(catalog_->find_snapshot("snap-a").value()->active);
  EXPECT_FALSE(deactivate("snap-a")->deactivated);
  EXPECT_EQ(breaches(), "");
}

TEST_F(RemoveImageTest, ADeletedSnapshotIsGone) {
  const auto down = deactivate("snap-a", /*remove=*/true);
  ASSERT_TRUE(down);
  EXPECT_TRUE(down->removed);
  EXPECT_FALSE(*pool_->find({101}));
  EXPECT_FALSE(*catalog_->find_snapshot("snap-a"));
  EXPECT_EQ(ids().size(), 3);
  EXPECT_EQ(deactivate("snap-a").error().kind(), ErrorKind::kNotFound);
}

}  // namespace
}  // namespace slipway::pipeline
