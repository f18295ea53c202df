// Inside src/volumes/ext4 only: where the blocks of a file or folder stand, as its inode says it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "volumes/ext4/block_allocator.h"
#include "volumes/ext4/block_writer.h"

namespace slipway::volumes::ext4 {

// Blocks of a file that stand together.
struct Extent {
  std::uint32_t logical = 0;  // the first, within the file
  std::uint32_t count = 0;    // at most kMostExtent
  std::uint64_t physical = 0;
};
inline constexpr std::uint32_t kMostExtent = 1U << 15U;

// Room for `count` blocks of a file from its block `logical` on, put behind `extents`, which are in order.
[[nodiscard]] Result<> allocate(BlockAllocator& blocks, std::uint32_t logical, std::uint32_t count,
                                std::vector<Extent>& extents);

// Writes them into the inode; those that do not fit there into blocks of their own. These are counted in i_blocks.
[[nodiscard]] Result<> store_extents(ext2_filsys fs, BlockAllocator& blocks, BlockWriter& writer, ext2_ino_t number,
                                     std::span<const Extent> extents, ext2_inode_large& inode);

// Adds to the number of blocks that an inode owns.
void add_blocks(ext2_inode_large& inode, std::uint64_t blocks);

}  // namespace slipway::volumes::ext4
