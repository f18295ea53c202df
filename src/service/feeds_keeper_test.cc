#include "service/feeds_keeper.h"

#include <functional>
#include <future>
#include <mutex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "feeds/testing/counting_provider.h"
#include "service/owner_server.h"
#include "sys/testing/manual_clock.h"
#include "sys/testing/temp_dir.h"

namespace slipway::service {
namespace {

using namespace std::chrono_literals;
using feeds::Outcome;
using feeds::ProviderState;

TEST(FeedsRhythm, WhatIsDueFollowsFromHowItEnded) {
  const FeedsRhythm rhythm{.interval = 24h, .retry = 1h};
  const TimePoint then = from_micros(1'700'000'000'000'000);
  feeds::ProviderStats stats{.row = {.id = "a", .state = ProviderState::kIdle, .updated_at = then}};
  EXPECT_TRUE(is_due(stats, then, rhythm));
  stats.wanted = true;
  EXPECT_FALSE(is_due(stats, then, rhythm));
  stats.wanted = false;
  stats.row.completed_at = then;
  EXPECT_FALSE(is_due(stats, then + 23h, rhythm));
  EXPECT_TRUE(is_due(stats, then + 24h, rhythm));
  stats.row.state = ProviderState::kTerminated;
  stats.row.outcome = Outcome::kCompleted;
  EXPECT_FALSE(is_due(stats, then + 23h, rhythm));
  EXPECT_TRUE(is_due(stats, then + 24h, rhythm));
  stats.row.outcome = Outcome::kFailed;
  EXPECT_FALSE(is_due(stats, then + 59min, rhythm));
  EXPECT_TRUE(is_due(stats, then + 1h, rhythm));
  stats.row.outcome = Outcome::kStopped;
  EXPECT_FALSE(is_due(stats, then + 23h, rhythm));
  EXPECT_TRUE(is_due(stats, then + 24h, rhythm));
  stats.row.outcome.reset();
  for (const auto state : {ProviderState::kPaused, ProviderState::kRunning, ProviderState::kAcquiring,
                           ProviderState::kWaitingBackoff, ProviderState::kWaitingQuota}) {
    stats.row.state = state;
    EXPECT_FALSE(is_due(stats, then + 1000h, rhythm)) << feeds::to_string(state);
  }
}

class FeedsKeeperTest : public testing::Test {
 protected:
  Feeds feeds() {
    Feeds feeds;
    feeds.setup = {.database = folder_.file("feeds.db"),
                   .providers = [this]() -> Result<std::vector<feeds::Registration>> {
                     std::vector<feeds::Registration> all;
                     all.push_back({{.id = "a", .type = "count", .max_retries = 0},
                                    std::make_unique<feeds::CountingProvider>(source_)});
                     return all;
                   },
                   .options = {.clock = &clock_}};
    feeds.socket = socket_;
    feeds.log = Logger([this](LogLevel level, std::string_view message, std::span<const LogField>) {
      const std::scoped_lock lock(mutex_);
      if (level == LogLevel::kWarn) warnings_.emplace_back(message);
    });
    return feeds;
  }
  // Until its owner says so.
  feeds::ProviderRow await(const std::function<bool(const feeds::ProviderRow&)>& so) {
    for (;;) {
      const auto stats = ask_feeds(socket_);
      if (stats && so(stats->providers.at(0).row)) return stats->providers.at(0).row;
      std::this_thread::yield();
    }
  }
  // Until the keeper has looked at what is due and sleeps until its next look, a minute from now. The feeds' own
  // threads sleep on this clock, too.
  void await_look() { clock_.await_sleeper_until(clock_.now() + 1min); }
  std::vector<std::string> warnings() {
    const std::scoped_lock lock(mutex_);
    return warnings_;
  }

  sys::TempDir folder_;
  const std::filesystem::path socket_ = socket_beside(folder_.file("feeds.db"));
  sys::ManualClock clock_;
  std::shared_ptr<feeds::CountingSource> source_ = std::make_shared<feeds::CountingSource>();
  std::mutex mutex_;
  std::vector<std::string> warnings_;
};

bool is_completed(const feeds::ProviderRow& row) { return row.outcome == Outcome::kCompleted; }

TEST_F(FeedsKeeperTest, WhatIsDueIsSyncedAgainAndAgain) {
  const FeedsKeeper keeper(feeds(), {.interval = 24h, .look = 1min}, clock_);
  const auto first = await(is_completed);
  EXPECT_EQ(source_->runs, 1);
  await_look();
  clock_.advance(23h);
  await_look();
  EXPECT_EQ(source_->runs, 1);
  clock_.advance(1h + 1min);
  await([&](const feeds::ProviderRow& row) { return is_completed(row) && row.instance > first.instance; });
  EXPECT_EQ(source_->runs, 2);
}

TEST_F(FeedsKeeperTest, AFailureIsTriedAgainAfterAnHour) {
  source_->before = [](int, feeds::Intake&) -> Result<> { return fail(ErrorKind::kUnavailable, "the source is down"); };
  const FeedsKeeper keeper(feeds(), {.interval = 24h, .retry = 1h, .look = 1min}, clock_);
  await([](const feeds::ProviderRow& row) { return row.outcome == Outcome::kFailed; });
  await_look();
  clock_.advance(30min);
  await_look();
  EXPECT_EQ(source_->runs, 1);
  clock_.advance(31min);
  await([](const feeds::ProviderRow& row) { return row.instance == 2 && row.outcome == Outcome::kFailed; });
  EXPECT_EQ(source_->runs, 2);
}

TEST_F(FeedsKeeperTest, FeedsThatAnotherProcessHasAreTakenOverWhenThatIsOver) {
  auto other = FeedsOwner::open(feeds().setup).value();
  const FeedsKeeper keeper(feeds(), {.look = 1min}, clock_);
  await_look();
  EXPECT_EQ(warnings().size(), 1);
  clock_.advance(1min);
  await_look();
  EXPECT_EQ(warnings().size(), 1);  // the same is not said twice
  other.reset();
  clock_.advance(1min);
  await(is_completed);
}

TEST_F(FeedsKeeperTest, WhenItGoesWhatIsUnderWayIsLeftForTheNext) {
  std::promise<void> there;
  source_->before = [&](int number, feeds::Intake& intake) -> Result<> {
    if (number != 3) return {};
    there.set_value();
    while (!intake.stop().stop_requested()) std::this_thread::yield();
    return fail(ErrorKind::kCancelled, "stopped");
  };
  {
    const FeedsKeeper keeper(feeds(), {}, clock_);
    there.get_future().get();
  }
  source_->before = {};
  const FeedsKeeper next(feeds(), {}, clock_);
  EXPECT_EQ(await(is_completed).instance, 1);
  EXPECT_EQ(source_->runs, 2);
}

}  // namespace
}  // namespace slipway::service
