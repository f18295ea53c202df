// What a restart finds: resumed runs, programs that changed, runs that take the process down.
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

Outcome<std::string> append_name(const Text& run) { return next(run.response() + std::string(run.transition()) + ";"); }

class ResumeTest : public testing::Test {
 protected:
  // first, hold (waits at the gate), last; each leaves a trace "id:transition".
  ManagerHarness::Setup tracing(const std::string& name = "m") {
    return [this, name](Manager& manager) {
      const auto trace = [this](const Text& run) -> Outcome<std::string> {
        {
          const std::scoped_lock lock(mutex_);
          trace_.push_back(run.id() + ":" + std::string(run.transition()) + (run.resumed() ? "(resumed)" : ""));
        }
        if (run.transition() == "hold" && !gate_->pass(run.stop())) {
          return error(Error(ErrorKind::kCancelled, "stopped"));
        }
        return next(run.response() + run.id() + "." + std::string(run.transition()) + ";");
      };
      machine_ = *fsm::machine<std::string, std::string>(name)
                      .start("first", trace)
                      .to("hold", trace)
                      .to("last", trace)
                      .end("done")
                      .add_to(manager);
    };
  }
  void reopen(const ManagerHarness::Setup& setup) {
    harness_.crash();
    gate_ = std::make_unique<Gate>();
    gate_->open();
    trace_.clear();
    harness_.open(setup);
  }

  std::unique_ptr<Gate> gate_ = std::make_unique<Gate>();
  std::mutex mutex_;
  std::vector<std::string> trace_;
  std::optional<TextMachine> machine_;
  ManagerHarness harness_;
};

TEST_F(ResumeTest, ACompletedTransitionNeverRunsAgainAndTheInterruptedOneDoes) {
  harness_.open(tracing());
  const auto run = *machine_->start("a", "");
  gate_->await_arrivals(1);
  reopen(tracing());
  EXPECT_EQ(machine_->wait(run), "a.first;a.hold;a.last;");
  EXPECT_THAT(trace_, ElementsAre("a:hold(resumed)", "a:last"));
  EXPECT_THAT(harness_.story(run), ElementsAre("started", "completed first", "interrupted hold", "completed hold",
                                               "completed last", "finished"));
}

TEST_F(ResumeTest, TwoRunsResumedTogetherNeverSeeEachOthersCompletedTransitions) {
  harness_.open(tracing());
  std::vector<RunVersion> runs;
  for (int i = 0; i < 20; ++i) runs.push_back(*machine_->start("r" + std::to_string(i), ""));
  gate_->await_arrivals(20);
  reopen(tracing());
  for (int i = 0; i < 20; ++i) {
    const std::string id = "r" + std::to_string(i);
    EXPECT_EQ(machine_->wait(runs[static_cast<std::size_t>(i)]), id + ".first;" + id + ".hold;" + id + ".last;");
  }
  EXPECT_EQ(trace_.size(), 40U);
}

