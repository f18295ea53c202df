// Queues, delays, run-after and chains.
#include <atomic>
#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fsm/testing/manager_harness.h"

namespace slipway::fsm {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

class GatesTest : public testing::Test {
 protected:
  GatesTest() { harness_.options().queues = {{"narrow", 1}, {"wide", 3}}; }

  ManagerHarness::Setup holding_machine() {
    return [this](Manager& manager) {
      machine_ = *fsm::machine<std::string, std::string>("m")
                      .start("s",
                             [this](const Text& run) -> Outcome<std::string> {
                               {
                                 const std::scoped_lock lock(mutex_);
                                 order_.push_back(run.id());
                               }
                               if (!gate_->pass(run.stop())) return error(Error(ErrorKind::kCancelled, "stopped"));
                               return next(std::string("ok"));
                             })
                      .end("done")
                      .add_to(manager);
    };
  }
  std::vector<std::string> order() {
    const std::scoped_lock lock(mutex_);
    return order_;
  }

  std::unique_ptr<Gate> gate_ = std::make_unique<Gate>();
  std::mutex mutex_;
  std::vector<std::string> order_;
  std::optional<TextMachine> machine_;
  ManagerHarness harness_;
};

TEST_F(GatesTest, AQueueLetsInNoMoreThanItsLimit) {
  harness_.open(holding_machine());
  std::vector<RunVersion> runs;
  for (int i = 0; i < 10; ++i) runs.push_back(*machine_->start(std::to_string(i), "", {.queue = "wide"}));
  gate_->await_arrivals(3);
  EXPECT_EQ(harness_.manager().queues()[1].inflight, 3U);
  EXPECT_EQ(harness_.manager().queues()[1].waiting, 7U);
  gate_->open();
  for (const auto& run : runs) EXPECT_TRUE(machine_->wait(run));
  EXPECT_EQ(gate_->most_at_once(), 3);
}

TEST_F(GatesTest, AQueueIsFirstInFirstOutWithinAPriority) {
  harness_.open(holding_machine());
  std::vector<RunVersion> runs;
  const auto start = [&](const std::string& id, int priority) {
    runs.push_back(*machine_->start(id, "", {.queue = "narrow", .priority = priority}));
  };
  start("first", 0);
  gate_->await_arrivals(1);
  start("low", -1);
  start("a", 0);
  start("b", 0);
  start("high", 5);
  gate_->open();
  for (const auto& run : runs) EXPECT_TRUE(machine_->wait(run));
  EXPECT_THAT(order(), ElementsAre("first", "high", "a", "b", "low"));
}

TEST_F(GatesTest, QueueLimitsPrioritiesAndPlacesHoldAfterARestart) {
  harness_.open(holding_machine());
  std::vector<RunVersion> runs;
  const auto start = [&](const std::string& id, int priority) {
    runs.push_back(*machine_->start(id, "", {.queue = "narrow", .priority = priority}));
  };
  start("inside", 0);
  gate_->await_arrivals(1);
  start("low", -1);
  start("a", 0);
  start("high", 5);
  start("b", 0);
  harness_.crash();
  gate_ = std::make_unique<Gate>();
  order_.clear();
  harness_.clock.set(harness_.clock.now() - 1h);  // places do not depend on the clock
  EXPECT_EQ(harness_.open(holding_machine()).resumed, 5U);
  gate_->await_arrivals(1);
  start("late", 0);
  gate_->open();
  for (const auto& run : runs) EXPECT_TRUE(machine_->wait(run));
  // The one that was inside goes on first, though one of a higher priority waits.
  EXPECT_THAT(order(), ElementsAre("inside", "high", "a", "b", "late", "low"));
  EXPECT_EQ(gate_->most_at_once(), 1);
}

TEST_F(GatesTest, AnUnknownQueueIsAnErrorAtStartAndStartsNothing) {
  harness_.open(holding_machine());
  const auto refused = machine_->start("a", "", {.queue = "nowhere"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalid);
  EXPECT_THAT(refused.error().message(), HasSubstr("\"nowhere\""));
  EXPECT_TRUE(harness_.manager().runs({})->empty());
}

TEST_F(GatesTest, AStoredRunInAQueueThatIsGoneIsRefusedAtResume) {
  harness_.open(holding_machine());
  ASSERT_TRUE(machine_->start("a", "", {.queue = "narrow"}));
  harness_.crash();
  harness_.options().queues = {{"wide", 3}};
  const auto resumed = harness_.try_open(holding_machine());
  ASSERT_FALSE(resumed);
  EXPECT_THAT(resumed.error().message(), HasSubstr("narrow"));
}

TEST_F(GatesTest, QueuesThatCannotWorkAreRefusedAtOpen) {
  const auto open = [](std::vector<QueueLimit> queues) {
    return Manager::open(std::make_unique<MemoryRunStore>(), {.queues = std::move(queues)});
  };
  EXPECT_EQ(open({{"q", 0}}).error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(open({{"q", 1}, {"q", 1}}).error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(open({{"", 1}}).error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(open({{"q", 10'000}}).error().kind(), ErrorKind::kInvalid);
}

TEST_F(GatesTest, AHundredHandlersThatBlockDoNotKeepOthersFromRunning) {
  harness_.open(holding_machine());
  std::vector<RunVersion> runs;
  for (int i = 0; i < 100; ++i) runs.push_back(*machine_->start(std::to_string(i), ""));
  gate_->await_arrivals(100);  // all at once: no queue, no limit
  gate_->open();
  for (const auto& run : runs) EXPECT_TRUE(machine_->wait(run));
}

TEST_F(GatesTest, ARunThatBacksOffLeavesItsPlaceToTheNext) {
  std::atomic<int> tries = 0;
  std::optional<TextMachine> flaky;
  harness_.open([&](Manager& manager) {
    flaky = *fsm::machine<std::string, std::string>("flaky")
                 .start("s",
                        [&](const Text& run) -> Outcome<std::string> {
                          if (run.id() == "bad" && ++tries == 1) return error(Error(ErrorKind::kUnavailable, "no"));
                          return next(std::string("ok"));
                        },
                        {.retry = fixed(1, 1h)})
                 .end("done")
                 .add_to(manager);
  });
  const auto bad = *flaky->start("bad", "", {.queue = "narrow"});
  harness_.await(EventKind::kErrored);
  const auto good = *flaky->start("good", "", {.queue = "narrow"});
  EXPECT_TRUE(flaky->wait(good));
  harness_.clock.advance(1h);
  EXPECT_TRUE(flaky->wait(bad));
}

TEST_F(GatesTest, ADelayedRunStartsAtItsTimeAlsoAfterARestart) {
  gate_->open();
  harness_.open(holding_machine());
  const auto due = harness_.clock.now() + 10min;
  const auto soon = *machine_->start("soon", "", {.not_before = due});
  const auto later = *machine_->start("later", "", {.queue = "narrow", .not_before = due + 10min});
  EXPECT_EQ(name_of(harness_.manager().run(soon)->progress.state), "delayed");
  harness_.clock.advance(10min);
  EXPECT_TRUE(machine_->wait(soon));
  EXPECT_THAT(order(), ElementsAre("soon"));
  harness_.crash();
  harness_.open(holding_machine());
  EXPECT_THAT(order(), ElementsAre("soon"));
  harness_.clock.advance(10min);
  EXPECT_TRUE(machine_->wait(later));
}

class ChainTest : public testing::Test {
 protected:
  ManagerHarness::Setup chain() {
    return [this](Manager& manager) {
      before_ = *fsm::machine<std::string, std::string>("before")
                     .start("s",
                            [this](const Text& run) -> Outcome<std::string> {
                              gate_->pass(run.stop());
                              if (run.stop().stop_requested()) return error(Error(ErrorKind::kCancelled, "stopped"));
                              if (run.request() == "fail") return fsm::abort(Error(ErrorKind::kRejected, "bad"));
                              return next("from-" + run.id());
                            })
                     .end("done")
                     .add_to(manager);
      after_ =
          *fsm::machine<std::string, std::string>("after")
               .follows(*before_,
                        [](const std::string& handed_on, std::string given) { return given + "+" + handed_on; })
               .start("s",
                      [this](const Text& run) -> Outcome<std::string> {
                        ++after_calls_;
                        return next("saw " + run.request());
                      })
               .to("t",
                   [](const Text& run) -> Outcome<std::string> { return next(run.response() + "/" + run.request()); })
               .end("done")
               .add_to(manager);
    };
  }

  std::unique_ptr<Gate> gate_ = std::make_unique<Gate>();
  std::atomic<int> after_calls_ = 0;
  std::optional<TextMachine> before_;
  std::optional<TextMachine> after_;
  ManagerHarness harness_;
};

TEST_F(ChainTest, ARunAfterAnotherGetsItsResponse) {
  harness_.open(chain());
  const auto first = *before_->start("a", "");
  const auto second = *after_->start("a", "own", {.after = first});
  gate_->await_arrivals(1);
  EXPECT_EQ(name_of(harness_.manager().run(second)->progress.state), "following");
  EXPECT_EQ(after_calls_, 0);
  gate_->open();
  EXPECT_EQ(after_->wait(second), "saw own+from-a/own+from-a");
}

TEST_F(ChainTest, AChainSurvivesACrashBeforeTheHandOver) {
  harness_.open(chain());
  const auto first = *before_->start("a", "");
  const auto second = *after_->start("a", "own", {.after = first});
  gate_->await_arrivals(1);
  harness_.crash();
  gate_ = std::make_unique<Gate>();
  gate_->open();
  harness_.open(chain());
  EXPECT_EQ(after_->wait(second), "saw own+from-a/own+from-a");
}

TEST_F(ChainTest, AChainSurvivesACrashBetweenTheTwoMachines) {
  gate_->open();
  harness_.open(chain());
  const auto first = *before_->start("a", "");
  EXPECT_TRUE(before_->wait(first));
  const auto later = harness_.clock.now() + 1h;
  const auto second = *after_->start("a", "own", {.not_before = later, .after = first});
  harness_.crash();
  harness_.open(chain());
  EXPECT_EQ(after_calls_, 0);
  harness_.clock.advance(1h);
  // The resumed follower looks its predecessor up first; only then does its delay count.
  EXPECT_EQ(after_->wait(second), "saw own+from-a/own+from-a");
}

TEST_F(ChainTest, ARunAfterAFailedOneDoesNotStartUnlessAskedTo) {
  gate_->open();
  harness_.open(chain());
  const auto first = *before_->start("a", "fail");
  const auto second = *after_->start("b", "own", {.after = first});
  const auto anyway = *after_->start("c", "own", {.after = first, .after_any_ending = true});
  EXPECT_THAT(harness_.ending(second), HasSubstr("failed: run " + first.version.to_string() + " before it"));
  EXPECT_THAT(harness_.ending(second), HasSubstr("bad"));
  EXPECT_EQ(after_->wait(second).error().kind(), ErrorKind::kRejected);
  EXPECT_EQ(after_->wait(anyway), "saw own+/own+");
  EXPECT_EQ(after_calls_, 1);
  // The same when it has failed already.
  const auto third = *after_->start("d", "own", {.after = first});
  EXPECT_THAT(harness_.ending(third), HasSubstr("bad"));
  EXPECT_EQ(after_calls_, 1);
}

TEST_F(ChainTest, AFollowerWhoseEndIsDecidedRunsItsFinalizersAfterARestart) {
  Gate finalizing;
  std::optional<TextMachine> follower;
  const auto setup = [&](Manager& manager) {
    chain()(manager);
    follower = *fsm::machine<std::string, std::string>("follower")
                    .follows(*before_, [](const std::string&, std::string given) { return given; })
                    .start("s", [](const Text&) -> Outcome<std::string> { return next(std::string()); })
                    .end("done")
                    .finalizer([&](const Text& run, const Finishing&) -> Result<> {
                      if (!finalizing.pass(run.stop())) return fail(ErrorKind::kCancelled, "stopped");
                      return {};
                    })
                    .add_to(manager);
  };
  harness_.open(setup);
  const auto first = *before_->start("a", "fail");
  const auto waits_for_failure = *follower->start("f", "", {.after = first});
  const auto cancelled = *follower->start("c", "", {.after = first});
  gate_->await_arrivals(1);
  ASSERT_TRUE(harness_.manager().cancel(cancelled, "enough"));
  finalizing.await_arrivals(1);  // of the cancelled one, while the run before it is still under way
  gate_->open();
  finalizing.await_arrivals(2);
  harness_.crash();
  finalizing.open();
  harness_.open(setup);
  EXPECT_THAT(harness_.ending(waits_for_failure), HasSubstr("before it"));
  EXPECT_EQ(harness_.ending(cancelled), "cancelled: cancelled: enough");
}

TEST_F(ChainTest, ARunAfterAnUnknownOneIsRefused) {
  harness_.open(chain());
  EXPECT_EQ(after_->start("a", "", {.after = RunVersion(Ulid(1, 1))}).error().kind(), ErrorKind::kNotFound);
}

TEST_F(ChainTest, AMachineThatFollowsOneThatIsNotAddedIsRefused) {
  ManagerHarness other;
  const auto resumed = other.try_open([](Manager& manager) {
    const TextMachine elsewhere(manager, "elsewhere");
    const auto after = fsm::machine<std::string, std::string>("after")
                           .follows(elsewhere, [](const std::string&, std::string given) { return given; })
                           .start("s", [](const Text&) -> Outcome<std::string> { return next(std::string()); })
                           .end("done")
                           .add_to(manager);
    EXPECT_TRUE(after);
  });
  EXPECT_THAT(resumed.error().message(), HasSubstr("elsewhere"));
}

}  // namespace
}  // namespace slipway::fsm
