#include "fsm/decide.h"

#include <chrono>

#include <gtest/gtest.h>

namespace slipway::fsm {
namespace {

using namespace std::chrono_literals;

const TimePoint kNow = from_micros(1'000'000'000);

class DecideTest : public testing::Test {
 protected:
  DecideTest() {
    machine_.name = "m";
    const Handler nothing = [](const RunContext&, const Payload&) -> EncodedOutcome { return Next<std::string>{}; };
    machine_.transitions = {{"one", nothing, {}}, {"two", nothing, {.retry = exponential(2, 10s, 15s)}}};
    machine_.end = "done";
    plan_ = machine_.plan();
    progress_ = {.state = Running{}};
  }

  void at(std::uint32_t position) { progress_.position = position; }
  void with_finalizer() {
    machine_.finalizers.push_back([](const RunContext&, const Payload&, const Finishing&) -> Result<> { return {}; });
  }
  RunView view() const { return {machine_, plan_, progress_}; }
  Decision decide(EncodedOutcome outcome, Try tried = {.began = kNow - 2s, .ended = kNow}) {
    return on_outcome(view(), machine_.transitions[progress_.position], tried, std::move(outcome));
  }
  static Error bad() { return {ErrorKind::kIo, "bad"}; }

  Definition machine_;
  Plan plan_;
  Progress progress_;
};

TEST_F(DecideTest, NextMovesOnAndForgetsRetriesAndCrashes) {
  progress_.retries = 1;
  progress_.crashes = 2;
  const auto decision = decide(Next<std::string>{"r"});
  EXPECT_EQ(decision.progress, (Progress{.state = Running{}, .position = 1, .arrival = 1}));
  EXPECT_EQ(decision.response, "r");
  ASSERT_EQ(decision.events.size(), 1U);
  EXPECT_EQ(decision.events[0].kind, EventKind::kCompleted);
  EXPECT_EQ(decision.events[0].retry, 1U);
  EXPECT_EQ(decision.events[0].took, 2s);
}

TEST_F(DecideTest, TheLastCompletionAndTheEndAreOneDecision) {
  at(1);
  const auto decision = decide(Next<std::string>{"r"});
  EXPECT_EQ(decision.progress.state, RunState(Finished{Ending::kCompleted, std::nullopt, kNow}));
  ASSERT_EQ(decision.events.size(), 2U);
  EXPECT_EQ(decision.events[1].kind, EventKind::kFinished);
}

TEST_F(DecideTest, WithFinalizersTheEndIsDecidedButNotReached) {
  with_finalizer();
  at(1);
  const auto decision = decide(Next<std::string>{"r"});
  EXPECT_EQ(decision.progress.state, RunState(Finishing{Ending::kCompleted, std::nullopt}));
  EXPECT_EQ(decision.events.size(), 1U);

  progress_ = decision.progress;
  const auto finished = on_finalized(view(), {bad()}, kNow + 1s);
  EXPECT_EQ(finished.progress.state, RunState(Finished{Ending::kCompleted, std::nullopt, kNow + 1s}));
  ASSERT_EQ(finished.events.size(), 2U);
  EXPECT_EQ(finished.events[0].kind, EventKind::kFinalizerFailed);
}

TEST_F(DecideTest, AnErrorBacksOffLongerEachTimeUntilItsRetriesAreUsedUp) {
  at(1);
  progress_ = decide(Errored{bad()}).progress;
  EXPECT_EQ(progress_.state, RunState(BackingOff{kNow + 10s}));
  progress_ = decide(Errored{bad()}).progress;
  EXPECT_EQ(progress_.state, RunState(BackingOff{kNow + 15s}));  // capped
  progress_ = decide(Errored{bad()}).progress;
  ASSERT_TRUE(is_finished(progress_.state));
  EXPECT_EQ(std::get<Finished>(progress_.state).ending, Ending::kFailed);
  EXPECT_EQ(std::get<Finished>(progress_.state).error->kind(), ErrorKind::kIo);
}

TEST_F(DecideTest, ATimeoutOverridesWhateverTheHandlerReturned) {
  machine_.transitions[1].policy.timeout = 5s;
  at(1);
  const Try late{.began = kNow - 6s, .ended = kNow, .timed_out = true};
  const auto decision = decide(Next<std::string>{"too late"}, late);
  EXPECT_FALSE(decision.response);
  EXPECT_TRUE(std::holds_alternative<BackingOff>(decision.progress.state));
  EXPECT_EQ(decision.events[0].error->kind(), ErrorKind::kTimeout);
  EXPECT_EQ(status_of(late, Next<std::string>{}), TryStatus::kTimeout);
}

TEST_F(DecideTest, AClockThatWentBackGivesNoNegativeDuration) {
  const auto decision = decide(Next<std::string>{}, {.began = kNow + 1h, .ended = kNow});
  EXPECT_EQ(decision.events[0].took, 0s);
}

TEST_F(DecideTest, CrashesAreCountedAndTheRunIsParkedPastTheLimit) {
  at(1);
  progress_ = on_interrupted(view(), /*max_crash_resumes=*/1, kNow).progress;
  EXPECT_EQ(progress_.state, RunState(Running{}));
  EXPECT_EQ(progress_.crashes, 1U);
  const auto parked = on_interrupted(view(), /*max_crash_resumes=*/1, kNow);
  EXPECT_TRUE(std::holds_alternative<Parked>(parked.progress.state));
  progress_ = parked.progress;
  EXPECT_EQ(on_unparked(view(), kNow).progress, (Progress{.state = Running{}, .position = 1}));
}

TEST_F(DecideTest, FinalizersThatKillTheProcessAreGivenUpAndTheEndStays) {
  with_finalizer();
  progress_.position = 2;
  progress_.state = Finishing{Ending::kAborted, bad()};
  const auto decision = on_interrupted(view(), /*max_crash_resumes=*/0, kNow);
  EXPECT_EQ(decision.progress.state, RunState(Finished{Ending::kAborted, bad(), kNow}));
}

TEST_F(DecideTest, EveryUnknownTransitionUpToAKnownOneIsSkippedWithItsOwnEvent) {
  plan_.transitions = {"gone", "gone-too", "two"};
  machine_.on_unknown_transition = OnUnknownTransition::kSkip;
  const auto decision = on_unknown_transition(view(), kNow);
  EXPECT_EQ(decision.progress.position, 2U);
  ASSERT_EQ(decision.events.size(), 2U);
  EXPECT_EQ(decision.events[1].transition, "gone-too");
}

TEST_F(DecideTest, SkippingPastTheLastTransitionCompletesTheRun) {
  plan_.transitions = {"gone"};
  machine_.on_unknown_transition = OnUnknownTransition::kSkip;
  const auto decision = on_unknown_transition(view(), kNow);
  EXPECT_EQ(decision.progress.state, RunState(Finished{Ending::kCompleted, std::nullopt, kNow}));
}

TEST(RetryTest, JitterTakesUpToHalfOffAndNeverMore) {
  const Retry retry = fixed(3, 10s).with_jitter();
  EXPECT_EQ(retry.wait_before(1, 0.0), 10s);
  EXPECT_EQ(retry.wait_before(1, 0.5), 7500ms);
  EXPECT_GT(retry.wait_before(1, 0.999), 5s);
}

TEST(RetryTest, AnExponentialWaitNeverOverflows) {
  EXPECT_EQ(exponential(100'000, 0s, 60s).wait_before(100'000, 0.0), 0s);
  EXPECT_EQ(exponential(1000, 1s, 60s).wait_before(1000, 0.0), 60s);
  const Retry uncapped{.max_retries = 5000, .base = 1s, .factor = 10.0};
  EXPECT_EQ(uncapped.wait_before(5000, 0.0), std::chrono::hours(24 * 365));
}

}  // namespace
}  // namespace slipway::fsm
