#include "sys/clock.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

namespace slipway::sys {
namespace {

using namespace std::chrono_literals;

struct Waiting {
  std::mutex mutex;
  std::condition_variable changed;
};

TEST(SystemClockTest, TellsTheWallClocksTime) {
  const auto before = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  const auto told = system_clock().now();
  EXPECT_GE(told, before);
  EXPECT_LE(told, std::chrono::system_clock::now());
}

TEST(SystemClockTest, WaitEndsWhenTheTimeIsDue) {
  Waiting w;
  std::unique_lock lock(w.mutex);
  const auto due = system_clock().now() + 20ms;
  while (system_clock().now() < due) system_clock().wait_until(lock, w.changed, due);
  EXPECT_TRUE(lock.owns_lock());
}

TEST(SystemClockTest, WaitForAPastTimeReturns) {
  Waiting w;
  std::unique_lock lock(w.mutex);
  system_clock().wait_until(lock, w.changed, system_clock().now() - 1h);
  system_clock().wait_until(lock, w.changed, TimePoint::min());
  EXPECT_TRUE(lock.owns_lock());
}

TEST(SystemClockTest, WaitForTheEndOfTimeIsWokenByANotification) {
  Waiting w;
  bool done = false;
  std::jthread notifier;
  std::unique_lock lock(w.mutex);
  notifier = std::jthread([&] {
    const std::scoped_lock own(w.mutex);
    done = true;
    w.changed.notify_one();
  });
  while (!done) system_clock().wait_until(lock, w.changed, TimePoint::max());
  lock.unlock();
}

}  // namespace
}  // namespace slipway::sys
