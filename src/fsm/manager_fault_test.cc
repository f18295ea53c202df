// Disks that refuse, handlers that misbehave, cancels and shutdowns.
#include <atomic>
#include <chrono>
#include <stop_token>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fsm/testing/manager_harness.h"

namespace slipway::fsm {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

class FaultTest : public testing::Test {
 protected:
  FaultTest() { harness_.options().queues = {{"narrow", 1}}; }

  // first waits at the gate; second counts.
  void open(TransitionPolicy policy = {}) {
    harness_.open([this, policy](Manager& manager) {
      machine_ = *fsm::machine<std::string, std::string>("m")
                      .start(
                          "first",
                          [this](const Text& run) -> Outcome<std::string> {
                            if (deaf_) {
                              gate_.block();
                            } else if (!gate_.pass(run.stop())) {
                              cause_ = run.stop_cause();
                              return error(Error(ErrorKind::kCancelled, "told to stop"));
                            }
                            return next(std::string("f"));
                          },
                          policy)
                      .to("second",
                          [this](const Text& run) -> Outcome<std::string> {
                            ++second_calls_;
                            return next(run.response() + "s");
                          })
                      .end("done")
                      .add_to(manager);
    });
  }

  Gate gate_;
  std::atomic<bool> deaf_ = false;
  std::atomic<StopCause> cause_ = StopCause::kNone;
  std::atomic<int> second_calls_ = 0;
  std::optional<TextMachine> machine_;
  ManagerHarness harness_;
};

TEST_F(FaultTest, AWriteThatFailsStopsTheRunThereUntilThereIsRoom) {
  open();
  const auto run = *machine_->start("a", "");
  gate_.await_arrivals(1);
  harness_.store().fail_next_commits(3, Error(ErrorKind::kNoSpace, "disk full"));
  gate_.open();
  // Two more tries fail as the retry timer fires; the third failure is a start's.
  while (harness_.manager().metrics().value("fsm_failed_commits_count") < 1) std::this_thread::yield();
  EXPECT_EQ(second_calls_, 0);
  harness_.clock.advance(1s);
  while (harness_.manager().metrics().value("fsm_failed_commits_count") < 2) std::this_thread::yield();
  EXPECT_EQ(second_calls_, 0);
  const auto refused = machine_->start("b", "");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kNoSpace);
  EXPECT_THAT(refused.error().message(), HasSubstr("nothing was started: disk full"));
  EXPECT_EQ(second_calls_, 0);
  EXPECT_EQ(harness_.manager().run(run)->progress.position, 0U);
  EXPECT_EQ(harness_.manager().metrics().value("fsm_held_back_writes"), 1);
  harness_.clock.advance(10s);  // room is back
  EXPECT_EQ(machine_->wait(run), "fs");
  EXPECT_EQ(second_calls_, 1);
  EXPECT_THAT(harness_.story(run), ElementsAre("started", "completed first", "completed second", "finished"));
  EXPECT_TRUE(machine_->wait(*machine_->start("b", "")));
}

TEST_F(FaultTest, ARefusedStartLeavesNothingBehind) {
  open();
  gate_.open();
  harness_.store().fail_next_commits(1, Error(ErrorKind::kIo, "sync failed"));
  EXPECT_EQ(machine_->start("a", "").error().kind(), ErrorKind::kIo);
  EXPECT_TRUE(harness_.manager().runs({})->empty());
  EXPECT_FALSE(machine_->start("a", "")->already_running);
  EXPECT_TRUE(machine_->wait_latest("a"));
}

TEST_F(FaultTest, ARunThatAnotherProcessMovedIsLeftToIt) {
  open();
  const auto run = *machine_->start("a", "");
  gate_.await_arrivals(1);
  const Progress elsewhere{.state = Running{}, .position = 1, .arrival = 1};
  const Write move = MoveWrite{.version = run,
                               .base_seq = 1,
                               .progress = &elsewhere,
                               .events = {{.kind = EventKind::kCompleted, .transition = "first"}}};
  ASSERT_TRUE(harness_.store().commit({&move, 1}));
  gate_.open();
  while (harness_.manager().metrics().value("fsm_active_runs") > 0) std::this_thread::yield();
  EXPECT_THAT(harness_.manager().wait(run).error().message(), HasSubstr("not in this process"));
  EXPECT_EQ(second_calls_, 0);
  EXPECT_EQ(harness_.manager().run(run)->seq, 2U);
}

TEST_F(FaultTest, ATimeoutFiresTheTokenAndCountsAsAnError) {
  open({.retry = fixed(1, 0s), .timeout = 30s});
  const auto run = *machine_->start("a", "");
  for (int i = 1; i <= 2; ++i) {
    gate_.await_arrivals(i);
    harness_.clock.advance(30s);
  }
  EXPECT_EQ(harness_.ending(run), "failed: transition first, after 2 tries: took longer than 30.0s");
  EXPECT_EQ(cause_, StopCause::kTimeout);
  EXPECT_EQ(harness_.manager().metrics().value("fsm_transition_count", {{"status", "timeout"}}), 2);
}

