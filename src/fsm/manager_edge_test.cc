// Corners: callbacks that call back, two shutdowns, damaged rows, limits at their ends.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <stop_token>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fsm/sqlite_run_store.h"
#include "fsm/testing/manager_harness.h"
#include "sys/testing/temp_dir.h"

namespace slipway::fsm {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

class EdgeTest : public testing::Test {
 protected:
  ManagerHarness::Setup holding(TransitionPolicy policy = {}) {
    return [this, policy](Manager& manager) {
      machine_ = *fsm::machine<std::string, std::string>("m")
                      .start(
                          "hold",
                          [this](const Text& run) -> Outcome<std::string> {
                            if (!gate_.pass(run.stop())) return error(Error(ErrorKind::kCancelled, "stopped"));
                            return next(std::string("held"));
                          },
                          policy)
                      .end("done")
                      .add_to(manager);
    };
  }

  // A run that the process died in, parked.
  RunVersion open_with_parked_run() {
    harness_.options().max_crash_resumes = 0;
    harness_.open(holding());
    const auto run = *machine_->start("a", "");
    gate_.await_arrivals(1);
    harness_.crash();
    EXPECT_EQ(harness_.open(holding()).parked, 1U);
    return run;
  }

  Gate gate_;
  std::optional<TextMachine> machine_;
  ManagerHarness harness_;
};

TEST_F(EdgeTest, AStopCallbackMayCancelAnotherRun) {
  std::optional<TextMachine> parent;
  RunVersion child;
  std::atomic<bool> child_cancelled = false;
  harness_.open([&](Manager& manager) {
    holding()(manager);
    parent = *fsm::machine<std::string, std::string>("parent")
                  .start("s",
                         [&](const Text& run) -> Outcome<std::string> {
                           const std::stop_callback on_stop(run.stop(), [&] {
                             child_cancelled = harness_.manager().cancel(child, "parent").has_value();
                           });
                           gate_.pass(run.stop());
                           return error(Error(ErrorKind::kCancelled, "stopped"));
                         })
                  .end("done")
                  .add_to(manager);
  });
  child = *machine_->start("child", "");
  const auto run = *parent->start("parent", "");
  gate_.await_arrivals(2);
  EXPECT_TRUE(harness_.manager().cancel(run, "enough"));
  EXPECT_EQ(harness_.ending(run), "cancelled: cancelled: enough");
  EXPECT_EQ(harness_.ending(child), "cancelled: cancelled: parent");
  EXPECT_TRUE(child_cancelled);
}

TEST_F(EdgeTest, ForEverIsAUsableTimeoutDelayAndDeadline) {
  harness_.options().retention_interval = Duration::max();
  harness_.open(holding({.timeout = Duration::max()}));
  const auto run = *machine_->start("a", "");
  const auto never = *machine_->start("b", "", {.not_before = TimePoint::max()});
  gate_.await_arrivals(1);
  gate_.open();
  EXPECT_EQ(machine_->wait(run, TimePoint::max()), "held");
  EXPECT_TRUE(harness_.manager().cancel(never, "too long"));
  EXPECT_EQ(harness_.ending(never), "cancelled: cancelled: too long");
}

TEST_F(EdgeTest, ARetentionThatWouldNeverRestIsRefused) {
  const auto opened = Manager::open(std::make_unique<MemoryRunStore>(), {.retention_interval = 0s});
  EXPECT_EQ(opened.error().kind(), ErrorKind::kInvalid);
}

TEST_F(EdgeTest, AShutdownThatWaitsYieldsToOneThatDoesNot) {
  std::atomic<bool> waiting = false;
  Gate deaf;
  harness_.open([&](Manager& manager) {
    machine_ = *fsm::machine<std::string, std::string>("m")
                    .start("s",
                           [&](const Text& run) -> Outcome<std::string> {
                             const std::stop_callback told(run.stop(), [&] { waiting = true; });
                             deaf.block();
                             return next(std::string());
                           })
                    .end("done")
                    .add_to(manager);
  });
  const auto run = *machine_->start("a", "");
  deaf.await_arrivals(1);
  {
    const std::jthread patient([&] { harness_.manager().shutdown(1h); });
    while (!waiting) std::this_thread::yield();
    EXPECT_THAT(harness_.manager().shutdown(0s).stuck, ElementsAre(run.version));
    harness_.clock.advance(1h);
  }
  deaf.open();
  deaf.await_all_left();
}

TEST_F(EdgeTest, ASubscriptionAfterShutdownEndsAtOnce) {
  harness_.open(holding());
  harness_.manager().shutdown(0s);
  auto late = harness_.manager().subscribe();
  EXPECT_FALSE(late.next());
}

TEST_F(EdgeTest, AParentWithThousandsOfChildrenHasThemAll) {
  gate_.open();
  harness_.open(holding());
  const auto parent = *machine_->start("parent", "");
  std::vector<StartRequest> children;
  for (int i = 0; i < 2500; ++i) children.push_back({.id = std::to_string(i), .options = {.parent = parent}});
  for (const auto& child : harness_.manager().start_all("m", std::move(children))) EXPECT_TRUE(child);
  EXPECT_EQ(harness_.manager().children(parent)->size(), 2500U);
}

TEST_F(EdgeTest, AStoredPositionPastTheEndFailsThatRunAndNoOther) {
  harness_.open(holding());
  const auto broken = *machine_->start("broken", "");
  const auto sound = *machine_->start("sound", "");
  gate_.await_arrivals(2);
  const Progress nonsense{.state = Running{}, .position = 77};
  const Write damage =
      MoveWrite{.version = broken, .base_seq = 1, .progress = &nonsense, .response = nullptr, .events = {}};
  ASSERT_TRUE(harness_.store().commit({&damage, 1}));
  harness_.crash();
  gate_.open();
  harness_.open(holding());
  EXPECT_THAT(harness_.ending(broken), HasSubstr("past its last transition"));
  EXPECT_EQ(machine_->wait(sound), "held");
}

TEST_F(EdgeTest, AFailedUnparkingLeavesTheRunParkedAndOneThatCanBeCancelled) {
  const auto run = open_with_parked_run();
  harness_.store().fail_next_commits(1, Error(ErrorKind::kNoSpace, "disk full"));
  EXPECT_EQ(harness_.manager().unpark(run).error().kind(), ErrorKind::kNoSpace);
  EXPECT_EQ(harness_.manager().wait(run).error().kind(), ErrorKind::kParked);  // as it was
  EXPECT_TRUE(harness_.manager().cancel(run, "enough"));
  EXPECT_EQ(harness_.ending(run), "cancelled: cancelled: enough");
}

TEST_F(EdgeTest, ACancelWrittenWhileAnUnparkingFailsStillEndsTheRun) {
  const auto run = open_with_parked_run();

  Gate cancelling;
  std::atomic<int> commits = 0;
  harness_.store().before_commits([&] {
    if (++commits == 1) cancelling.block();
    if (commits == 2) harness_.store().fail_next_commits(1, Error(ErrorKind::kNoSpace, "disk full"));
  });
  std::jthread cancel([&] { EXPECT_TRUE(harness_.manager().cancel(run, "enough")); });
  cancelling.await_arrivals(1);
  // Of two that ask, one is refused at once: then the other's write is in line behind the cancel.
  std::atomic<int> refused = 0;
  std::atomic<int> failed = 0;
  const auto unpark = [&] {
    const auto done = harness_.manager().unpark(run);
    ++(done.error().kind() == ErrorKind::kConflict ? refused : failed);
  };
  std::jthread one(unpark);
  std::jthread other(unpark);
  while (refused == 0) std::this_thread::yield();
  cancelling.open();
  for (auto* caller : {&cancel, &one, &other}) caller->join();
  EXPECT_EQ(failed, 1);
  EXPECT_EQ(harness_.ending(run), "cancelled: cancelled: enough");
  cancelling.await_all_left();
}

TEST_F(EdgeTest, AFollowerThatIsEndingIsNotWokenByItsPredecessor) {
  std::optional<TextMachine> follower;
  Gate finalizing;
  harness_.open([&](Manager& manager) {
    holding()(manager);
    follower = *fsm::machine<std::string, std::string>("follower")
                    .start("s", [](const Text&) -> Outcome<std::string> { return next(std::string()); })
                    .end("done")
                    .finalizer([&](const Text& run, const Finishing&) -> Result<> {
                      finalizing.pass(run.stop());
                      return {};
                    })
                    .add_to(manager);
  });
  const auto before = *machine_->start("before", "");
  gate_.await_arrivals(1);
  const auto run = *follower->start("follower", "", {.after = before});
  harness_.store().fail_next_finds(1, Error(ErrorKind::kIo, "bad read"));
  ASSERT_TRUE(harness_.manager().cancel(run, "enough"));
  while (harness_.store().finds_to_fail() > 0) std::this_thread::yield();  // its finalizer could not be called
  gate_.open();
  EXPECT_TRUE(machine_->wait(before));
  while (finalizing.arrivals() == 0) {  // looks again every second
    harness_.clock.advance(1s);
    std::this_thread::yield();
  }
  harness_.clock.advance(1s);
  finalizing.open();
  EXPECT_EQ(harness_.ending(run), "cancelled: cancelled: enough");
  EXPECT_EQ(finalizing.arrivals(), 1);
}

TEST_F(EdgeTest, MarksOutliveAProcessThatNeverResumed) {
  harness_.options().max_crash_resumes = 0;
  harness_.open(holding());
  const auto run = *machine_->start("a", "");
  gate_.await_arrivals(1);
  harness_.crash();
  const auto refused = harness_.try_open([](Manager& manager) {
    const TextMachine nowhere(manager, "nowhere");
    const auto added = fsm::machine<std::string, std::string>("m")
                           .follows(nowhere, [](const std::string&, std::string given) { return given; })
                           .start("hold", [](const Text&) -> Outcome<std::string> { return next(std::string()); })
                           .end("done")
                           .add_to(manager);
    EXPECT_TRUE(added);
  });
  EXPECT_FALSE(refused);
  harness_.close();
  EXPECT_EQ(harness_.open(holding()).parked, 1U);
  EXPECT_EQ(harness_.manager().wait(run).error().kind(), ErrorKind::kParked);
}

TEST_F(EdgeTest, HistoryIsRemovedAndRunsGoOnWithOneThread) {
  harness_.options().max_threads = 1;
  harness_.options().retention = {.max_age = std::nullopt, .max_count = 10};
  gate_.open();
  harness_.open(holding());
  std::vector<StartRequest> many;
  for (int i = 0; i < 1000; ++i) many.push_back({.id = std::to_string(i)});
  for (const auto& run : harness_.manager().start_all("m", std::move(many))) {
    EXPECT_EQ(harness_.manager().wait(*run)->ending, Ending::kCompleted);
  }
  harness_.clock.advance(1min);
  while (harness_.manager().runs({})->size() > 10) std::this_thread::yield();
  EXPECT_TRUE(machine_->wait(*machine_->start("after", "")));
}

TEST_F(EdgeTest, AHeldBackWriteIsWrittenThoughEveryThreadIsInsideAHandler) {
  harness_.options().max_threads = 1;
  Gate blocked;
  std::optional<TextMachine> blocking;
  harness_.open([&](Manager& manager) {
    holding()(manager);
    blocking = *fsm::machine<std::string, std::string>("blocking")
                    .start("s",
                           [&](const Text& run) -> Outcome<std::string> {
                             blocked.pass(run.stop());
                             return next(std::string("free"));
                           })
                    .end("done")
                    .add_to(manager);
  });
  const auto first = *machine_->start("first", "");
  gate_.await_arrivals(1);
  const auto second = *blocking->start("second", "");
  harness_.store().fail_next_commits(1, Error(ErrorKind::kNoSpace, "disk full"));
  gate_.open();
  blocked.await_arrivals(1);  // the only thread; the first run's write is held back
  harness_.clock.advance(1s);
  EXPECT_EQ(machine_->wait(first), "held");
  blocked.open();
  EXPECT_EQ(blocking->wait(second), "free");
}

TEST(OwnershipTest, AHandlerThatNeverReturnsDoesNotKeepTheStoreOpen) {
  const sys::TempDir folder;
  const std::string path = folder.file("runs.db");
  Gate deaf;
  {
    auto manager = *Manager::open(*SqliteRunStore::open(path), {});
    auto machine = *fsm::machine<std::string, std::string>("m")
                        .start("s",
                               [&](const Text&) -> Outcome<std::string> {
                                 deaf.block();
                                 return next(std::string());
                               })
                        .end("done")
                        .add_to(*manager);
    ASSERT_TRUE(manager->resume());
    ASSERT_TRUE(machine.start("a", ""));
    deaf.await_arrivals(1);
    EXPECT_EQ(manager->shutdown(0s).stuck.size(), 1U);
  }
  const auto again = SqliteRunStore::open(path);
  EXPECT_TRUE(again) << again.error().describe();
  deaf.open();
  deaf.await_all_left();
}

TEST(OwnershipTest, ALinkToAnOwnedStoreIsRefusedToo) {
  const sys::TempDir folder;
  const auto owner = SqliteRunStore::open(folder.file("runs.db"));
  ASSERT_TRUE(owner);
  std::filesystem::create_symlink(folder.file("runs.db"), folder.file("link.db"));
  const auto second = SqliteRunStore::open(folder.file("link.db"));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind(), ErrorKind::kConflict);
}

}  // namespace
}  // namespace slipway::fsm
