// Counts what comes out of an image's file, over all the streams of one level: the file itself, or all layers in it.
// The limits are of the image: many streams that are each within them, or one packed within another, are not.
#pragma once

#include <cstdint>

#include "archive/policy.h"
#include "base/error.h"

namespace slipway::archive {

// One thread.
class UnpackMeter {
 public:
  // `packed`: bytes of the image's file.
  UnpackMeter(const Limits& limits, std::uint64_t packed) : limits_(limits), packed_(packed) {}

  // So many bytes more. kRejected: with them it is too much in all, or too much for a file of this size.
  [[nodiscard]] Result<> take(std::uint64_t bytes);

 private:
  Limits limits_;
  std::uint64_t packed_;
  std::uint64_t out_ = 0;
};

}  // namespace slipway::archive
