#include "objects/throttle.h"

#include <functional>
#include <future>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "sys/testing/manual_clock.h"

namespace slipway::objects {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr TimePoint kStart = from_micros(1'700'000'000'000'000);

constexpr ThrottlePolicy kPolicy{
    .most = 8, .first_delay = milliseconds(100), .longest_delay = seconds(1), .longest_retry_after = seconds(30)};

// Starts `count` requests at `now`, and says how many were let through.
int start(ThrottleCore& core, int count, TimePoint now) {
  int through = 0;
  for (int i = 0; i < count; ++i) through += core.try_start(now) ? 1 : 0;
  return through;
}

TEST(ThrottleCoreTest, LetsItsLimitThrough) {
  ThrottleCore core(kPolicy);
  EXPECT_EQ(start(core, 20, kStart), 8);
  core.finish(Answered::kWell, kStart, kStart, std::nullopt, 0);
  EXPECT_EQ(start(core, 20, kStart), 1);
}

TEST(ThrottleCoreTest, AComplaintHalvesTheLimitOnceForAllThatWereUnderWay) {
  ThrottleCore core(kPolicy);
  ASSERT_EQ(start(core, 8, kStart), 8);
  const TimePoint later = kStart + seconds(1);
  for (int i = 0; i < 8; ++i) core.finish(Answered::kSlowDown, kStart, later, std::nullopt, 0.5);
  EXPECT_EQ(core.limit(), 4);
  EXPECT_EQ(core.under_way(), 0);
}

TEST(ThrottleCoreTest, NothingStartsUntilTheDelayIsOver) {
  ThrottleCore core(kPolicy);
  ASSERT_TRUE(core.try_start(kStart));
  core.finish(Answered::kSlowDown, kStart, kStart, std::nullopt, 1.0);
  EXPECT_FALSE(core.try_start(kStart + milliseconds(99)));
  EXPECT_EQ(core.due(), kStart + milliseconds(100));
  EXPECT_TRUE(core.try_start(kStart + milliseconds(100)));
}

TEST(ThrottleCoreTest, DelaysGrowWithEachRoundUpToTheLongest) {
  ThrottleCore core(kPolicy);
  TimePoint now = kStart;
  std::vector<Duration> delays;
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(core.try_start(now));
    core.finish(Answered::kSlowDown, now, now + Duration(1), std::nullopt, 1.0);
    delays.push_back(core.due() - now - Duration(1));
    now = core.due();
  }
  EXPECT_EQ(delays, (std::vector<Duration>{milliseconds(100), milliseconds(200), milliseconds(400), milliseconds(800),
                                           seconds(1), seconds(1)}));
  EXPECT_EQ(core.limit(), 1);  // and never less: somebody must find out when it is over
}

TEST(ThrottleCoreTest, RetryAfterIsHonouredAndCapped) {
  ThrottleCore core(kPolicy);
  ASSERT_EQ(start(core, 2, kStart), 2);
  core.finish(Answered::kSlowDown, kStart, kStart, seconds(7), 0);
  EXPECT_EQ(core.due(), kStart + seconds(7));
  core.finish(Answered::kSlowDown, kStart, kStart, seconds(86'400), 0);
  EXPECT_EQ(core.due(), kStart + seconds(30));
}

TEST(ThrottleCoreTest, RecoversByOneForEachRoundOfGoodAnswers) {
  ThrottleCore core(kPolicy);
  ASSERT_TRUE(core.try_start(kStart));
  core.finish(Answered::kSlowDown, kStart, kStart, std::nullopt, 0);
  ASSERT_EQ(core.limit(), 4);
  const TimePoint now = kStart + seconds(1);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(core.try_start(now));
    core.finish(Answered::kWell, now, now, std::nullopt, 0);
  }
  EXPECT_GT(core.limit(), 5.0);
  EXPECT_LT(core.limit(), 5.5);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(core.try_start(now));
    core.finish(Answered::kWell, now, now, std::nullopt, 0);
  }
  EXPECT_EQ(core.limit(), 8);
}

TEST(ThrottleCoreTest, NoAnswerChangesNothing) {
  ThrottleCore core(kPolicy);
  ASSERT_TRUE(core.try_start(kStart));
  core.finish(Answered::kNotAtAll, kStart, kStart, std::nullopt, 0);
  EXPECT_EQ(core.limit(), 8);
  EXPECT_EQ(core.under_way(), 0);
}

TEST(RetryAfterTest, SecondsAndDates) {
  EXPECT_EQ(parse_retry_after("120", kStart), seconds(120));
  EXPECT_EQ(parse_retry_after("Tue, 14 Nov 2023 22:13:50 GMT", kStart), seconds(30));
  EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", kStart), seconds(0));
  for (const char* text : {"", "-1", "1.5", "soon", "99999999999999999999"}) {
    EXPECT_EQ(parse_retry_after(text, kStart), std::nullopt) << text;
  }
}

TEST(ThrottleTest, WaitsByItsClock) {
  sys::ManualClock clock;
  Throttle throttle(clock, kPolicy, [] { return 0.999; });
  {
    auto permit = throttle.acquire({});
    ASSERT_TRUE(permit);
    permit->finish(Answered::kSlowDown, seconds(5));
  }
  TimePoint got{};
  std::jthread waiter([&] {
    auto permit = throttle.acquire({});
    got = clock.now();
    ASSERT_TRUE(permit);
    permit->finish(Answered::kWell, std::nullopt);
  });
  clock.await_sleepers(1);
  clock.advance(seconds(5));
  waiter.join();
  EXPECT_EQ(got, kStart + seconds(5));
}

TEST(ThrottleTest, APlaceThatComesFreeIsTaken) {
  sys::ManualClock clock;
  Throttle throttle(clock, {.most = 1});
  std::optional<Throttle::Permit> held(*throttle.acquire({}));
  std::jthread waiter([&] { EXPECT_TRUE(throttle.acquire({})); });
  clock.await_sleepers(1);
  held.reset();
}

TEST(ThrottleTest, AStopEndsTheWait) {
  sys::ManualClock clock;
  Throttle throttle(clock, {.most = 1});
  const auto held = throttle.acquire({});
  std::stop_source stop;
  std::optional<ErrorKind> kind;
  std::optional<ErrorKind> pause_kind;
  std::jthread waiter([&] { kind = throttle.acquire(stop.get_token()).error().kind(); });
  std::jthread pauser([&] { pause_kind = throttle.pause(std::chrono::hours(1), stop.get_token()).error().kind(); });
  clock.await_sleepers(2);
  stop.request_stop();
  waiter.join();
  pauser.join();
  EXPECT_EQ(kind, ErrorKind::kCancelled);
  EXPECT_EQ(pause_kind, ErrorKind::kCancelled);
}

TEST(ThrottleTest, OneForEachEndpoint) {
  sys::ManualClock clock;
  EndpointThrottles all(clock);
  EXPECT_EQ(all.of("https://a"), all.of("https://a"));
  EXPECT_NE(all.of("https://a"), all.of("https://b"));
}

// The clock stands still: only the stop can end the wait.
TEST(ThrottleTest, AStopEndsTheWaitWhileTheServerWantsPatience) {
  sys::ManualClock clock;
  Throttle throttle(clock, kPolicy);
  throttle.acquire({})->finish(Answered::kSlowDown, seconds(20));
  std::stop_source stop;
  const auto acquire = [&]() -> Result<> {
    auto permit = throttle.acquire(stop.get_token());
    if (!permit) return fail(permit.error());
    return {};
  };
  const std::vector<std::function<Result<>()>> waits{acquire,
                                                     [&] { return throttle.pause(seconds(20), stop.get_token()); },
                                                     [&] { return throttle.back_off(1, stop.get_token()); }};
  for (const auto& wait : waits) {
    stop = {};
    auto waiting = std::async(std::launch::async, wait);
    stop.request_stop();
    const auto result = waiting.get();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind(), ErrorKind::kCancelled);
  }
}

// All places are taken.
TEST(ThrottleTest, AStopEndsTheWaitForAPlace) {
  sys::ManualClock clock;
  Throttle throttle(clock, ThrottlePolicy{.most = 1});
  const auto first = throttle.acquire({});
  std::stop_source stop;
  auto waiting = std::async(std::launch::async, [&] { return throttle.acquire(stop.get_token()).has_value(); });
  stop.request_stop();
  EXPECT_FALSE(waiting.get());
}

}  // namespace
}  // namespace slipway::objects
