#include "volumes/ext4/extent_tree.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <ext2fs/ext3_extents.h>

#include "volumes/ext4/checksum.h"
#include "volumes/ext4/format.h"

namespace slipway::volumes::ext4 {
namespace {

constexpr std::size_t kEntry = sizeof(ext3_extent);  // an index entry has the same size
constexpr std::size_t kInInode = EXT2_N_BLOCKS * sizeof(__u32) / kEntry - 1;
constexpr std::size_t kInBlock = (kBlock - sizeof(ext3_extent_header)) / kEntry;
static_assert(sizeof(ext3_extent_idx) == kEntry && sizeof(ext3_extent_header) == kEntry && kInInode == 4);

// An entry of any level, ready to be stored, and the block of the file that it begins with.
struct Node {
  std::uint32_t logical = 0;
  std::array<std::byte, kEntry> bytes{};
};

Node leaf(const Extent& extent) {
  ext3_extent raw{};
  raw.ee_block = extent.logical;
  raw.ee_len = static_cast<__u16>(extent.count);
  raw.ee_start = static_cast<__u32>(extent.physical);
  raw.ee_start_hi = static_cast<__u16>(extent.physical >> 32U);
  Node made{extent.logical, {}};
  std::memcpy(made.bytes.data(), &raw, kEntry);
  return made;
}

Node index(std::uint32_t logical, std::uint64_t block) {
  ext3_extent_idx raw{};
  raw.ei_block = logical;
  raw.ei_leaf = static_cast<__u32>(block);
  raw.ei_leaf_hi = static_cast<__u16>(block >> 32U);
  Node made{logical, {}};
  std::memcpy(made.bytes.data(), &raw, kEntry);
  return made;
}

void put_nodes(std::span<const Node> nodes, std::size_t room, std::uint16_t depth, std::byte* out) {
  ext3_extent_header header{};
  header.eh_magic = EXT3_EXT_MAGIC;
  header.eh_entries = static_cast<__u16>(nodes.size());
  header.eh_max = static_cast<__u16>(room);
  header.eh_depth = depth;
  std::memcpy(out, &header, sizeof header);
  for (const Node& node : nodes) std::memcpy(out += kEntry, node.bytes.data(), kEntry);
}

}  // namespace

void add_blocks(ext2_inode_large& inode, std::uint64_t blocks) {
  std::uint64_t sectors = inode.i_blocks + (static_cast<std::uint64_t>(inode.osd2.linux2.l_i_blocks_hi) << 32U);
  sectors += blocks * kSectorsPerBlock;
  inode.i_blocks = static_cast<__u32>(sectors);
  inode.osd2.linux2.l_i_blocks_hi = static_cast<__u16>(sectors >> 32U);
}

Result<> allocate(BlockAllocator& blocks, std::uint32_t logical, std::uint32_t count, std::vector<Extent>& extents) {
  while (count > 0) {
    auto run = blocks.take(std::min(count, kMostExtent));
    if (!run) return fail(std::move(run.error()));
    extents.push_back({logical, run->count, run->start});
    logical += run->count;
    count -= run->count;
  }
  return {};
}

Result<> store_extents(ext2_filsys fs, BlockAllocator& blocks, BlockWriter& writer, ext2_ino_t number,
                       std::span<const Extent> extents, ext2_inode_large& inode) {
  std::vector<Node> level;
  level.reserve(extents.size());
  for (const Extent& extent : extents) level.push_back(leaf(extent));
  std::uint16_t depth = 0;
  for (; level.size() > kInInode; ++depth) {
    std::vector<Node> above;
    for (std::size_t at = 0; at < level.size(); at += kInBlock) {
      auto place = blocks.take(1);
      if (!place) return fail(std::move(place.error()));
      const auto here = std::span(level).subspan(at, std::min(kInBlock, level.size() - at));
      std::array<std::byte, kBlock> block{};
      put_nodes(here, kInBlock, depth, block.data());
      constexpr std::size_t kTail = sizeof(ext3_extent_header) + kInBlock * kEntry;
      const __u32 sum = crc32c(checksum_seed(fs, number), std::span(block).first<kTail>());
      std::memcpy(block.data() + kTail, &sum, sizeof sum);
      if (auto put = writer.write(place->start * kBlock, block); !put) return put;
      above.push_back(index(here.front().logical, place->start));
    }
    add_blocks(inode, above.size());
    level = std::move(above);
  }
  inode.i_flags |= EXT4_EXTENTS_FL;
  put_nodes(level, kInInode, depth, reinterpret_cast<std::byte*>(inode.i_block));
  return {};
}

}  // namespace slipway::volumes::ext4
