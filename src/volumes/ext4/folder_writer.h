// Inside src/volumes/ext4 only: a folder's blocks, made once of all the names in it. What fits into one block is a
// list; more is indexed by hash (dir_index), so that names are found fast in a folder of any size, and made in n log n.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "volumes/ext4/block_allocator.h"
#include "volumes/ext4/block_writer.h"
#include "volumes/ext4/extent_tree.h"

namespace slipway::volumes::ext4 {

struct FolderEntry {
  std::string_view name{};  // 1 to 255 bytes
  ext2_ino_t number = 0;
  std::uint8_t type = EXT2_FT_UNKNOWN;
};

// One thread at a time; all must outlive it.
class FolderWriter {
 public:
  FolderWriter(ext2_filsys fs, BlockAllocator& blocks, BlockWriter& writer);

  // Size, blocks and flags of the folder go into `inode`. `entries` are those besides `.` and `..`, each name once.
  // kUnsupported: more names than an index of two levels holds (millions).
  [[nodiscard]] Result<> write(ext2_ino_t number, ext2_ino_t parent, const std::vector<FolderEntry>& entries,
                               ext2_inode_large& inode);
  // A folder with nothing in it but room, as fsck wants its lost+found.
  [[nodiscard]] Result<> write_roomy(ext2_ino_t number, ext2_ino_t parent, std::uint32_t blocks,
                                     ext2_inode_large& inode);

 private:
  struct Leaf {
    std::size_t first = 0;  // of the sorted entries
    std::uint32_t hash = 0;
  };
  struct Hashed {
    std::uint32_t hash = 0;
    std::uint32_t minor = 0;
    std::uint32_t entry = 0;
  };
  class Block;

  [[nodiscard]] Result<> begin(ext2_ino_t number, std::uint32_t blocks, ext2_inode_large& inode);
  [[nodiscard]] Result<> put(const Block& block);  // the next one of the folder
  [[nodiscard]] Result<> write_indexed(ext2_ino_t number, ext2_ino_t parent, const std::vector<FolderEntry>& entries,
                                       ext2_inode_large& inode);
  [[nodiscard]] std::vector<Hashed> sorted(const std::vector<FolderEntry>& entries) const;
  [[nodiscard]] static std::vector<Leaf> leaves(const std::vector<FolderEntry>& entries,
                                                const std::vector<Hashed>& order);
  [[nodiscard]] Result<> put_index(ext2_ino_t parent, const std::vector<Leaf>& leaves);

  ext2_filsys fs_;
  BlockAllocator& blocks_;
  BlockWriter& writer_;
  int hash_version_;
  // Of the folder that is being written:
  ext2_ino_t number_ = 0;
  std::uint32_t seed_ = 0;
  std::vector<Extent> extents_;
  std::size_t extent_ = 0;
  std::uint32_t within_ = 0;
};

}  // namespace slipway::volumes::ext4
