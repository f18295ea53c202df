// What crashes leave in a thin pool, and what others do to it behind our back.
#include <csignal>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "pool_fixture.h"
#include "sys/descriptor.h"
#include "sys/fault.h"
#include "sys/testing/child_process.h"
#include "volumes/thin/device_mapper.h"
#include "volumes/thin/kernel_text.h"

namespace slipway::volumes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class ThinCrashTest : public ThinTest {
 protected:
  // Has another process do it, which dies at the point.
  void die_at(const std::string& point, const std::function<void(ThinPool&)>& body) {
    sys::ChildProcess child([&](const auto&) {
      const fault::Scope kill(point, {.action = fault::Action::kKill});
      body(*test_->open());
      return 0;
    });
    EXPECT_EQ(child.wait(), 128 + SIGKILL) << point;
  }
  std::vector<std::string> leftovers() {
    std::vector<std::string> found;
    const auto left = pool().leftovers();
    EXPECT_TRUE(left) << left.error().describe();
    for (const auto& leftover : left.value_or(std::vector<Leftover>())) found.push_back(leftover.what);
    return found;
  }
};

TEST_F(ThinCrashTest, AnOriginLeftSuspendedIsResumedByWhateverComesNext) {
  const auto path = make(spec(7));
  put(path, 0, "origin");
  const std::vector<std::function<void()>> verbs = {
      [&] { EXPECT_TRUE(pool().activate(spec(7))); },
      [&] { EXPECT_TRUE(pool().list()); },
      [&] { EXPECT_TRUE(pool().find({7})); },
      [&] { EXPECT_TRUE(pool().snapshot(spec(9), spec(7))); },
  };
  for (const auto& verb : verbs) {
    die_at("volumes.thin.suspended", [&](ThinPool& other) { (void)other.snapshot(spec(8), spec(7)); });
    ASSERT_TRUE(dm::info(spec(7).name).value()->suspended);
    verb();
    ASSERT_FALSE(dm::info(spec(7).name).value()->suspended);
    EXPECT_EQ(get(path, 0, 6), "origin");
  }
  EXPECT_FALSE(pool().find({8}).value());
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(ThinCrashTest, ASnapshotThatFailsResumesItsOrigin) {
  const auto path = make(spec(7));
  for (const auto* point : {"volumes.thin.suspended", "volumes.thin.change.before"}) {
    const fault::Scope fails(point, {});
    EXPECT_FALSE(pool().snapshot(spec(8), spec(7)));
    EXPECT_EQ(fails.acted(), 1);
    EXPECT_FALSE(dm::info(spec(7).name).value()->suspended);
  }
  put(path, 0, "it can be written");
  EXPECT_FALSE(pool().find({8}).value());
}

TEST_F(ThinCrashTest, AHalfMadeDeviceIsTakenOverUnderThatNameAndUnderAnother) {
  ASSERT_TRUE(pool().create(spec(7)));
  for (const auto* point : {"volumes.thin.half-made", "volumes.thin.loaded"}) {
    for (const auto& wanted : {spec(7), DeviceSpec{{7}, name("other"), kSize}}) {
      die_at(point, [&](ThinPool& other) { (void)other.activate(spec(7)); });
      ASSERT_FALSE(dm::info(spec(7).name).value()->has_table);
      EXPECT_THAT(leftovers(), ElementsAre(HasSubstr(spec(7).name)));
      EXPECT_FALSE(pool().find({7}).value()->active());
      const auto path = pool().activate(wanted);
      ASSERT_TRUE(path) << path.error().describe();
      put(*path, 0, "whole");
      EXPECT_THAT(leftovers(), IsEmpty());
      ASSERT_TRUE(pool().deactivate(wanted));
    }
  }
}

TEST_F(ThinCrashTest, AHalfMadeDeviceThatNobodyAsksForIsALeftover) {
  ASSERT_TRUE(pool().create(spec(7)));
  die_at("volumes.thin.half-made", [&](ThinPool& other) { (void)other.activate(spec(7)); });
  ASSERT_TRUE(pool().remove_leftovers());
  EXPECT_THAT(leftovers(), IsEmpty());
  EXPECT_FALSE(dm::info(spec(7).name).value());
  EXPECT_TRUE(pool().find({7}).value());
}

TEST_F(ThinCrashTest, AHalfMadeDeviceIsNotInTheWayOfItsRemoval) {
  ASSERT_TRUE(pool().create(spec(7)));
  die_at("volumes.thin.loaded", [&](ThinPool& other) { (void)other.activate(spec(7)); });
  const auto removed = pool().remove(spec(7));
  EXPECT_TRUE(removed) << removed.error().describe();
  EXPECT_FALSE(pool().find({7}).value());
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(ThinCrashTest, AFailedActivationLeavesNothing) {
  ASSERT_TRUE(pool().create(spec(7)));
  const fault::Scope fails("volumes.thin.half-made", {});
  EXPECT_FALSE(pool().activate(spec(7)));
  EXPECT_THAT(leftovers(), IsEmpty());
  EXPECT_FALSE(dm::info(spec(7).name).value());
  EXPECT_TRUE(pool().activate(spec(7)));
}

TEST_F(ThinCrashTest, AProbeAndAMetadataSnapshotLeftByACrashAreToldAndRemoved) {
  ASSERT_TRUE(pool().create(spec(7)));
  die_at("volumes.thin.probe", [](ThinPool& other) { (void)other.find({7}); });
  die_at("volumes.thin.metadata-held", [](ThinPool& other) { (void)other.list(); });
  EXPECT_THAT(leftovers(), ElementsAre(HasSubstr("slipway-probe"), HasSubstr("metadata")));
  // Neither is in the way of the same verb.
  EXPECT_TRUE(pool().find({7}).value());
  EXPECT_EQ(pool().list().value().size(), 1);
  EXPECT_THAT(leftovers(), IsEmpty());
  die_at("volumes.thin.probe", [](ThinPool& other) { (void)other.find({7}); });
  die_at("volumes.thin.metadata-held", [](ThinPool& other) { (void)other.list(); });
  ASSERT_TRUE(pool().remove_leftovers());
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(ThinCrashTest, AChangeIsDoneOrNotWhenTheProcessDiesAroundIt) {
  die_at("volumes.thin.change.before", [&](ThinPool& other) { (void)other.create(spec(7)); });
  EXPECT_FALSE(pool().find({7}).value());
  die_at("volumes.thin.change.after", [&](ThinPool& other) { (void)other.create(spec(7)); });
  EXPECT_TRUE(pool().find({7}).value());
  ASSERT_TRUE(pool().activate(spec(7)));
  die_at("volumes.thin.take-down", [&](ThinPool& other) { (void)other.remove(spec(7)); });
  EXPECT_TRUE(pool().find({7}).value()->active());
  die_at("volumes.thin.change.before", [&](ThinPool& other) { (void)other.remove(spec(7)); });
  EXPECT_FALSE(pool().find({7}).value()->active());
  ASSERT_TRUE(pool().remove(spec(7)));
  EXPECT_FALSE(pool().find({7}).value());
}

TEST_F(ThinCrashTest, ADeviceRemovedBehindOurBackComesBackOnRequest) {
  put(make(spec(7)), 0, "kept");
  ASSERT_EQ(shell("dmsetup remove " + spec(7).name + " >/dev/null"), 0);
  const auto found = pool().find({7}).value();
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->active());
  EXPECT_TRUE(pool().deactivate(spec(7)));
  EXPECT_EQ(get(pool().activate(spec(7)).value(), 0, 4), "kept");
}

TEST_F(ThinCrashTest, ADeviceMadeByHandIsListedAndCanBeRemoved) {
  const auto hand = name("by-hand");
  ASSERT_EQ(shell(fmt::format("dmsetup message {} 0 'create_thin 99'", test_->name())), 0);
  const auto number = dm::info(test_->name()).value()->number;
  ASSERT_EQ(shell(fmt::format("dmsetup create {} --table '0 2048 thin {} 99' >/dev/null", hand, number)), 0);
  const auto listed = pool().list().value();
  ASSERT_EQ(listed.size(), 1);
  EXPECT_EQ(listed[0].id, DeviceId{99});
  EXPECT_EQ(listed[0].name, hand);
  EXPECT_FALSE(listed[0].origin);
  EXPECT_EQ(pool().create(spec(99)).error().kind(), ErrorKind::kAlreadyExists);
  EXPECT_EQ(pool().activate(spec(99)).error().kind(), ErrorKind::kConflict);
  // Its name is not free for ours either.
  ASSERT_TRUE(pool().create(spec(7)));
  EXPECT_EQ(pool().activate({{7}, hand, kSize}).error().kind(), ErrorKind::kConflict);
  ASSERT_TRUE(pool().remove(spec(99)));
  EXPECT_FALSE(dm::info(hand).value());
  EXPECT_FALSE(pool().find({99}).value());
}

TEST_F(ThinCrashTest, ABusyDeviceStaysAndItsUserIsNamed) {
  const auto path = make(spec(7));
  const sys::Descriptor user(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const auto refused = pool().deactivate(spec(7));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kUnavailable);
  EXPECT_THAT(refused.error().message(), HasSubstr(fmt::format("process {}", ::getpid())));
  EXPECT_EQ(pool().remove(spec(7)).error().kind(), ErrorKind::kUnavailable);
  EXPECT_TRUE(pool().find({7}).value()->active());
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(ThinCrashTest, AnActiveSnapshotSaysItsOrigin) {
  make(spec(7));
  ASSERT_TRUE(pool().snapshot(spec(9), spec(7)));
  ASSERT_TRUE(pool().activate(spec(9)));
  pool_ = test_->open();
  EXPECT_EQ(pool().find({9}).value()->origin, DeviceId{7});
  EXPECT_FALSE(pool().find({7}).value()->origin);
}

}  // namespace
}  // namespace slipway::volumes
