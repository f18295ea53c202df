// The two time types of the program. Instants are UTC with microseconds: what is stored, compared and merged across
// hosts. Where an instant comes from is sys/clock.h's business.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace slipway {

using Duration = std::chrono::microseconds;
using TimePoint = std::chrono::time_point<std::chrono::system_clock, Duration>;

[[nodiscard]] constexpr std::int64_t to_micros(TimePoint at) { return at.time_since_epoch().count(); }
[[nodiscard]] constexpr TimePoint from_micros(std::int64_t micros) { return TimePoint(Duration(micros)); }

// `wait` after `from`, or the last instant there is: "for ever" (Duration::max()) does not wrap around into the past.
[[nodiscard]] constexpr TimePoint later(TimePoint from, Duration wait) {
  if (wait > Duration{0} && from > TimePoint::max() - wait) return TimePoint::max();
  return from + wait;
}

// "2026-11-15T20:41:24.000123Z"
[[nodiscard]] std::string to_iso8601(TimePoint at);

// "850µs", "12.3ms", "4.2s", "3m07s": short and for people.
[[nodiscard]] std::string to_human(Duration length);

}  // namespace slipway
