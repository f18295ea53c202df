#include "feeds/provider_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "feeds/testing/counting_provider.h"
#include "feeds/testing/table_view.h"
#include "sys/fault.h"
#include "sys/testing/manual_clock.h"
#include "sys/testing/temp_dir.h"

namespace slipway::feeds {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using enum ProviderState;

class ProviderMachineTest : public testing::Test {
 protected:
  ProviderMachineTest() { open(); }
  ~ProviderMachineTest() override { events_->close(); }

  void open() {
    machine_.reset();
    store_.reset();
    events_ = std::make_unique<EventQueue>(100'000);
    store_ = FeedStore::open(path_, clock_).value();
    machine_ = ProviderMachine::make(config_, std::make_unique<CountingProvider>(source_),
                                     {.store = *store_, .broker = broker_, .events = *events_, .clock = clock_})
                   .value();
  }
  // Until it has come to one of these.
  void await(std::initializer_list<ProviderState> states) {
    for (;;) {
      const auto now = machine_->state();
      for (const auto wanted : states) {
        if (now == wanted) return;
      }
      std::this_thread::yield();
    }
  }
  void start() {
    const auto started = machine_->start();
    ASSERT_TRUE(started) << started.error().message();
  }
  void finish() {
    start();
    await({kTerminated});
  }
  std::int64_t stored() { return tables_.number("SELECT count(*) FROM record"); }
  // All that were sent until this one, with it.
  std::vector<EventKind> events_until(EventKind last) {
    std::vector<EventKind> seen;
    do {
      seen.push_back(events_->take()->kind);
    } while (seen.back() != last);
    return seen;
  }
  // As a crash does: the state on disk is all that stays.
  void crash() {
    machine_->shut_down();
    open();
  }

  sys::TempDir folder_;
  const std::string path_ = folder_.file("feeds.db");
  TableView tables_{path_};
  sys::ManualClock clock_;
  PermitBroker broker_{4};
  ProviderConfig config_{.id = "cve", .type = "cve", .batch_size = 3, .max_retries = 2, .retry_delay = 5s};
  std::shared_ptr<CountingSource> source_ = std::make_shared<CountingSource>();
  std::unique_ptr<EventQueue> events_;
  std::unique_ptr<FeedStore> store_;
  std::unique_ptr<ProviderMachine> machine_;
};

TEST_F(ProviderMachineTest, FromStartToCompletionAllIsStoredOnce) {
  finish();
  const auto row = machine_->row();
  EXPECT_EQ(row.outcome, Outcome::kCompleted);
  EXPECT_EQ(row.processed, 10);
  EXPECT_EQ(row.checkpoint->urn, counted_urn(10).text());
  EXPECT_EQ(stored(), 10);
  EXPECT_THAT(events_until(EventKind::kProviderCompleted),
              ElementsAre(EventKind::kProviderStarted, EventKind::kQuotaGranted, EventKind::kProviderCompleted));
  while (broker_.status().free != 4) std::this_thread::yield();
}

TEST_F(ProviderMachineTest, EveryHundredItemsTellOfACheckpoint) {
  source_->items = 250;
  finish();
  EXPECT_THAT(events_until(EventKind::kProviderCompleted),
              ElementsAre(EventKind::kProviderStarted, EventKind::kQuotaGranted, EventKind::kCheckpoint,
                          EventKind::kCheckpoint, EventKind::kProviderCompleted));
}

TEST_F(ProviderMachineTest, AnUnchangedSourceIsNotReadAgain) {
  finish();
  const auto before = tables_.number("SELECT generation FROM provider");
  finish();
  EXPECT_EQ(machine_->row().instance, 2);
  EXPECT_EQ(machine_->row().outcome, Outcome::kCompleted);
  EXPECT_EQ(tables_.number("SELECT generation FROM provider"), before);
  source_->tag = "v2";
  source_->items = 9;
  finish();
  EXPECT_EQ(tables_.number("SELECT generation FROM provider"), before + 1);
  EXPECT_EQ(tables_.number("SELECT count(*) FROM record WHERE gone_since IS NOT NULL"), 1);
}

TEST_F(ProviderMachineTest, APauseTakesEffectAtTheEndOfTheItemAndKeepsIt) {
  source_->before = [&](int number, Intake&) -> Result<> {
    if (number == 5) {
      EXPECT_TRUE(machine_->pause());
    }
    return {};
  };
  start();
  await({kPaused});
  EXPECT_EQ(machine_->row().processed, 5);
  EXPECT_EQ(stored(), 5);
  source_->before = {};
  ASSERT_TRUE(machine_->resume());
  await({kTerminated});
  EXPECT_EQ(machine_->row().processed, 10);
  EXPECT_EQ(stored(), 10);
}

TEST_F(ProviderMachineTest, AStopKeepsWhatIsDoneAndARestartGoesOnBehindIt) {
  source_->before = [&](int number, Intake&) -> Result<> {
    if (number == 7) {
      EXPECT_TRUE(machine_->stop());
    }
    return {};
  };
  finish();
  EXPECT_EQ(machine_->row().outcome, Outcome::kStopped);
  EXPECT_EQ(stored(), 7);
  std::vector<int> again;
  source_->before = [&](int number, Intake&) -> Result<> {
    again.push_back(number);
    return {};
  };
  finish();
  EXPECT_THAT(again, ElementsAre(8, 9, 10));
  EXPECT_EQ(machine_->row().instance, 2);
  EXPECT_EQ(machine_->row().processed, 10);
}

TEST_F(ProviderMachineTest, RevokedPermitsAreGivenBackAtTheEndOfTheItem) {
  source_->before = [&](int number, Intake&) -> Result<> {
    if (number == 4) broker_.withhold(4);
    return {};
  };
  start();
  await({kWaitingQuota});
  EXPECT_EQ(machine_->row().processed, 4);
  EXPECT_EQ(broker_.status().holders.at(0).held, 0);
  source_->before = {};
  broker_.withhold(0);
  await({kTerminated});
  EXPECT_EQ(stored(), 10);
  EXPECT_THAT(events_until(EventKind::kProviderCompleted),
              ElementsAre(EventKind::kProviderStarted, EventKind::kQuotaGranted, EventKind::kQuotaRevoked,
                          EventKind::kQuotaGranted, EventKind::kProviderCompleted));
}

TEST_F(ProviderMachineTest, ASourceThatAsksForPatienceIsAskedAgainWhenTheTimeHasCome) {
  bool asked = false;
  source_->before = [&](int number, Intake& intake) -> Result<> {
    if (number != 6 || std::exchange(asked, true)) return {};
    return fail(intake.rate_limited(90s, "429"));
  };
  start();
  await({kWaitingBackoff});
  EXPECT_EQ(machine_->row().resume_at, clock_.now() + 90s);
  EXPECT_EQ(stored(), 5);
  clock_.await_sleepers(1);
  clock_.advance(89s);
  EXPECT_EQ(machine_->state(), kWaitingBackoff);
  clock_.await_sleepers(1);
  clock_.advance(1s);
  await({kTerminated});
  EXPECT_EQ(stored(), 10);
}

TEST_F(ProviderMachineTest, AFailureThatMayPassIsTriedAgainAndTheRetriesCountWithoutProgress) {
  source_->before = [&](int number, Intake&) -> Result<> {
    if (number == 3) return fail(ErrorKind::kUnavailable, "no answer");
    return {};
  };
  start();
  while (machine_->state() != kTerminated) {
    clock_.advance(5s);
    std::this_thread::yield();
  }
  EXPECT_EQ(machine_->row().outcome, Outcome::kFailed);
  EXPECT_EQ(machine_->row().error->message(), "no answer");
  EXPECT_EQ(source_->runs, 3);
  EXPECT_EQ(stored(), 2);
}

TEST_F(ProviderMachineTest, AFailureThatCannotPassIsTheEnd) {
  source_->before = [](int, Intake&) -> Result<> { return fail(ErrorKind::kCorrupt, "not JSON"); };
  finish();
  EXPECT_EQ(machine_->row().outcome, Outcome::kFailed);
  EXPECT_EQ(source_->runs, 1);
}

TEST_F(ProviderMachineTest, BadRecordsAreCountedAndTooManyAreTheEnd) {
  config_.max_bad_records = 2;
  open();
  source_->is_bad = [](int number) { return number % 4 == 0; };
  finish();
  EXPECT_EQ(machine_->row().outcome, Outcome::kCompleted);
  EXPECT_EQ(machine_->row().errors, 2);
  EXPECT_EQ(machine_->row().processed, 8);
  source_->tag = "v2";
  source_->is_bad = [](int number) { return number >= 5; };
  finish();
  EXPECT_EQ(machine_->row().outcome, Outcome::kFailed);
  EXPECT_THAT(machine_->row().error->message(), HasSubstr("3 records of cve are bad"));
  EXPECT_EQ(tables_.number("SELECT count(*) FROM record WHERE gone_since IS NOT NULL"), 0);
  EXPECT_EQ(stored(), 9);  // the fourth is good now
}

TEST_F(ProviderMachineTest, CommandsThatTheStateDoesNotAllowAreRefusedByName) {
  for (const auto& refused : {machine_->pause(), machine_->resume(), machine_->stop()}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind(), ErrorKind::kConflict);
    EXPECT_THAT(refused.error().message(), HasSubstr("IDLE"));
  }
  broker_.withhold(4);
  start();
  EXPECT_EQ(machine_->state(), kAcquiring);
  EXPECT_FALSE(machine_->start());
  EXPECT_FALSE(machine_->resume());
  ASSERT_TRUE(machine_->pause());
  EXPECT_EQ(machine_->state(), kPaused);
  EXPECT_FALSE(machine_->pause());
  ASSERT_TRUE(machine_->stop());
  EXPECT_EQ(machine_->state(), kTerminated);
  EXPECT_EQ(machine_->row().outcome, Outcome::kStopped);
  EXPECT_FALSE(machine_->stop());
}

TEST_F(ProviderMachineTest, AStateThatCannotBeWrittenStays) {
  const fault::Scope full("feeds.commit.before", {.error = {ErrorKind::kNoSpace, "disk full"}});
  const auto refused = machine_->start();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kNoSpace);
  EXPECT_EQ(machine_->state(), kIdle);
  EXPECT_THAT(tables_.texts("SELECT state FROM provider"), ElementsAre("IDLE"));
}

