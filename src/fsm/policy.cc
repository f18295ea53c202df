#include "fsm/policy.h"

#include <algorithm>
#include <cmath>

namespace slipway::fsm {

Duration Retry::wait_before(std::uint32_t retry, double random) const {
  // In double: the power grows past any integer long before max_retries is reached, and the cap brings it back.
  const double longest = static_cast<double>(std::min(cap, Duration(std::chrono::hours(24 * 365))).count());
  double wait = static_cast<double>(base.count()) * std::pow(factor, static_cast<double>(retry) - 1.0);
  if (!(wait > 0.0)) return Duration{0};  // also no base times a power without bounds, which is not a number
  wait = std::min(wait, longest);
  if (jitter) wait -= wait * 0.5 * random;
  return Duration(static_cast<Duration::rep>(wait));
}

}  // namespace slipway::fsm
