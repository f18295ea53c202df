#include "feeds/macro_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "feeds/testing/counting_provider.h"
#include "feeds/testing/table_view.h"
#include "sys/testing/manual_clock.h"
#include "sys/testing/temp_dir.h"

namespace slipway::feeds {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class MacroMachineTest : public testing::Test {
 protected:
  struct Part {
    std::string id;
    std::vector<std::string> needs{};
    std::shared_ptr<CountingSource> source = std::make_shared<CountingSource>();
  };

  MacroMachineTest() { store_ = FeedStore::open(folder_.file("feeds.db"), clock_).value(); }
  ~MacroMachineTest() override { macro_.reset(); }

  Result<> try_open(const std::vector<Part>& parts) {
    macro_.reset();
    std::vector<Registration> providers;
    for (const auto& part : parts) {
      sources_[part.id] = part.source;
      providers.push_back({{.id = part.id, .type = "count", .dependencies = part.needs},
                           std::make_unique<CountingProvider>(part.source)});
    }
    auto options = options_;
    options.clock = &clock_;
    options.listener = [this](const Event& event) {
      if (event.kind == EventKind::kProviderStarted) started_.push_back(event.provider);
    };
    auto opened = MacroMachine::open(*store_, std::move(providers), std::move(options));
    if (!opened) return fail(opened.error());
    macro_ = std::move(*opened);
    return {};
  }
  void open(const std::vector<Part>& parts) {
    const auto opened = try_open(parts);
    ASSERT_TRUE(opened) << opened.error().message();
  }
  void sync(const std::vector<std::string>& ids = {}) {
    const auto wanted = macro_->sync(ids);
    ASSERT_TRUE(wanted) << wanted.error().message();
    ASSERT_TRUE(macro_->await_rest({}));
  }
  ProviderStats of(const std::string& id) {
    for (auto& stats : macro_->providers()) {
      if (stats.row.id == id) return stats;
    }
    return {};
  }
  std::string on_disk() { return TableView(folder_.file("feeds.db")).texts("SELECT state FROM macro").at(0); }

