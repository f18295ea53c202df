#include "archive/unpack_meter.h"

#include "archive/limit_error.h"

namespace slipway::archive {

Result<> UnpackMeter::take(std::uint64_t bytes) {
  out_ = saturating_add(out_, bytes);
  // Room for headers and padding besides the content of files.
  const std::uint64_t room = saturating_add(saturating_multiply(limits_.max_files, 4096), kRatioFloor);
  const std::uint64_t most = saturating_add(limits_.max_total_size, room);
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