TEST_F(ProviderMachineTest, OneThatRanGoesOnBehindItsCheckpointInTheNextProcess) {
  source_->before = [&](int number, Intake&) -> Result<> {
    if (number == 6) broker_.withhold(4);  // any reason to look up
    return {};
  };
  start();
  await({kWaitingQuota});
  crash();
  EXPECT_EQ(machine_->state(), kWaitingQuota);
  source_->before = {};
  broker_.withhold(0);
  ASSERT_TRUE(machine_->recover());
  await({kTerminated});
  EXPECT_EQ(machine_->row().processed, 10);
  EXPECT_EQ(stored(), 10);
}

// Each saved state, as a process finds it.
class ProviderRecoveryTest : public ProviderMachineTest {
 protected:
  void find(ProviderState state) {
    machine_->shut_down();
    auto row = machine_->row();
    row.state = state;
    row.outcome.reset();
    if (state == kTerminated) row.outcome = Outcome::kStopped;
    if (state == kWaitingBackoff) row.resume_at = clock_.now() + 60s;
    ASSERT_TRUE(store_->save_state(row));
    open();
    const auto recovered = machine_->recover();
    ASSERT_TRUE(recovered) << recovered.error().message();
  }
};

TEST_F(ProviderRecoveryTest, RunningAndAcquiringAskForPermitsAgain) {
  for (const auto state : {kRunning, kAcquiring, kWaitingQuota}) {
    source_->tag += "+";
    find(state);
    await({kTerminated});
    EXPECT_EQ(machine_->row().outcome, Outcome::kCompleted);
  }
}

TEST_F(ProviderRecoveryTest, PausedStaysUntilItIsResumed) {
  find(kPaused);
  EXPECT_EQ(machine_->state(), kPaused);
  ASSERT_TRUE(machine_->resume());
  await({kTerminated});
}

TEST_F(ProviderRecoveryTest, TheRestOfABackoffsTimerRuns) {
  find(kWaitingBackoff);
  clock_.await_sleepers(1);
  clock_.advance(59s);
  EXPECT_EQ(machine_->state(), kWaitingBackoff);
  clock_.await_sleepers(1);
  clock_.advance(1s);
  await({kTerminated});
  EXPECT_EQ(machine_->row().outcome, Outcome::kCompleted);
}

TEST_F(ProviderRecoveryTest, TerminatedAndIdleAreLeftAlone) {
  find(kTerminated);
  EXPECT_EQ(machine_->state(), kTerminated);
  EXPECT_EQ(machine_->row().instance, 1);
  find(kIdle);
  EXPECT_EQ(machine_->state(), kIdle);
  EXPECT_EQ(source_->runs, 0);
}

}  // namespace
}  // namespace slipway::feeds