  sys::TempDir folder_;
  sys::ManualClock clock_;
  MacroOptions options_;
  std::unique_ptr<FeedStore> store_;
  std::map<std::string, std::shared_ptr<CountingSource>> sources_;
  std::vector<std::string> started_;  // the listener's, until the machine is gone
  std::unique_ptr<MacroMachine> macro_;
};

TEST_F(MacroMachineTest, FromBootstrappingOverOrchestratingToStabilizingAndBack) {
  open({{"a"}, {"b"}});
  EXPECT_EQ(on_disk(), "BOOTSTRAPPING");
  auto source = sources_["a"];
  source->before = [&](int, Intake&) -> Result<> {
    EXPECT_EQ(on_disk(), "ORCHESTRATING");
    return {};
  };
  sync();
  macro_->shut_down();  // the last event has been heard
  EXPECT_EQ(on_disk(), "STABILIZING");
  source->tag = "v2";
  open({{"a", {}, source}, {"b"}});
  ASSERT_TRUE(macro_->recover());
  sync({"a"});
  EXPECT_EQ(source->runs, 2);
}

TEST_F(MacroMachineTest, WhatIsNeededIsCompleteBeforeWhatNeedsIt) {
  const auto cwe = std::make_shared<CountingSource>();
  const auto capec = std::make_shared<CountingSource>();
  capec->before = [&](int, Intake&) -> Result<> {
    EXPECT_EQ(of("cwe").row.outcome, Outcome::kCompleted);
    return {};
  };
  open({{"capec", {"cwe"}, capec}, {"cwe", {}, cwe}});
  sync({"capec"});
  EXPECT_EQ(of("capec").row.outcome, Outcome::kCompleted);
  macro_.reset();
  EXPECT_THAT(started_, ElementsAre("cwe", "capec"));
}

TEST_F(MacroMachineTest, ANeedThatFailedBlocksAndSaysWhy) {
  const auto cwe = std::make_shared<CountingSource>();
  cwe->before = [](int, Intake&) -> Result<> { return fail(ErrorKind::kCorrupt, "not XML"); };
  open({{"cwe", {}, cwe}, {"capec", {"cwe"}}, {"top", {"capec"}}});
  sync();
  EXPECT_EQ(of("cwe").row.outcome, Outcome::kFailed);
  EXPECT_EQ(of("capec").row.state, ProviderState::kIdle);
  EXPECT_THAT(of("capec").blocked, HasSubstr("it needs cwe, which failed: not XML"));
  EXPECT_THAT(of("top").blocked, HasSubstr("it needs capec"));
  EXPECT_EQ(sources_["capec"]->runs, 0);
  const auto alone = macro_->start("capec");
  ASSERT_FALSE(alone);
  EXPECT_THAT(alone.error().message(), HasSubstr("needs cwe"));
  cwe->before = {};
  sync();
  EXPECT_EQ(of("top").row.outcome, Outcome::kCompleted);
  EXPECT_EQ(of("capec").blocked, "");
}

TEST_F(MacroMachineTest, ANeedThatIsPausedBlocksInsteadOfKeepingEverybodyWaiting) {
  const auto cwe = std::make_shared<CountingSource>();
  cwe->before = [this](int, Intake&) -> Result<> {
    (void)macro_->pause("cwe");
    return {};
  };
  open({{"cwe", {}, cwe}, {"capec", {"cwe"}}});
  sync({"capec"});
  EXPECT_EQ(of("cwe").row.state, ProviderState::kPaused);
  EXPECT_THAT(of("capec").blocked, HasSubstr("it needs cwe, which is paused"));
  cwe->before = {};
  ASSERT_TRUE(macro_->resume("cwe"));
  sync({"capec"});
  EXPECT_EQ(of("capec").row.outcome, Outcome::kCompleted);
}

TEST_F(MacroMachineTest, ANeedThatFailedIsTriedAgainWithWhatNeedsIt) {
  const auto cwe = std::make_shared<CountingSource>();
  open({{"cwe", {}, cwe}, {"capec", {"cwe"}}});
  sync();
  cwe->tag = "v2";
  cwe->before = [](int, Intake&) -> Result<> { return fail(ErrorKind::kCorrupt, "not XML"); };
  sync({"cwe"});
  ASSERT_EQ(of("cwe").row.outcome, Outcome::kFailed);
  cwe->before = {};
  sync({"capec"});
  EXPECT_EQ(of("cwe").row.outcome, Outcome::kCompleted);
  EXPECT_EQ(of("capec").blocked, "");
}

TEST_F(MacroMachineTest, CyclesAndUnknownNeedsAreRefused) {
  const auto cycle = try_open({{"a", {"b"}}, {"b", {"a"}}});
  ASSERT_FALSE(cycle);
  EXPECT_THAT(cycle.error().message(), HasSubstr("b needs a needs b"));
  const auto unknown = try_open({{"a", {"nobody"}}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind(), ErrorKind::kNotFound);
  open({{"a"}});
  EXPECT_EQ(macro_->sync(std::vector<std::string>{"x"}).error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(macro_->pause("x").error().kind(), ErrorKind::kNotFound);
}

TEST_F(MacroMachineTest, ProvidersShareThePermits) {
  options_.permits = 1;
  std::atomic<int> working{0};
  std::vector<Part> parts;
  for (const char* id : {"a", "b", "c"}) {
    Part part{id};
    part.source->before = [&](int number, Intake&) -> Result<> {
      if (number == 1) {
        EXPECT_EQ(++working, 1);
      }
      if (number == 10) --working;
      return {};
    };
    parts.push_back(part);
  }
  open(parts);
  sync();
  for (const char* id : {"a", "b", "c"}) EXPECT_EQ(of(id).row.processed, 10) << id;
}

TEST_F(MacroMachineTest, UnderPressurePermitsAreWithheldAndGivenOutAgain) {
  std::atomic<double> pressure{99};
  options_.pressure = [&]() -> Result<Pressure> { return Pressure{.io = pressure}; };
  open({{"a"}});
  while (macro_->stats().permits.withheld != 9) {
    clock_.advance(options_.pressure_every);
    std::this_thread::yield();
  }
  pressure = 0;
  while (macro_->stats().permits.withheld != 0) {
    clock_.advance(options_.pressure_every);
    std::this_thread::yield();
  }
}

TEST_F(MacroMachineTest, WhatWasUnderWayGoesOnInTheNextProcess) {
  const auto source = std::make_shared<CountingSource>();
  source->before = [&](int number, Intake&) -> Result<> {
    if (number == 5) macro_->broker().withhold(10);
    return {};
  };
  open({{"a", {}, source}});
  ASSERT_TRUE(macro_->sync({}));
  while (of("a").row.state != ProviderState::kWaitingQuota) std::this_thread::yield();
  macro_.reset();
  EXPECT_EQ(on_disk(), "ORCHESTRATING");
  source->before = {};
  open({{"a", {}, source}});
  ASSERT_TRUE(macro_->recover());
  ASSERT_TRUE(macro_->await_rest({}));
  EXPECT_EQ(of("a").row.processed, 10);
  EXPECT_EQ(of("a").row.outcome, Outcome::kCompleted);
}

TEST_F(MacroMachineTest, AfterDrainingNothingStarts) {
  open({{"a"}});
  ASSERT_TRUE(macro_->drain());
  EXPECT_EQ(on_disk(), "DRAINING");
  EXPECT_EQ(macro_->start("a").error().kind(), ErrorKind::kConflict);
  EXPECT_EQ(macro_->sync({}).error().kind(), ErrorKind::kConflict);
  open({{"a"}});
  EXPECT_EQ(on_disk(), "BOOTSTRAPPING");
  sync();
  EXPECT_EQ(of("a").row.outcome, Outcome::kCompleted);
}

TEST_F(MacroMachineTest, StatisticsCountTheProvidersByState) {
  open({{"a"}, {"b"}});
  sync({"a"});
  const auto stats = macro_->stats();
  EXPECT_EQ(stats.providers, 2U);
  EXPECT_EQ(stats.by_state.at(ProviderState::kTerminated), 1U);
  EXPECT_EQ(stats.by_state.at(ProviderState::kIdle), 1U);
  EXPECT_EQ(stats.permits.slots, 10);
}

TEST_F(MacroMachineTest, AStopEndsTheWaitAndNotTheWork) {
  const auto source = std::make_shared<CountingSource>();
  std::stop_source stop;
  source->before = [&](int number, Intake&) -> Result<> {
    if (number == 3) stop.request_stop();
    return {};
  };
  open({{"a", {}, source}});
  ASSERT_TRUE(macro_->sync({}));
  (void)macro_->await_rest(stop.get_token());  // it may have been too quick
  ASSERT_TRUE(macro_->await_rest({}));
  EXPECT_EQ(of("a").row.outcome, Outcome::kCompleted);
}

}  // namespace
}  // namespace slipway::feeds
