// Outcomes, starts, waits and questions.
#include "fsm/manager.h"

#include <atomic>
#include <chrono>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fsm/testing/manager_harness.h"

namespace slipway::fsm {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

Outcome<std::string> append_name(const Text& run) { return next(run.response() + std::string(run.transition()) + ";"); }

class ManagerTest : public testing::Test {
 protected:
  // One machine "m": first, second, third.
  void open_with(auto first, auto second, TransitionPolicy policy = {}) {
    harness_.open([&](Manager& manager) {
      machine_ = *fsm::machine<std::string, std::string>("m")
                      .start("first", first, policy)
                      .to("second", second)
                      .to("third", append_name)
                      .end("done")
                      .add_to(manager);
    });
  }
  RunVersion start(std::string id = "a") { return *machine_->start(std::move(id), "request"); }

  ManagerHarness harness_;
  std::optional<Machine<std::string, std::string>> machine_;
};

TEST_F(ManagerTest, NextRunsEveryTransitionInOrderAndHandsTheResponseOn) {
  open_with(append_name, append_name);
  const auto run = start();
  EXPECT_EQ(machine_->wait(run), "first;second;third;");
  EXPECT_THAT(harness_.story(run),
              ElementsAre("started", "completed first", "completed second", "completed third", "finished"));
}

TEST_F(ManagerTest, GoToLeadsToALaterAnEarlierAndTheEndState) {
  std::atomic<int> calls = 0;
  open_with(
      [&](const Text& run) -> Outcome<std::string> {
        switch (++calls) {
          case 1: return go_to("third", run.response() + "1");
          default: return next(run.response() + "2");
        }
      },
      [](const Text& run) -> Outcome<std::string> { return go_to("done", run.response() + "s"); });
  EXPECT_EQ(machine_->wait(start("later")), "1third;");

  calls = 0;
  ManagerHarness back;
  std::optional<Machine<std::string, std::string>> looping;
  back.open([&](Manager& manager) {
    looping = *fsm::machine<std::string, std::string>("m")
                   .start("first", [](const Text& run) -> Outcome<std::string> { return next(run.response() + "f"); })
                   .to("second",
                       [&](const Text& run) -> Outcome<std::string> {
                         if (++calls < 3) return go_to("first", run.response());
                         return go_to("done", run.response());
                       })
                   .to("third", append_name)
                   .end("done")
                   .add_to(manager);
  });
  const auto run = *looping->start("a", "");
  EXPECT_EQ(looping->wait(run), "fff");
  EXPECT_EQ(back.manager().run(run)->progress.arrival, 6U);
}

TEST_F(ManagerTest, GoToAnUnknownStateFailsTheRunAndNamesIt) {
  open_with([](const Text&) -> Outcome<std::string> { return go_to("nowhere", std::string()); }, append_name);
  EXPECT_THAT(harness_.ending(start()), HasSubstr("go to nowhere"));
}

TEST_F(ManagerTest, HandoffCompletesTheRunAndSkipsTheRest) {
  open_with([](const Text&) -> Outcome<std::string> { return handoff(std::string("was there")); }, append_name);
  const auto run = start();
  EXPECT_EQ(machine_->wait(run), "was there");
  EXPECT_EQ(harness_.ending(run), "handed-off");
  EXPECT_THAT(harness_.story(run), ElementsAre("started", "completed first", "finished"));
}

TEST_F(ManagerTest, AbortEndsTheRunWithoutRetry) {
  std::atomic<int> calls = 0;
  open_with(
      [&](const Text&) -> Outcome<std::string> {
        ++calls;
        return fsm::abort(Error(ErrorKind::kRejected, "bad image"));
      },
      append_name, {.retry = fixed(5, 1s)});
  const auto run = start();
  EXPECT_EQ(harness_.ending(run), "aborted: transition first: bad image");
  EXPECT_EQ(machine_->wait(run).error().kind(), ErrorKind::kRejected);
  EXPECT_EQ(calls, 1);
}

TEST_F(ManagerTest, UnrecoverableFailsTheRunWithoutRetry) {
  std::atomic<int> calls = 0;
  open_with(
      [&](const Text&) -> Outcome<std::string> {
        ++calls;
        return unrecoverable(Error(ErrorKind::kCorrupt, "torn"), Blame::kUser);
      },
      append_name, {.retry = fixed(5, 1s)});
  EXPECT_EQ(harness_.ending(start()), "failed: transition first: torn");
  EXPECT_EQ(calls, 1);
}

TEST_F(ManagerTest, AnErrorIsRetriedAfterItsWaitAndTheCountIsSeen) {
  std::atomic<int> seen = -1;
  open_with(
      [&](const Text& run) -> Outcome<std::string> {
        seen = static_cast<int>(run.retry());
        if (run.retry() < 2) return Error(ErrorKind::kUnavailable, "not now").during("fetch");
        return next(std::string("got it;"));
      },
      append_name, {.retry = fixed(2, 10s)});
  const auto run = start();
  harness_.await(EventKind::kErrored);
  EXPECT_EQ(seen, 0);
  harness_.clock.advance(10s);
  harness_.await(EventKind::kErrored);
  EXPECT_EQ(seen, 1);
  harness_.clock.advance(10s);
  EXPECT_EQ(machine_->wait(run), "got it;second;third;");
  EXPECT_THAT(harness_.story(run), ElementsAre("started", "errored first", "errored first", "completed first",
                                               "completed second", "completed third", "finished"));
}

TEST_F(ManagerTest, RetriesEndAtTheirMaximumWithTheLastError) {
  std::atomic<int> calls = 0;
  open_with(
      [&](const Text&) -> Outcome<std::string> {
        return error(Error(ErrorKind::kUnavailable, fmt::format("no {}", ++calls)));
      },
      append_name, {.retry = fixed(2, 0s)});
  EXPECT_EQ(harness_.ending(start()), "failed: transition first, after 3 tries: no 3");
  EXPECT_EQ(calls, 3);
}

TEST_F(ManagerTest, AnExceptionIsAnErrorWithItsText) {
  open_with([](const Text&) -> Outcome<std::string> { throw std::runtime_error("boom"); }, append_name);
  EXPECT_EQ(harness_.ending(start("std")), "failed: transition first: exception: boom");
  open_with([](const Text&) -> Outcome<std::string> { throw 42; }, append_name);
  EXPECT_EQ(harness_.ending(start("other")), "failed: transition first: exception: of unknown type");
  EXPECT_EQ(harness_.manager().metrics().value("fsm_transition_count", {{"status", "error"}}), 1);
}

TEST_F(ManagerTest, ASecondStartOfAnActiveRunAnswersWithItsVersion) {
  Gate gate;
  open_with(
      [&](const Text& run) -> Outcome<std::string> {
        gate.pass(run.stop());
        return next(std::string());
      },
      append_name);
  const auto first = *machine_->start("a", "x");
  const auto second = *machine_->start("a", "y");
  EXPECT_FALSE(first.already_running);
  EXPECT_TRUE(second.already_running);
  EXPECT_EQ(first.version, second.version);
  gate.open();
  EXPECT_TRUE(machine_->wait(first));
  const auto third = *machine_->start("a", "z");
  EXPECT_FALSE(third.already_running);
  EXPECT_NE(third.version, first.version);
  EXPECT_TRUE(machine_->wait(third));
}

TEST_F(ManagerTest, IdsMatchExactlyAndMachinesAreApart) {
  Gate gate;
  const auto hold = [&](const Text& run) -> Outcome<std::string> {
    gate.pass(run.stop());
    return next(run.machine() + "/" + run.id());
  };
  std::optional<Machine<std::string, std::string>> other;
  harness_.open([&](Manager& manager) {
    machine_ = *fsm::machine<std::string, std::string>("m").start("s", hold).end("done").add_to(manager);
    other = *fsm::machine<std::string, std::string>("m2").start("s", hold).end("done").add_to(manager);
  });
  const auto a = *machine_->start("image", "");
  const auto prefix = *machine_->start("image-1", "");
  const auto upper = *machine_->start("Image", "");
  const auto elsewhere = *other->start("image", "");
  EXPECT_FALSE(prefix.already_running || upper.already_running || elsewhere.already_running);
  gate.open();
  EXPECT_EQ(machine_->wait(a), "m/image");
  EXPECT_EQ(machine_->wait(upper), "m/Image");
  EXPECT_EQ(machine_->wait_latest("image-1"), "m/image-1");
  EXPECT_EQ(other->wait_latest("image"), "m2/image");
  EXPECT_EQ(machine_->wait_latest("imag").error().kind(), ErrorKind::kNotFound);
  // A handle gives no run of another machine, though its type is the same.
  EXPECT_EQ(machine_->wait(elsewhere).error().kind(), ErrorKind::kNotFound);
}

TEST_F(ManagerTest, WaitingForAnUnknownVersionIsAnError) {
  open_with(append_name, append_name);
  EXPECT_EQ(harness_.manager().wait(RunVersion(Ulid(1, 2))).error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(harness_.manager().cancel(RunVersion(Ulid(1, 2)), "x").error().kind(), ErrorKind::kNotFound);
}

TEST_F(ManagerTest, AWaitEndsAtItsDeadlineAndLeavesTheRunAlone) {
  Gate gate;
  open_with(
      [&](const Text& run) -> Outcome<std::string> {
        gate.pass(run.stop());
        return next(std::string("late;"));
      },
      append_name);
  const auto run = start();
  gate.await_arrivals(1);
  EXPECT_EQ(machine_->wait(run, harness_.clock.now()).error().kind(), ErrorKind::kTimeout);
  gate.open();
  EXPECT_EQ(machine_->wait(run), "late;second;third;");
}

TEST_F(ManagerTest, RunsAreListedByWhatIsAskedAndChildrenByParent) {
  open_with(append_name, append_name);
  const auto parent = start("parent");
  const auto child = *machine_->start("child", "", {.parent = parent});
  EXPECT_TRUE(machine_->wait(parent) && machine_->wait(child));
  const auto children = *harness_.manager().children(parent);
  ASSERT_EQ(children.size(), 1U);
  EXPECT_EQ(children[0].spec.version, child.version);
  EXPECT_EQ(harness_.manager().runs({.phase = RunFilter::Phase::kFinished, .id = "parent"})->size(), 1U);
  EXPECT_TRUE(harness_.manager().runs({.phase = RunFilter::Phase::kActive})->empty());
  const auto machines = harness_.manager().machines();
  ASSERT_EQ(machines.size(), 1U);
  EXPECT_THAT(machines[0].transitions, ElementsAre("first", "second", "third"));
}

TEST_F(ManagerTest, HistoryHasTimesAndDurationsByTheClock) {
  open_with(
      [&](const Text&) -> Outcome<std::string> {
        harness_.clock.advance(3s);
        return next(std::string());
      },
      append_name);
  const auto run = start();
  EXPECT_TRUE(machine_->wait(run));
  const auto history = *harness_.manager().history(run);
  EXPECT_EQ(history[1].event.took, 3s);
  EXPECT_EQ(history[1].event.at - history[0].event.at, 3s);
}

TEST_F(ManagerTest, ManyStartsShareOneSyncAndEachHasItsAnswer) {
  open_with(append_name, append_name);
  std::vector<StartRequest> requests;
  for (int i = 0; i < 100; ++i) requests.push_back({.id = std::to_string(i)});
  requests.push_back({.id = "7"});
  requests.push_back({.id = ""});
  const auto answers = harness_.manager().start_all("m", std::move(requests));
  ASSERT_EQ(answers.size(), 102U);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(machine_->wait(*answers[static_cast<std::size_t>(i)]));
  EXPECT_TRUE(answers[100]->already_running);
  EXPECT_EQ(answers[100]->version, answers[7]->version);
  EXPECT_EQ(answers[101].error().kind(), ErrorKind::kInvalid);
}

TEST_F(ManagerTest, AnyBytesInIdsAndPayloadsComeBackOrAreRefused) {
  const std::string bytes("q'\"\0\xff\xfe\n", 7);
  open_with([](const Text& run) -> Outcome<std::string> { return handoff(run.id() + run.request()); }, append_name);
  EXPECT_EQ(machine_->wait(*machine_->start(bytes, bytes)), bytes + bytes);
  const std::string large(1 << 20, 'x');
  EXPECT_EQ(machine_->wait(*machine_->start("large", large)), "large" + large);
  EXPECT_EQ(machine_->start(std::string(1025, 'x'), "").error().kind(), ErrorKind::kInvalid);
}

TEST_F(ManagerTest, AnOverlargePayloadIsRefusedAtStartAndAsAResponse) {
  harness_.options().max_payload = 1000;
  open_with([](const Text&) -> Outcome<std::string> { return next(std::string(1001, 'x')); }, append_name);
  EXPECT_THAT(machine_->start("a", std::string(1001, 'x')).error().message(), HasSubstr("max_payload"));
  EXPECT_THAT(harness_.ending(start("b")), HasSubstr("max_payload"));
}

TEST_F(ManagerTest, UnusableDefinitionsAreRefused) {
  harness_.open([](Manager& manager) {
    const auto add = [&](const std::string& name, const std::string& first, const std::string& second) {
      return fsm::machine<std::string, std::string>(name)
          .start(first, append_name)
          .to(second, append_name)
          .end("done")
          .add_to(manager);
    };
    EXPECT_EQ(add("", "a", "b").error().kind(), ErrorKind::kInvalid);
    EXPECT_EQ(add("quo'te", "a", "b").error().kind(), ErrorKind::kInvalid);
    EXPECT_EQ(add(std::string("n\0l", 3), "a", "b").error().kind(), ErrorKind::kInvalid);
    EXPECT_EQ(add("m", "a", "a").error().kind(), ErrorKind::kInvalid);
    EXPECT_EQ(add("m", "a", "done").error().kind(), ErrorKind::kInvalid);
    EXPECT_TRUE(add("m", "a", "b"));
    EXPECT_EQ(add("m", "a", "b").error().kind(), ErrorKind::kAlreadyExists);
  });
}

TEST_F(ManagerTest, StartingBeforeResumeIsRefused) {
  auto manager = Manager::open(std::make_unique<MemoryRunStore>(), {.clock = &harness_.clock});
  EXPECT_THAT((*manager)->start("m", {.id = "a"}).error().message(), HasSubstr("resume()"));
}

struct Typed {
  std::string word;
  int number = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Typed, word, number)

TEST_F(ManagerTest, JsonThatCannotCarryAValueIsRefusedClearly) {
  std::optional<Machine<Typed, Typed>> typed;
  harness_.open([&](Manager& manager) {
    typed = *fsm::machine<Typed, Typed>("t")
                 .start("s",
                        [](const Context<Typed, Typed>& run) -> Outcome<Typed> {
                          Typed response = run.request();
                          if (response.number == 1) response.word = "\xff";
                          return next(response);
                        })
                 .end("done")
                 .add_to(manager);
  });
  EXPECT_EQ(typed->wait(*typed->start("good", {.word = "ü\"\n", .number = 7}))->word, "ü\"\n");
  EXPECT_EQ(typed->start("bad", {.word = "\xff"}).error().kind(), ErrorKind::kInvalid);
  EXPECT_THAT(typed->wait(*typed->start("bad-response", {.number = 1})).error().message(), HasSubstr("response"));
}

TEST_F(ManagerTest, InterceptorsWrapTransitionsAndTheFirstIsOutermost) {
  std::vector<std::string> trace;
  const auto wrap = [&](const std::string& name) {
    return [&trace, name](const RunContext& run, const std::function<EncodedOutcome()>& go_on) {
      trace.push_back(name + ">" + std::string(run.transition()));
      auto outcome = go_on();
      trace.push_back("<" + name);
      return outcome;
    };
  };
  harness_.options().interceptors = {wrap("outer")};
  harness_.open([&](Manager& manager) {
    machine_ = *fsm::machine<std::string, std::string>("m")
                    .start("s", append_name)
                    .end("done")
                    .interceptor(wrap("one"))
                    .interceptor(wrap("two"))
                    .add_to(manager);
  });
  EXPECT_TRUE(machine_->wait(start()));
  EXPECT_THAT(trace, ElementsAre("outer>s", "one>s", "two>s", "<two", "<one", "<outer"));
}

TEST_F(ManagerTest, ASubscriberSeesEverythingInOrderAndASlowOneIsToldWhatItMissed) {
  open_with(
      [](const Text& run) -> Outcome<std::string> {
        run.progress({.done = 3, .total = 10, .unit = "files"});
        return next(std::string());
      },
      append_name);
  auto live = harness_.manager().subscribe(100);
  auto slow = harness_.manager().subscribe(2);
  const auto run = start();
  EXPECT_TRUE(machine_->wait(run));
  std::vector<std::string> kinds;
  while (auto event = live.try_next()) {
    kinds.push_back(std::string(to_string(event->event.kind)) + " " + event->event.note);
    EXPECT_EQ(event->run, run);
  }
  EXPECT_THAT(kinds, ElementsAre("started ", "began ", "progress 3/10 files", "completed ", "began ", "completed ",
                                 "began ", "completed ", "finished "));
  EXPECT_EQ(slow.missed(), 7U);
}

TEST_F(ManagerTest, MetricsCountActionsTransitionsAndCommits) {
  open_with(append_name, append_name);
  EXPECT_TRUE(machine_->wait(start()));
  const auto metrics = harness_.manager().metrics();
  EXPECT_EQ(metrics.value("fsm_action_count", {{"action", "m"}, {"status", "completed"}}), 1);
  EXPECT_EQ(metrics.value("fsm_transition_count", {{"state", "second"}, {"status", "ok"}}), 1);
  const auto text = metrics.render();
  EXPECT_THAT(text,
              HasSubstr("fsm_transition_duration_seconds_bucket{action=\"m\",state=\"first\",resource=\"m\",status="
                        "\"ok\",le=\"0.0005\"} 1"));
  EXPECT_THAT(text, HasSubstr("# TYPE fsm_commit_batch_size histogram"));
}

}  // namespace
}  // namespace slipway::fsm
