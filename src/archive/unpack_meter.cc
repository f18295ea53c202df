#include "archive/unpack_meter.h"

#include "archive/limit_error.h"

namespace slipway::archive {

Result<> UnpackMeter::take(std::uint64_t bytes) {
  out_ = bytes > UINT64_MAX - out_ ? UINT64_MAX : out_ + bytes;
  // Room for headers and padding besides the content of files.
  const std::uint64_t most = limits_.max_total_size + limits_.max_files * 4096 + kRatioFloor;
  if (out_ > most) {
    return fail(refusal({}, "max_total_size", fmt::format("unpacks to more than {} bytes", most), "max_total_size",
                        "a larger size"));
  }
  if (out_ > kRatioFloor && out_ / limits_.max_compression_ratio > packed_) {
    return fail(refusal(
        {}, "max_compression_ratio",
        fmt::format("{} bytes unpack to {} or more, over {} to 1", packed_, out_, limits_.max_compression_ratio),
        "max_compression_ratio", "a larger number"));
  }
  return {};
}

}  // namespace slipway::archive
