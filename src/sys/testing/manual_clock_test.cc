#include "sys/testing/manual_clock.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace slipway::sys {
namespace {

using namespace std::chrono_literals;

// A thread's mutex and condition, as a user of the clock has them.
struct Waiter {
  std::mutex mutex;
  std::condition_variable changed;
  bool stop = false;

  // True when the time came, false when stopped.
  bool sleep_until(Clock& clock, TimePoint due) {
    std::unique_lock lock(mutex);
    while (!stop && clock.now() < due) clock.wait_until(lock, changed, due);
    return !stop;
  }
};

TEST(ManualClockTest, StandsStillUntilMoved) {
  ManualClock clock;
  const TimePoint start = clock.now();
  EXPECT_EQ(clock.now(), start);
  clock.advance(5s);
  EXPECT_EQ(clock.now(), start + 5s);
  clock.set(start - 1h);
  EXPECT_EQ(clock.now(), start - 1h);
}

TEST(ManualClockTest, WakesOnlyThoseWhoseTimeHasCome) {
  ManualClock clock;
  const TimePoint start = clock.now();
  Waiter early;
  Waiter late;
  std::atomic<bool> late_woke = false;
  std::jthread late_thread([&] { late_woke = late.sleep_until(clock, start + 10s); });
  std::jthread early_thread([&] { early.sleep_until(clock, start + 1s); });
  clock.await_sleepers(2);
  clock.advance(1s);
  early_thread.join();
  EXPECT_FALSE(late_woke);
  clock.advance(9s);
  late_thread.join();
  EXPECT_TRUE(late_woke);
}

TEST(ManualClockTest, ANotificationEndsTheWaitBeforeItsTime) {
  ManualClock clock;
  Waiter waiter;
  bool came = true;
  std::jthread thread([&] { came = waiter.sleep_until(clock, clock.now() + 1h); });
  clock.await_sleepers(1);
  {
    const std::scoped_lock lock(waiter.mutex);
    waiter.stop = true;
  }
  waiter.changed.notify_all();
  thread.join();
  EXPECT_FALSE(came);
}

// The clock moves while threads are anywhere between looking at the time and being asleep: one lost wake-up hangs it.
TEST(ManualClockTest, NoWakeUpIsLost) {
  ManualClock clock;
  const TimePoint start = clock.now();
  constexpr int kSteps = 2'000;
  std::vector<std::jthread> threads;
  threads.reserve(3);
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      Waiter waiter;
      for (int i = 1; i <= kSteps; ++i) ASSERT_TRUE(waiter.sleep_until(clock, start + i * 1ms));
    });
  }
  for (int i = 0; i < kSteps; ++i) clock.advance(1ms);
  threads.clear();
  EXPECT_EQ(clock.now(), start + kSteps * 1ms);
}

// A waiter that is woken by its owner and destroyed at once, while the clock is about to notify it.
TEST(ManualClockTest, AWaiterMayBeDestroyedWhileTheClockMoves) {
  ManualClock clock;
  std::atomic<bool> done = false;
  std::jthread mover([&] {
    while (!done) clock.advance(1us);
  });
  for (int i = 0; i < 1'000; ++i) {
    auto waiter = std::make_unique<Waiter>();
    std::jthread sleeper([&] { waiter->sleep_until(clock, clock.now() + 3us); });
    {
      const std::scoped_lock lock(waiter->mutex);
      waiter->stop = true;
    }
    waiter->changed.notify_all();
    sleeper.join();
  }
  done = true;
}

}  // namespace
}  // namespace slipway::sys
