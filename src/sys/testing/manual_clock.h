// A clock that stands still until a test moves it. Waiters wake when it passes their time: no test sleeps.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>

#include "sys/clock.h"

namespace slipway::sys {

// Thread-safe. Must outlive everything that waits on it.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(TimePoint start = from_micros(1'700'000'000'000'000)) : now_(start) {}

  [[nodiscard]] TimePoint now() const override;
  void wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& changed, TimePoint due) override;

  // Every waiter whose time has come has been notified on return. The caller must not hold a mutex that a waiter
  // waits with.
  void advance(Duration by);  // forward
  void set(TimePoint to);     // anywhere, also back: what an operator's `date -s` does

  // Blocks until at least `count` threads wait on this clock: for a test whose waiter computes its time from now(),
  // so that it must be asleep before the clock moves.
  void await_sleepers(std::size_t count);

  // Blocks until a thread waits for exactly this time: where others wait on this clock, too, a count does not tell
  // which.
  void await_sleeper_until(TimePoint due);

 private:
  // One thread inside wait_until().
  struct Sleeper {
    std::mutex* mutex;
    std::condition_variable* changed;
    TimePoint due;
    int pins = 0;  // threads inside wake_due() that may still touch mutex and changed
  };
  using Sleepers = std::list<Sleeper>;

  void wake_due(std::unique_lock<std::mutex> lock);

  // Never held while a sleeper's mutex is taken: wait_until() and now() are called with that one held.
  mutable std::mutex mutex_;
  std::condition_variable sleepers_changed_;  // one came, or one was unpinned
  TimePoint now_;
  Sleepers sleepers_;
};

}  // namespace slipway::sys
