// How many ranges of an object to read at once, and how long each should be: pure decisions from what was measured.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "objects/download.h"

namespace slipway::objects {

// One more stream for each measurement that beats the best so far by a tenth: a link that is full stays as it is.
class StreamTuner {
 public:
  explicit StreamTuner(const DownloadTuning& tuning) : tuning_(tuning), streams_(tuning.streams) {}

  // `done` bytes are there at `now`. Called as often as you like; it measures over half a second at least.
  void observe(std::uint64_t done, TimePoint now);

  [[nodiscard]] int streams() const { return streams_; }
  // A part takes about two seconds, so that its request is cheap and its loss too.
  [[nodiscard]] std::uint64_t part_size() const;

 private:
  DownloadTuning tuning_;
  int streams_;
  double best_ = 0;  // bytes a second
  double rate_ = 0;
  bool started_ = false;
  std::uint64_t last_done_ = 0;
  TimePoint last_at_{};
};

}  // namespace slipway::objects