TEST_F(FaultTest, ATimeoutAbortsWhereTheMachineSaysSo) {
  open({.retry = fixed(5, 0s), .timeout = 30s, .on_timeout = OnTimeout::kAbort});
  const auto run = *machine_->start("a", "");
  gate_.await_arrivals(1);
  harness_.clock.advance(30s);
  EXPECT_EQ(harness_.ending(run), "aborted: transition first: took longer than 30.0s");
}

TEST_F(FaultTest, AHandlerThatReturnsLateAfterItsTimeoutIsTimedOutAllTheSameAndNeverOverlapsItsRetry) {
  deaf_ = true;
  open({.retry = fixed(1, 0s), .timeout = 30s});
  const auto run = *machine_->start("a", "");
  gate_.await_arrivals(1);
  harness_.clock.advance(30s);
  harness_.await(EventKind::kOverdue);
  EXPECT_EQ(gate_.arrivals(), 1);  // the retry waits for the late one
  deaf_ = false;
  gate_.open();
  EXPECT_EQ(machine_->wait(run), "fs");
  EXPECT_THAT(harness_.story(run),
              ElementsAre("started", "errored first", "completed first", "completed second", "finished"));
  EXPECT_EQ(gate_.most_at_once(), 1);
}

TEST_F(FaultTest, AHandlerThatIgnoresItsStopTokenDoesNotTakeTheManagerDown) {
  deaf_ = true;
  open();
  const auto stuck = *machine_->start("stuck", "", {.queue = "narrow"});
  gate_.await_arrivals(1);
  EXPECT_TRUE(harness_.manager().cancel(stuck, "now"));
  deaf_ = false;
  // Others run, other queues are free, questions are answered.
  EXPECT_EQ(harness_.manager().queues()[0].inflight, 1U);
  const auto shutdown = harness_.manager().shutdown(0s);
  EXPECT_THAT(shutdown.stuck, ElementsAre(stuck.version));
  EXPECT_EQ(harness_.manager().wait(stuck).error().kind(), ErrorKind::kUnavailable);
  harness_.close();  // returns, though the handler does not
  // The next process honours the cancel.
  harness_.open([this](Manager& manager) {
    machine_ = *fsm::machine<std::string, std::string>("m")
                    .start("first", [](const Text&) -> Outcome<std::string> { return next(std::string()); })
                    .end("done")
                    .add_to(manager);
  });
  EXPECT_EQ(harness_.ending(stuck), "cancelled: cancelled: now");
  gate_.open();
  gate_.await_all_left();
}

TEST_F(FaultTest, CancelReachesARunInsideAHandler) {
  open();
  const auto run = *machine_->start("a", "");
  gate_.await_arrivals(1);
  EXPECT_TRUE(harness_.manager().cancel(run, "changed my mind"));
  EXPECT_EQ(harness_.ending(run), "cancelled: cancelled: changed my mind");
  EXPECT_EQ(cause_, StopCause::kCancel);
  EXPECT_EQ(machine_->wait(run).error().kind(), ErrorKind::kCancelled);
  EXPECT_THAT(harness_.story(run), ElementsAre("started", "cancel-requested", "finished"));
  EXPECT_EQ(harness_.manager().cancel(run, "again").error().kind(), ErrorKind::kConflict);
}

TEST_F(FaultTest, CancelReachesRunsThatWaitInAQueueForATimeOrForAnotherRun) {
  open();
  const auto inside = *machine_->start("inside", "", {.queue = "narrow"});
  gate_.await_arrivals(1);
  const auto queued = *machine_->start("queued", "", {.queue = "narrow"});
  const auto delayed = *machine_->start("delayed", "", {.not_before = harness_.clock.now() + 1h});
  const auto following = *machine_->start("following", "", {.after = inside});
  for (const auto& run : {queued, delayed, following}) {
    EXPECT_TRUE(harness_.manager().cancel(run, "no need"));
    EXPECT_EQ(harness_.ending(run), "cancelled: cancelled: no need");
  }
  gate_.open();
  EXPECT_EQ(machine_->wait(inside), "fs");
  EXPECT_EQ(gate_.arrivals(), 1);
  EXPECT_TRUE(machine_->wait(*machine_->start("next", "", {.queue = "narrow"})));
}

