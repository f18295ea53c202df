#include "objects/stream_tuner.h"

#include <algorithm>

namespace slipway::objects {
namespace {

constexpr Duration kMeasure = std::chrono::milliseconds(500);
constexpr double kBetter = 1.1;
constexpr double kPartSeconds = 2.0;

}  // namespace

void StreamTuner::observe(std::uint64_t done, TimePoint now) {
  if (!started_ || now < last_at_) {  // the first time, or a clock that was set back
    started_ = true;
    last_done_ = done;
    last_at_ = now;
    return;
  }
  if (now - last_at_ < kMeasure) return;
  rate_ = static_cast<double>(done - last_done_) / std::chrono::duration<double>(now - last_at_).count();
  last_done_ = done;
  last_at_ = now;
  if (rate_ <= best_ * kBetter) return;
  if (best_ > 0) streams_ = std::min(streams_ + 1, std::max(tuning_.streams, tuning_.max_streams));
  best_ = rate_;
}

std::uint64_t StreamTuner::part_size() const {
  const double wanted = rate_ / streams_ * kPartSeconds;
  return static_cast<std::uint64_t>(
      std::clamp(wanted, static_cast<double>(tuning_.min_part), static_cast<double>(tuning_.max_part)));
}

}  // namespace slipway::objects
