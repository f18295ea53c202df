// The one source of time. Everything that reads the time or waits for it is given a Clock; nothing else in the
// program asks the operating system. sys/testing/manual_clock.h has the one that tests move by hand.
#pragma once

#include <condition_variable>
#include <mutex>

#include "base/time.h"

namespace slipway::sys {

// It is wall time, since what is due must still be due after a restart. So a clock that an operator sets back makes
// what waits wait longer, and one set forward makes it due: keep it disciplined (NTP slews, it does not step).
//
// Thread-safe.
class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;

  [[nodiscard]] virtual TimePoint now() const = 0;

  // Waits on `changed` until it is notified or the time is `due`. May wake for no reason: test your condition.
  // `lock` must be held, and is held again on return.
  virtual void wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& changed, TimePoint due) = 0;
};

// The wall clock. Lives as long as the program.
[[nodiscard]] Clock& system_clock();

}  // namespace slipway::sys