TEST_F(ResumeTest, AHandlerNeverGetsARunOfAnotherMachineThoughIdsAndTypesAreAlike) {
  std::optional<TextMachine> one;
  std::optional<TextMachine> two;
  const auto both = [&](Manager& manager) {
    tracing("one")(manager);
    one = machine_;
    tracing("two")(manager);
    two = machine_;
  };
  harness_.open(both);
  const auto a = *one->start("same", "");
  const auto b = *two->start("same", "");
  gate_->await_arrivals(2);
  harness_.crash();
  gate_ = std::make_unique<Gate>();
  gate_->open();
  EXPECT_EQ(harness_.open(tracing("one")).orphaned, 1U);
  EXPECT_EQ(machine_->wait(a), "same.first;same.hold;same.last;");
  EXPECT_EQ(harness_.manager().wait(b).error().kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(harness_.manager().run(b)->progress.position, 1U);  // untouched
  reopen(both);
  EXPECT_EQ(two->wait(b), "same.first;same.hold;same.last;");
}

TEST_F(ResumeTest, WaitingForAFailedRunGivesItsFailureAlsoAfterARestart) {
  const auto failing = [this](Manager& manager) {
    machine_ = *fsm::machine<std::string, std::string>("m")
                    .start("s",
                           [](const Text&) -> Outcome<std::string> {
                             return fsm::abort(Error(ErrorKind::kRejected, "bad").with_hint("try another"));
                           })
                    .end("done")
                    .add_to(manager);
  };
  harness_.open(failing);
  const auto run = *machine_->start("a", "");
  const auto before = machine_->wait(run);
  harness_.crash();
  harness_.open(failing);
  const auto after = machine_->wait(run);
  EXPECT_EQ(before.error(), after.error());
  EXPECT_EQ(after.error().kind(), ErrorKind::kRejected);
  EXPECT_EQ(after.error().hint(), "try another");
  EXPECT_EQ(machine_->wait_latest("a").error(), before.error());
}

TEST_F(ResumeTest, RetryCountsSurviveARestartAndEndAtTheirMaximum) {
  std::atomic<int> calls = 0;
  const auto failing = [&](Manager& manager) {
    machine_ = *fsm::machine<std::string, std::string>("m")
                    .start("s",
                           [&](const Text& run) -> Outcome<std::string> {
                             EXPECT_EQ(run.retry(), static_cast<std::uint32_t>(calls.load()));
                             ++calls;
                             return error(Error(ErrorKind::kUnavailable, "no"));
                           },
                           {.retry = fixed(3, 1min)})
                    .end("done")
                    .add_to(manager);
  };
  harness_.open(failing);
  const auto run = *machine_->start("a", "");
  for (int i = 0; i < 3; ++i) {
    harness_.await(EventKind::kErrored);
    harness_.crash();
    harness_.open(failing);
    EXPECT_EQ(calls, i + 1);  // still waiting for its time
    harness_.clock.advance(1min);
  }
  EXPECT_EQ(harness_.ending(run), "failed: transition s, after 4 tries: no");
  EXPECT_EQ(calls, 4);
}

class ChangedProgramTest : public ResumeTest {
 protected:
  RunVersion start_old_program() {
    harness_.open(tracing());
    const auto run = *machine_->start("a", "");
    gate_->await_arrivals(1);
    return run;
  }
  ManagerHarness::Setup new_program(OnUnknownTransition what) {
    return [this, what](Manager& manager) {
      machine_ = *fsm::machine<std::string, std::string>("m")
                      .start("first", append_name)
                      .to("added", append_name)
                      .to("last", append_name)
                      .end("done")
                      .on_unknown_transition(what)
                      .add_to(manager);
    };
  }
};

TEST_F(ChangedProgramTest, AMissingTransitionIsSkippedWhereTheMachineSaysSo) {
  const auto run = start_old_program();
  reopen(new_program(OnUnknownTransition::kSkip));
  EXPECT_EQ(machine_->wait(run), "a.first;last;");  // by the run's own plan: what was added since is not for it
  EXPECT_THAT(harness_.story(run), ElementsAre("started", "completed first", "interrupted hold", "skipped hold",
                                               "completed last", "finished"));
}

TEST_F(ChangedProgramTest, AMissingTransitionIsRefusedByDefault) {
  const auto run = start_old_program();
  reopen(new_program(OnUnknownTransition::kFail));
  EXPECT_THAT(harness_.ending(run), HasSubstr("has no transition hold"));
  EXPECT_THAT(harness_.story(run),
              ElementsAre("started", "completed first", "interrupted hold", "refused hold", "finished"));
}

class ParkTest : public ResumeTest {
 protected:
  ParkTest() { harness_.options().max_crash_resumes = 2; }

  RunVersion crash_until_parked() {
    harness_.open(tracing());
    const auto run = *machine_->start("killer", "");
    gate_->await_arrivals(1);
    for (int crash = 1; crash <= 3; ++crash) {
      harness_.crash();
      gate_ = std::make_unique<Gate>();
      const auto report = harness_.open(tracing());
      EXPECT_EQ(report.parked, crash == 3 ? 1U : 0U);
      if (crash < 3) gate_->await_arrivals(1);
    }
    return run;
  }
};

TEST_F(ParkTest, ARunThatKillsTheProcessEachTimeIsParkedWithItsReason) {
  const auto run = crash_until_parked();
  EXPECT_EQ(gate_->arrivals(), 0);
  const auto waited = machine_->wait(run);
  EXPECT_EQ(waited.error().kind(), ErrorKind::kParked);
  EXPECT_THAT(waited.error().message(), HasSubstr("died inside hold 3 times in a row"));
  EXPECT_EQ(name_of(harness_.manager().run(run)->progress.state), "parked");
  EXPECT_TRUE(machine_->start("killer", "")->already_running);
  // It stays parked over further restarts, and nothing else suffers.
  harness_.crash();
  gate_->open();
  harness_.open(tracing());
  EXPECT_EQ(machine_->wait(run).error().kind(), ErrorKind::kParked);
  EXPECT_TRUE(machine_->wait(*machine_->start("innocent", "")));
}

TEST_F(ParkTest, AParkedRunCanBeResumedByHand) {
  const auto run = crash_until_parked();
  gate_->open();
  EXPECT_TRUE(harness_.manager().unpark(run));
  EXPECT_EQ(machine_->wait(run), "killer.first;killer.hold;killer.last;");
  EXPECT_EQ(harness_.manager().unpark(run).error().kind(), ErrorKind::kConflict);
}

TEST_F(ParkTest, AParkedRunCanBeCancelled) {
  const auto run = crash_until_parked();
  EXPECT_TRUE(harness_.manager().cancel(run, "enough"));
  EXPECT_EQ(harness_.ending(run), "cancelled: cancelled: enough");
}

TEST_F(ParkTest, AnOrderlyShutdownIsNoCrash) {
  harness_.open(tracing());
  const auto run = *machine_->start("a", "");
  for (int i = 0; i < 5; ++i) {
    gate_->await_arrivals(1);
    harness_.manager().shutdown(1h);
    harness_.close();
    gate_ = std::make_unique<Gate>();
    EXPECT_EQ(harness_.open(tracing()).parked, 0U);
  }
  gate_->open();
  EXPECT_EQ(machine_->wait(run), "a.first;a.hold;a.last;");
  EXPECT_THAT(harness_.story(run),
              ElementsAre("started", "completed first", "completed hold", "completed last", "finished"));
}

class FinalizerTest : public ResumeTest {
 protected:
  ManagerHarness::Setup finalizing(bool fail_transition) {
    return [this, fail_transition](Manager& manager) {
      machine_ =
          *fsm::machine<std::string, std::string>("m")
               .initializer([this](const Text&) -> Result<> {
                 ++initialized_;
                 return {};
               })
               .start("s",
                      [=](const Text&) -> Outcome<std::string> {
                        if (fail_transition) return fsm::abort(Error(ErrorKind::kRejected, "bad"));
                        return next(std::string("done"));
                      })
               .to("t", append_name)
               .end("done")
               .finalizer([this](const Text& run, const Finishing& end) -> Result<> {
                 const std::scoped_lock lock(mutex_);
                 trace_.push_back(std::string(to_string(end.ending)) + " " + run.response());
                 if (!gate_->pass(run.stop())) return fail(ErrorKind::kCancelled, "stopped");
                 return {};
               })
               .finalizer([](const Text&, const Finishing&) -> Result<> { throw std::runtime_error("in finalizer"); })
               .add_to(manager);
    };
  }
  std::atomic<int> initialized_ = 0;
};

TEST_F(FinalizerTest, FinalizersRunWhateverTheEndAndTheirErrorsChangeNothing) {
  gate_->open();
  harness_.open(finalizing(/*fail_transition=*/false));
  const auto good = *machine_->start("good", "");
  EXPECT_EQ(machine_->wait(good), "donet;");
  EXPECT_THAT(trace_, ElementsAre("completed donet;"));
  EXPECT_THAT(harness_.story(good),
              ElementsAre("started", "completed s", "completed t", "finalizer-failed", "finished"));
  EXPECT_EQ(initialized_, 1);  // once a process, not once a transition
  harness_.crash();
  trace_.clear();
  harness_.open(finalizing(/*fail_transition=*/true));
  EXPECT_EQ(harness_.ending(*machine_->start("bad", "")), "aborted: transition s: bad");
  EXPECT_THAT(trace_, ElementsAre("aborted "));
}

TEST_F(FinalizerTest, AFinalizerThatACrashCutOffRunsAgainAndTheEndStays) {
  harness_.open(finalizing(/*fail_transition=*/true));
  const auto run = *machine_->start("a", "");
  gate_->await_arrivals(1);
  EXPECT_EQ(harness_.manager().wait(run, harness_.clock.now()).error().kind(), ErrorKind::kTimeout);
  reopen(finalizing(/*fail_transition=*/false));
  EXPECT_EQ(harness_.ending(run), "aborted: transition s: bad");
  EXPECT_THAT(trace_, ElementsAre("aborted "));
}

TEST_F(FinalizerTest, InitializersRunAgainOnResume) {
  std::atomic<int> initialized = 0;
  const auto with_initializer = [&](Manager& manager) {
    machine_ = *fsm::machine<std::string, std::string>("m")
                    .initializer([&](const Text&) -> Result<> {
                      ++initialized;
                      return {};
                    })
                    .start("first", append_name)
                    .to("hold",
                        [this](const Text& run) -> Outcome<std::string> {
                          if (!gate_->pass(run.stop())) return error(Error(ErrorKind::kCancelled, ""));
                          return next(run.response());
                        })
                    .end("done")
                    .add_to(manager);
  };
  harness_.open(with_initializer);
  const auto run = *machine_->start("a", "");
  gate_->await_arrivals(1);
  EXPECT_EQ(initialized, 1);
  reopen(with_initializer);
  EXPECT_TRUE(machine_->wait(run));
  EXPECT_EQ(initialized, 2);
}

}  // namespace
}  // namespace slipway::fsm
