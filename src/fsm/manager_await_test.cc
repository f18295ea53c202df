// A run that waits for another one in the middle of its way.
#include <atomic>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fsm/testing/manager_harness.h"

namespace slipway::fsm {
namespace {

using testing::ElementsAre;

// "whole" starts "part" as its child and awaits it; "part" waits at a gate, and fails when its request says so.
class AwaitTest : public testing::Test {
 protected:
  ManagerHarness::Setup machines() {
    return [this](Manager& manager) {
      part_ = *fsm::machine<std::string, std::string>("part")
                   .start("work",
                          [this](const Text& run) -> Outcome<std::string> {
                            if (!gate_.pass(run.stop())) return error(Error(ErrorKind::kCancelled, "stopped"));
                            if (run.request() == "bad") return abort(Error(ErrorKind::kRejected, "bad"));
                            return next("made " + run.id());
                          })
                   .end("done")
                   .add_to(manager);
      whole_ = *fsm::machine<std::string, std::string>("whole")
                    .start("begin", [this](const Text& run) { return begin(run); })
                    .to("collect", [this](const Text& run) { return collect(run); })
                    .end("done")
                    .add_to(manager);
    };
  }

  Outcome<std::string> begin(const Text& run) {
    const auto started = part_->start(run.id(), run.request(), {.parent = run.version()});
    if (!started) return error(started.error());
    return await(started->version, started->version.to_string());
  }

  Outcome<std::string> collect(const Text& run) {
    ++collected_;
    const auto part = part_->wait(*RunVersion::parse(run.response()), TimePoint::min());
    if (!part) return abort(part.error());
    return next("whole of " + *part);
  }

  // Until the parent is durably waiting.
  void await_awaiting(RunVersion whole) {
    while (name_of(harness_.manager().run(whole)->progress.state) != "awaiting") harness_.await(EventKind::kCompleted);
  }

  Gate gate_;
  std::atomic<int> collected_ = 0;
  std::optional<TextMachine> part_;
  std::optional<TextMachine> whole_;
  ManagerHarness harness_;
};

TEST_F(AwaitTest, TheNextTransitionBeginsWhenTheOtherRunHasEnded) {
  harness_.open(machines());
  const RunVersion whole = *whole_->start("x", "good");
  await_awaiting(whole);
  EXPECT_EQ(collected_, 0);
  gate_.open();
  EXPECT_EQ(whole_->wait(whole), "whole of made x");
  EXPECT_EQ(collected_, 1);
}

TEST_F(AwaitTest, ABadEndIsAnEndToo) {
  harness_.open(machines());
  const RunVersion whole = *whole_->start("x", "bad");
  gate_.open();
  EXPECT_EQ(harness_.ending(whole), "aborted: transition collect: transition work: bad");
}

TEST_F(AwaitTest, WaitingHoldsNoThread) {
  harness_.options().max_threads = 2;
  harness_.open(machines());
  std::vector<RunVersion> wholes;
  for (int i = 0; i < 20; ++i) wholes.push_back(*whole_->start(std::to_string(i), "good"));
  gate_.open();
  for (const auto& whole : wholes) EXPECT_TRUE(whole_->wait(whole));
}

TEST_F(AwaitTest, WaitingHoldsNoPlaceInAQueue) {
  harness_.options().queues = {{"narrow", 1}};
  harness_.open(machines());
  const RunVersion first = *whole_->start("a", "good", {.queue = "narrow"});
  await_awaiting(first);
  const RunVersion second = *whole_->start("b", "good", {.queue = "narrow"});
  await_awaiting(second);
  gate_.open();
  EXPECT_TRUE(whole_->wait(first));
  EXPECT_TRUE(whole_->wait(second));
}

TEST_F(AwaitTest, ARestartWaitsOn) {
  harness_.open(machines());
  const RunVersion whole = *whole_->start("x", "good");
  await_awaiting(whole);
  harness_.crash();
  harness_.open(machines());
  EXPECT_EQ(name_of(harness_.manager().run(whole)->progress.state), "awaiting");
  EXPECT_EQ(collected_, 0);
  gate_.open();
  EXPECT_EQ(whole_->wait(whole), "whole of made x");
  EXPECT_THAT(harness_.story(whole), ElementsAre("started", "completed begin", "completed collect", "finished"));
}

TEST_F(AwaitTest, ARunThatEndedBeforeIsNotWaitedFor) {
  gate_.open();
  harness_.open([this](Manager& manager) {
    machines()(manager);
    whole_ = *fsm::machine<std::string, std::string>("late")
                  .start("begin",
                         [this](const Text& run) -> Outcome<std::string> {
                           const auto part = *part_->start(run.id(), "good");
                           if (!part_->wait(part)) return error(Error(ErrorKind::kInternal, "part failed"));
                           return await(part.version, part.version.to_string());
                         })
                  .to("collect", [this](const Text& run) { return collect(run); })
                  .end("done")
                  .add_to(manager);
  });
  EXPECT_EQ(whole_->wait(*whole_->start("x", "")), "whole of made x");
}

TEST_F(AwaitTest, WhoAwaitsAParkedRunIsParkedWithItAndTakenUpWithIt) {
  harness_.options().max_crash_resumes = 0;
  harness_.open(machines());
  const RunVersion whole = *whole_->start("x", "good");
  await_awaiting(whole);
  gate_.await_arrivals(1);
  harness_.crash();
  harness_.open(machines());
  const auto waited = harness_.manager().wait(whole);
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().kind(), ErrorKind::kParked);
  EXPECT_THAT(waited.error().message(), testing::HasSubstr("is parked: the process died inside work"));
  EXPECT_EQ(collected_, 0);

  ASSERT_TRUE(harness_.manager().unpark(whole));
  EXPECT_EQ(harness_.manager().unpark(whole).error().kind(), ErrorKind::kConflict);
  gate_.open();
  EXPECT_EQ(harness_.ending(whole), "completed");
}

TEST_F(AwaitTest, ACancelEndsTheWait) {
  harness_.open(machines());
  const RunVersion whole = *whole_->start("x", "good");
  await_awaiting(whole);
  ASSERT_TRUE(harness_.manager().cancel(whole, "not wanted"));
  EXPECT_EQ(harness_.ending(whole), "cancelled: cancelled: not wanted");
  gate_.open();
  EXPECT_TRUE(part_->wait_latest("x"));
  EXPECT_EQ(collected_, 0);
}

}  // namespace
}  // namespace slipway::fsm