TEST_F(FaultTest, CancelReachesARunThatBacksOff) {
  std::optional<TextMachine> failing;
  harness_.open([&](Manager& manager) {
    failing = *fsm::machine<std::string, std::string>("failing")
                   .start("s", [](const Text&) -> Outcome<std::string> { return error(Error(ErrorKind::kIo, "no")); },
                          {.retry = fixed(10, 1h)})
                   .end("done")
                   .add_to(manager);
  });
  const auto run = *failing->start("a", "");
  harness_.await(EventKind::kErrored);
  EXPECT_TRUE(harness_.manager().cancel(run, "enough"));
  EXPECT_EQ(harness_.ending(run), "cancelled: cancelled: enough");
}

TEST_F(FaultTest, ACancelThatMeetsTheEndOfItsRunEitherReachesItOrSaysItCameTooLate) {
  open();
  gate_.open();
  int reached = 0;
  for (int i = 0; i < 300; ++i) {
    const auto run = *machine_->start(std::to_string(i), "");
    const auto cancelled = harness_.manager().cancel(run, "race");
    const auto end = harness_.manager().wait(run);
    if (!cancelled) {
      EXPECT_EQ(cancelled.error().kind(), ErrorKind::kConflict);
      EXPECT_EQ(end->ending, Ending::kCompleted);
    } else if (end->ending == Ending::kCancelled) {
      ++reached;
    }
  }
  EXPECT_GT(reached, 0);
}

TEST_F(FaultTest, ACancelThatIsOnDiskIsHonouredAfterACrash) {
  deaf_ = true;
  open();
  const auto run = *machine_->start("a", "");
  gate_.await_arrivals(1);
  EXPECT_TRUE(harness_.manager().cancel(run, "stop"));
  std::jthread opener([&] { gate_.open(); });
  harness_.crash();
  open();
  EXPECT_EQ(harness_.ending(run), "cancelled: cancelled: stop");
  EXPECT_EQ(second_calls_, 0);
}

TEST_F(FaultTest, ShutdownStopsHandlersPersistsWhatTheyDidAndCountsNoError) {
  open();
  const auto run = *machine_->start("a", "");
  gate_.await_arrivals(1);
  EXPECT_TRUE(harness_.manager().shutdown(1h).stuck.empty());
  EXPECT_EQ(cause_, StopCause::kShutdown);
  EXPECT_EQ(machine_->start("b", "").error().kind(), ErrorKind::kUnavailable);
  harness_.close();
  gate_.open();
  open();
  EXPECT_EQ(machine_->wait(run), "fs");
  EXPECT_THAT(harness_.story(run), ElementsAre("started", "completed first", "completed second", "finished"));
}

TEST_F(FaultTest, AWaiterIsToldOfTheShutdown) {
  open();
  const auto run = *machine_->start("a", "");
  gate_.await_arrivals(1);
  std::optional<Result<std::string>> told;
  {
    const std::jthread waiter([&] { told = machine_->wait(run); });
    harness_.manager().shutdown(1h);
  }
  EXPECT_EQ(told->error().kind(), ErrorKind::kUnavailable);
}

TEST_F(FaultTest, FinishedRunsAreRemovedByAgeWhileOthersRun) {
  harness_.options().retention = {.max_age = 1h, .max_count = std::nullopt};
  open();
  gate_.open();
  const auto old = *machine_->start("old", "");
  EXPECT_TRUE(machine_->wait(old));
  harness_.clock.advance(2h);
  while (harness_.manager().run(old)) std::this_thread::yield();
  EXPECT_EQ(harness_.manager().wait(old).error().kind(), ErrorKind::kNotFound);
  EXPECT_TRUE(machine_->wait(*machine_->start("new", "")));
}

TEST_F(FaultTest, RemovingHistoryDoesNotTryWhatTheDiskHasJustRefused) {
  harness_.options().retention = {.max_age = 10ms, .max_count = std::nullopt};
  harness_.options().retention_interval = 40ms;
  open();
  gate_.open();
  const auto old = *machine_->start("old", "");
  EXPECT_TRUE(machine_->wait(old));
  std::atomic<int> commits = 0;
  harness_.store().before_commits([&] {
    if (++commits == 2) harness_.store().fail_next_commits(100, Error(ErrorKind::kNoSpace, "disk full"));
  });
  const auto held = *machine_->start("held", "");
  while (harness_.manager().metrics().value("fsm_held_back_writes") < 1) std::this_thread::yield();
  harness_.clock.advance(40ms);  // the time to remove, not yet to try again
  while (harness_.manager().run(old)) std::this_thread::yield();
  EXPECT_EQ(harness_.manager().metrics().value("fsm_failed_commits_count"), 1);
  harness_.store().fail_next_commits(0, Error(ErrorKind::kNoSpace, ""));
  harness_.clock.advance(1s);
  EXPECT_EQ(machine_->wait(held), "fs");
}

}  // namespace
}  // namespace slipway::fsm
