#include "volumes/ext4/block_allocator.h"

#include <algorithm>

namespace slipway::volumes::ext4 {

Result<> BlockAllocator::find_room() {
  finish();
  const std::uint64_t last = ext2fs_blocks_count(fs_->super) - 1;
  blk64_t from = 0;
  if (next_ > last || ::ext2fs_find_first_zero_block_bitmap2(fs_->block_map, next_, last, &from) != 0) {
    return fail(
        Error(ErrorKind::kNoSpace, fmt::format("a volume of {} MiB is too small for this image", device_.size() >> 20U))
            .with_hint("make it larger: device_size"));
  }
  blk64_t end = 0;
  if (::ext2fs_find_first_set_block_bitmap2(fs_->block_map, from, last, &end) != 0) end = last + 1;
  begin_ = next_ = from;
  end_ = end;
  return {};
}

Result<Run> BlockAllocator::take(std::uint32_t most) {
  if (next_ == end_) {
    if (auto found = find_room(); !found) return fail(std::move(found.error()));
  }
  const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(most, end_ - next_));
  const Run run{next_, count};
  next_ += count;
  return run;
}

void BlockAllocator::finish() {
  constexpr std::uint64_t kMost = 1U << 30U;  // of one call
  while (begin_ < next_) {
    const std::uint64_t count = std::min(next_ - begin_, kMost);
    ::ext2fs_block_alloc_stats_range(fs_, begin_, static_cast<blk_t>(count), +1);
    begin_ += count;
  }
}

}  // namespace slipway::volumes::ext4
