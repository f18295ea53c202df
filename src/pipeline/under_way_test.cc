// Machines that want the same thing at the same time.
#include "pipeline/under_way.h"

#include <future>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/activate_image.h"
#include "pipeline/remove_image.h"
#include "pipeline/testing/volume_fixture.h"
#include "sys/fault.h"

namespace slipway::pipeline {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class UnderWayTest : public VolumeFixture {
 protected:
  UnderWayTest() {
    unpack("the-image", kVolume, "thin-1");
    open();
  }

  void add_machines(fsm::Manager& manager) override {
    activate_ = *add_activate_image(manager, {.catalog = catalog_, .pool = pool_});
    remove_ = *add_remove_image(manager, {.catalog = catalog_, .pool = pool_});
    deactivate_ = *add_deactivate_snapshot(manager, {.catalog = catalog_, .pool = pool_});
  }
  fsm::RunVersion start_activation() {
    return *activate_->start("snap-a", {.image_id = "the-image",
                                        .device_id = kVolume.value,
                                        .device_name = "thin-1",
                                        .snapshot_name = "snap-a",
                                        .pool = pool_->name()});
  }
  fsm::RunVersion start_removal() { return *remove_->start("the-image", {.image_id = "the-image", .force = true}); }
  fsm::RunVersion start_deactivation() { return *deactivate_->start("snap-a", {.name = "snap-a", .remove = true}); }

  // Until it awaits another one, or is over.
  void settle(fsm::RunVersion run) {
    for (;;) {
      const auto record = harness_.manager().run(run);
      ASSERT_TRUE(record);
      const auto& state = record->progress.state;
      if (std::holds_alternative<fsm::Awaiting>(state) || fsm::is_finished(state)) return;
      std::this_thread::yield();
    }
  }

  std::optional<ActivateImageMachine> activate_;
  std::optional<RemoveImageMachine> remove_;
  std::optional<DeactivateSnapshotMachine> deactivate_;
};

TEST_F(UnderWayTest, AnImageIsNotRemovedWhileASnapshotOfItIsBeingMade) {
  std::string removal;
  const fault::Scope meanwhile("pipeline.activate.register", {.action = fault::Action::kCall, .call = [&] {
                                                                removal = harness_.ending(start_removal());
                                                              }});
  const auto made = activate_->wait(start_activation());
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_THAT(removal, AllOf(StartsWith("aborted: "), HasSubstr("activate-image")));
  EXPECT_TRUE(catalog_->find_snapshot("snap-a").value()->active);
  EXPECT_EQ(breaches(), "");
}

TEST_F(UnderWayTest, ASnapshotOfAnImageThatIsBeingRemovedIsNotMade) {
  std::optional<fsm::RunVersion> activation;
  const fault::Scope meanwhile("pipeline.discard", {.action = fault::Action::kCall, .call = [&] {
                                                      activation = start_activation();
                                                      settle(*activation);
                                                    }});
  ASSERT_TRUE(remove_->wait(start_removal()));
  ASSERT_TRUE(activation);
  EXPECT_THAT(harness_.ending(*activation), StartsWith("aborted: "));
  EXPECT_THAT(*pool_->list(), IsEmpty());
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(UnderWayTest, ASnapshotThatIsBeingMadeIsTakenDownOnceItIsThere) {
  std::optional<fsm::RunVersion> deactivation;
  const fault::Scope meanwhile("pipeline.activate.register", {.action = fault::Action::kCall, .call = [&] {
                                                                deactivation = start_deactivation();
                                                                settle(*deactivation);
                                                              }});
  const auto made = activate_->wait(start_activation());
  EXPECT_TRUE(made) << made.error().message();
  ASSERT_TRUE(deactivation);
  const auto gone = deactivate_->wait(*deactivation);
  ASSERT_TRUE(gone) << gone.error().message();
  EXPECT_TRUE(gone->removed);
  EXPECT_FALSE(*catalog_->find_snapshot("snap-a"));
  EXPECT_EQ(pool_->list()->size(), 1);
  EXPECT_EQ(ids().size(), 1);
}

TEST_F(UnderWayTest, ASnapshotThatIsBeingDeletedIsMadeAnewOnceItIsGone) {
  const auto before = activate_->wait(start_activation());
  ASSERT_TRUE(before);
  std::optional<fsm::RunVersion> activation;
  const fault::Scope meanwhile("pipeline.discard", {.action = fault::Action::kCall, .call = [&] {
                                                      activation = start_activation();
                                                      settle(*activation);
                                                    }});
  ASSERT_TRUE(deactivate_->wait(start_deactivation()));
  const auto after = activate_->wait(*activation);
  ASSERT_TRUE(after) << after.error().message();
  EXPECT_TRUE(after->activated);
  EXPECT_TRUE(pool_->find({after->snapshot_id}).value()->active());
  EXPECT_EQ(pool_->list()->size(), 2);
  EXPECT_EQ(breaches(), "");
}

TEST_F(UnderWayTest, WhileTheDoctorHealsNoTransitionBegins) {
  ASSERT_TRUE(pool_->activate({kVolume, "thin-1", kSize}));
  const auto snap = catalog_->reserve({.pool = pool_->name(),
                                       .purpose = catalog::Purpose::kSnapshot,
                                       .image_id = "the-image",
                                       .snapshot_name = "half",
                                       .start = {500}});
  ASSERT_TRUE(catalog_->mark_made(*snap));
  ASSERT_TRUE(pool_->snapshot({{500}, "half", kSize}, {kVolume, "thin-1", kSize}));
  bool looked = false;
  const fault::Scope meanwhile("pipeline.discard", {.action = fault::Action::kCall, .call = [&] {
                                                      looked = true;
                                                      const auto enters = [] {
                                                        return operation_gate().try_lock_shared();
                                                      };
                                                      EXPECT_FALSE(std::async(std::launch::async, enters).get());
                                                    }});
  EXPECT_TRUE(heal(doctor(), Logger()));
  EXPECT_TRUE(looked);
}

TEST_F(UnderWayTest, WhileATransitionWorksTheDoctorWaits) {
  const auto transition =
      gated([](int) { return std::async(std::launch::async, [] { return operation_gate().try_lock(); }).get(); });
  EXPECT_FALSE(transition(0));
}

}  // namespace
}  // namespace slipway::pipeline
