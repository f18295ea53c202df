#include "sys/clock.h"

#include <algorithm>

namespace slipway::sys {
namespace {

// A wait is cut at this length, so that a far-off `due` (TimePoint::max()) cannot overflow when the standard library
// widens it to nanoseconds. The contract allows waking for no reason.
constexpr Duration kLongestWait = std::chrono::hours(24);

class SystemClock final : public Clock {
 public:
  [[nodiscard]] TimePoint now() const override {
    return std::chrono::floor<Duration>(std::chrono::system_clock::now());
  }

  void wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& changed, TimePoint due) override {
    const TimePoint start = now();
    changed.wait_until(lock, std::clamp(due, start, start + kLongestWait));
  }
};

}  // namespace

Clock& system_clock() {
  static SystemClock clock;
  return clock;
}

}  // namespace slipway::sys
