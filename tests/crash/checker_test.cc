// That the checker can fail: a good story passes, and each way to break a promise is seen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checker_fixture.h"

namespace slipway::crash {
namespace {

using fsm::EventKind;
using testing::IsEmpty;
using Kind = Record::Kind;

TEST_F(CheckerTest, ARunThatIsInterruptedResumedAndFollowedIsGood) {
  die_in_second_try();
  store_run(0, 3);
  run_try(0, 1, /*resumed=*/true);
  run_try(0, 2);
  ack(0);
  ack(2);
  store_run(2, 2);
  run_try(2, 0);
  run_try(2, 1);
  ack(1);
  store_run(1, 3);
  for (std::size_t i = 0; i < 3; ++i) run_try(1, i);
  die();
  checker_.after_all();
  EXPECT_THAT(checker_.violations(), IsEmpty());
}

TEST_F(CheckerTest, AnOutcomeThatCameTooLateForTheDiskMayRunAgain) {
  die_in_second_try();
  store_run(0, 1);
  run_try(0, 1, /*resumed=*/true);
  die();
  store_run(0, 2);
  run_try(0, 1, /*resumed=*/true);
  die();
  EXPECT_THAT(checker_.violations(), IsEmpty());
}

TEST_F(CheckerTest, SeesALostStart) {
  ack(0);
  die();
  expect_violation("was acknowledged, and is lost");
}

TEST_F(CheckerTest, SeesARunThatVanishes) {
  die_in_second_try();
  store_.clear();
  die();
  expect_violation("was in the store, and is lost");
}

TEST_F(CheckerTest, SeesASecondStart) {
  die_in_second_try();
  store_run(0, 1);
  store_[version(7)] = store_.at(version(0));
  die();
  expect_violation("was started a second time");
}

TEST_F(CheckerTest, SeesACompletedTransitionThatRunsAgain) {
  store_run(0, 2);
  ack(0);
  run_try(0, 0);
  run_try(0, 1);
  die();
  run_try(0, 1, /*resumed=*/true);
  die();
  expect_violation("ran again, and its outcome was on disk");
}

TEST_F(CheckerTest, SeesAnInterruptedTransitionThatIsPassedOver) {
  die_in_second_try();
  store_run(0, 2);
  run_try(0, 2, /*resumed=*/true, /*returns=*/false);
  die();
  expect_violation("was passed over");
}

TEST_F(CheckerTest, SeesAnInterruptedTransitionThatNeverRunsAgain) {
  die_in_second_try();
  checker_.after_all();
  expect_violation("has not ended");
}

TEST_F(CheckerTest, SeesAHandlerThatRunsOnAStateThatIsNotOnDisk) {
  store_run(0, 0);
  ack(0);
  run_try(0, 0);
  run_try(0, 1);
  die();
  expect_violation("only 0 outcomes are on disk");
}

TEST_F(CheckerTest, SeesACompletionThatNoHandlerMade) {
  die_in_second_try();
  store_run(0, 2);
  die();
  expect_violation("handlers that did not run");
}

TEST_F(CheckerTest, SeesAnotherResponse) {
  store_run(0, 2).record.response = "another";
  ack(0);
  run_try(0, 0);
  run_try(0, 1);
  die();
  expect_violation("not that of its last completion");
}

TEST_F(CheckerTest, SeesAHandlerThatIsGivenAnOlderResponse) {
  store_run(0, 2);
  ack(0);
  run_try(0, 0);
  run_try(0, 1);
  run_try(0, 2, /*resumed=*/false, /*returns=*/false).response = digest_of("");
  die();
  expect_violation("got another response");
}

TEST_F(CheckerTest, SeesAHoleInTheEvents) {
  store_run(0, 1).history.back().seq = 3;
  ack(0);
  run_try(0, 0);
  die();
  expect_violation("have a hole");
}

TEST_F(CheckerTest, SeesHistoryThatChanges) {
  die_in_second_try();
  store_run(0, 1).history[1].event.note = "another";
  die();
  expect_violation("has changed or gone");
}

TEST_F(CheckerTest, SeesARetryTooMany) {
  auto& run = store_run(0, 1);
  add_event(0, {.kind = EventKind::kErrored, .transition = "t0", .retry = 1});
  run.record.progress.retries = 2;
  ack(0);
  run_try(0, 0);
  run_try(0, 1);
  die();
  expect_violation("is on disk as errored t0 retry 1, and was completed t0 retry 1");
}

TEST_F(CheckerTest, SeesARetryCountThatIsForgotten) {
  die_in_second_try();
  run_try(0, 0, /*resumed=*/true, /*returns=*/false);
  die();
  expect_violation("t0 (try 0) ran again");
}

TEST_F(CheckerTest, SeesALostCancel) {
  store_run(0, 0);
  ack(0);
  life_.push_back({.kind = Kind::kCancelAck, .version = version(0)});
  die();
  expect_violation("its cancel was acknowledged, and is lost");
}

TEST_F(CheckerTest, SeesARunThatGoesOnAfterItsCancel) {
  store_run(0, 0);
  ack(0);
  add_event(0, {.kind = EventKind::kCancelRequested});
  die();
  run_try(0, 0, /*resumed=*/true, /*returns=*/false);
  die();
  expect_violation("began after the cancel was on disk");
}

TEST_F(CheckerTest, SeesAFollowerThatBeginsTooEarly) {
  store_run(0, 1);
  store_run(2, 0);
  ack(0);
  ack(2);
  run_try(0, 0);
  run_try(2, 0, /*resumed=*/false, /*returns=*/false);
  die();
  expect_violation("began before the run it follows had ended");
}

TEST_F(CheckerTest, SeesAFollowerOfAFailedRunThatBegins) {
  scenario_.runs[0].tries.resize(1);
  scenario_.runs[0].ending = fsm::Ending::kFailed;
  store_run(0, 1);
  store_run(2, 0);
  ack(0);
  ack(2);
  run_try(0, 0);
  run_try(2, 0, /*resumed=*/false, /*returns=*/false);
  die();
  expect_violation("began, though the run it follows ended badly");
}

TEST_F(CheckerTest, SeesAFollowerThatIsHandedAnotherResponse) {
  store_run(0, 3);
  store_run(2, 0);
  ack(0);
  ack(2);
  for (std::size_t i = 0; i < 3; ++i) run_try(0, i);
  run_try(2, 0, /*resumed=*/false, /*returns=*/false).request =
      digest_of(taken_over(given_request(scenario_.runs[2]), ""));
  die();
  expect_violation("got another request");
}

TEST_F(CheckerTest, SeesMoreRunsInAQueueThanItsLimit) {
  store_run(0, 1);
  store_run(1, 0);
  ack(0);
  ack(1);
  run_try(0, 0);
  run_try(0, 1, /*resumed=*/false, /*returns=*/false);
  run_try(1, 0, /*resumed=*/false, /*returns=*/false);
  die();
  expect_violation("is number 2 in q, which has 1 places");
}

TEST_F(CheckerTest, SeesARunThatBeginsBeforeOneThatStoodBeforeItInTheQueue) {
  store_run(0, 0);
  store_run(1, 0);
  ack(0);
  ack(1);
  run_try(1, 0, /*resumed=*/false, /*returns=*/false);
  die();
  expect_violation("began in q before 1 runs that stood before it");
}

TEST_F(CheckerTest, SeesAPriorityThatIsForgottenAtARestart) {
  scenario_.runs[1].priority = 1;
  store_run(0, 0).record.progress.state = fsm::Queued{};
  auto& preferred = store_run(1, 0).record;
  preferred.progress.state = fsm::Queued{};
  preferred.spec.priority = 1;
  ack(0);
  ack(1);
  die();
  run_try(0, 0, /*resumed=*/true, /*returns=*/false);
  die();
  expect_violation("began in q before 1 runs that stood before it");
}

TEST_F(CheckerTest, SeesAnEndThatIsNotTheModels) {
  auto& run = store_run(0, 3);
  run.history.back().event.ending = fsm::Ending::kHandedOff;
  ack(0);
  for (std::size_t i = 0; i < 3; ++i) run_try(0, i);
  die();
  expect_violation("ended handed-off after 3 of 3 tries");
}

TEST_F(CheckerTest, SeesAFinalizerThatIsLeftOut) {
  scenario_.machines[0].has_finalizer = true;
  store_run(0, 3);
  ack(0);
  for (std::size_t i = 0; i < 3; ++i) run_try(0, i);
  die();
  expect_violation("ended without its finalizer");
}

TEST_F(CheckerTest, SeesAResumeWithoutItsInitializer) {
  scenario_.machines[0].has_initializer = true;
  store_run(0, 0);
  ack(0);
  die();
  run_try(0, 0, /*resumed=*/true, /*returns=*/false);
  die();
  expect_violation("began after 0 initializers");
}

}  // namespace
}  // namespace slipway::crash
