// How a transition is tried: how often, how far apart, for how long.
//
//   .to("download", download, {.retry = fsm::exponential(5, 1s, 60s).with_jitter(), .timeout = 5min})
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"

namespace slipway::fsm {

// The wait before a transition is tried again. While it waits, the run holds no thread and no place in its queue.
struct Retry {
  std::uint32_t max_retries = 0;   // after the first try; 0: the first error ends the run
  Duration base{0};                // before the first retry
  double factor = 1.0;             // each further wait is so many times the one before
  Duration cap = Duration::max();  // no wait is longer
  bool jitter = false;             // a random part of up to half is taken off, so that many do not come at once

  [[nodiscard]] Retry with_jitter() const {
    Retry copy = *this;
    copy.jitter = true;
    return copy;
  }

  // The wait before retry number `retry` (1, 2, ...). `random` is in [0, 1).
  [[nodiscard]] Duration wait_before(std::uint32_t retry, double random) const;
};

[[nodiscard]] constexpr Retry never() { return {}; }
[[nodiscard]] constexpr Retry fixed(std::uint32_t max_retries, Duration wait) {
  return {.max_retries = max_retries, .base = wait};
}
[[nodiscard]] constexpr Retry exponential(std::uint32_t max_retries, Duration base, Duration cap) {
  return {.max_retries = max_retries, .base = base, .factor = 2.0, .cap = cap};
}

enum class OnTimeout : std::uint8_t { kError, kAbort };

struct TransitionPolicy {
  Retry retry{};
  // Fires the stop token. Whatever the handler then returns, and however late, the try counts as timed out: the run
  // goes on (retry, end) when the handler has returned, never beside it.
  std::optional<Duration> timeout{};
  OnTimeout on_timeout = OnTimeout::kError;
};

// What becomes of a stored run whose next transition the program no longer has.
enum class OnUnknownTransition : std::uint8_t { kFail, kSkip };

}  // namespace slipway::fsm
