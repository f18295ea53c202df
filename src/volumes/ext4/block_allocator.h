// Inside src/volumes/ext4 only: gives out free blocks in their order, each once.
#pragma once

#include <cstdint>

#include "volumes/ext4/device.h"

namespace slipway::volumes::ext4 {

struct Run {
  std::uint64_t start = 0;  // in blocks of the volume
  std::uint32_t count = 0;
};

// One thread at a time; both must outlive it. What it gave out is marked in the file system's map by finish().
class BlockAllocator {
 public:
  BlockAllocator(const Device& device, ext2_filsys fs) : device_(device), fs_(fs) {}

  // The next free blocks that stand together: `most` (above 0), or fewer when there is something in between. kNoSpace.
  [[nodiscard]] Result<Run> take(std::uint32_t most);
  void finish();

 private:
  [[nodiscard]] Result<> find_room();

  const Device& device_;
  ext2_filsys fs_;
  std::uint64_t begin_ = 0;  // of the present free run; what is before next_ was given out
  std::uint64_t next_ = 0;
  std::uint64_t end_ = 0;
};

}  // namespace slipway::volumes::ext4
