#include "fsm/timers.h"

#include <chrono>

#include <gtest/gtest.h>

namespace slipway::fsm {
namespace {

using namespace std::chrono_literals;

const TimePoint kNow = from_micros(1'000'000);

TEST(TimersTest, FireInOrderOfTimeThenOfArrival) {
  Timers timers;
  timers.add(kNow + 2s, TimerKind::kDue);
  timers.add(kNow + 1s, TimerKind::kTimeout);
  timers.add(kNow + 1s, TimerKind::kRecheck);
  EXPECT_EQ(timers.next_due(), kNow + 1s);
  EXPECT_FALSE(timers.take_due(kNow));
  EXPECT_EQ(timers.take_due(kNow + 5s)->kind, TimerKind::kTimeout);
  EXPECT_EQ(timers.take_due(kNow + 5s)->kind, TimerKind::kRecheck);
  EXPECT_EQ(timers.take_due(kNow + 5s)->kind, TimerKind::kDue);
  EXPECT_FALSE(timers.next_due());
}

TEST(TimersTest, ACancelledOneNeverFires) {
  Timers timers;
  const auto id = timers.add(kNow, TimerKind::kDue);
  timers.add(kNow, TimerKind::kRetry);
  timers.cancel(id);
  timers.cancel(id);
  EXPECT_EQ(timers.take_due(kNow)->kind, TimerKind::kRetry);
  EXPECT_FALSE(timers.take_due(kNow));
}

}  // namespace
}  // namespace slipway::fsm
