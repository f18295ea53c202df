// Inside src/volumes/ext4 only: an empty ext4, as Debian's mkfs.ext4 makes it, but for a smaller journal, no blocks set
// aside for root, and room to grow to 16 times the size instead of 1024 times, which costs a volume megabytes.
#pragma once

#include <cstdint>

#include "volumes/ext4/device.h"
#include "volumes/ext4/fill.h"

namespace slipway::volumes::ext4 {

inline constexpr std::uint64_t kBlock = 4096;  // bytes
inline constexpr std::size_t kInodeSize = 256;
inline constexpr std::uint32_t kSectorsPerBlock = kBlock / 512;

inline constexpr ext2_ino_t kLostAndFound = EXT2_GOOD_OLD_FIRST_INO;  // where mkfs has it
inline constexpr ext2_ino_t kRootfs = kLostAndFound + 1;

// Tables and journal have their place and are zeros where they are unused, the numbers of the reserved inodes and those
// of the root are taken. No folder is there yet, and only the tables' first block and the journal's are written.
// `inodes`: those that are needed, the reserved ones not among them.
[[nodiscard]] Result<Filesystem> format(Device& device, bool zeroed, std::uint64_t inodes, const FillOptions& options);

// Writes all that libext2fs keeps in memory: superblocks, descriptors, bitmaps.
[[nodiscard]] Result<> finish_format(Device& device, Filesystem& filesystem);

}  // namespace slipway::volumes::ext4
