// Inside src/volumes/ext4 only: what replay() hands out, written to its place.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "archive/image.h"
#include "volumes/ext4/block_allocator.h"
#include "volumes/ext4/block_writer.h"
#include "volumes/ext4/extent_tree.h"
#include "volumes/ext4/inode_table.h"

namespace slipway::volumes::ext4 {

// One thread at a time; all must outlive it. Each file gets its blocks when its content begins, so that the volume is
// written from its front to its back, as the archive is read.
class Contents : public archive::EntryConsumer {
 public:
  struct Parts {
    ext2_filsys fs;
    BlockAllocator& blocks;
    BlockWriter& writer;
    InodeTable& inodes;
    const std::vector<ext2_ino_t>& numbers;  // of the tree's inodes, by their ids; 0: it is gone
    const archive::Tree& tree;
    const std::function<void(std::uint64_t written)>& progress;
  };

  explicit Contents(const Parts& parts);

  [[nodiscard]] Result<bool> begin(archive::InodeId inode, const archive::Entry& entry) override;
  [[nodiscard]] Result<> bytes(std::uint64_t offset, std::span<const std::byte> bytes) override;
  [[nodiscard]] Result<> end() override;

  // Every inode that an entry made has come. kCorrupt: the archive is not the one that was surveyed.
  [[nodiscard]] Result<> complete() const;
  [[nodiscard]] std::uint64_t xattrs_left_out() const { return xattrs_left_out_; }

 private:
  [[nodiscard]] Result<> place_file(ext2_ino_t number, const archive::Entry& entry);
  // Zeros from the cursor to `to`, a byte of the present extent or its end.
  [[nodiscard]] Result<> pad(std::uint64_t to);
  [[nodiscard]] Result<> next_extent();
  void report(std::uint64_t more);

  Parts parts_;
  std::vector<bool> seen_;  // by number
  std::uint64_t xattrs_left_out_ = 0;
  std::uint64_t content_ = 0;   // bytes so far
  std::uint64_t reported_ = 0;  // of these
  // Of the present file:
  std::vector<Extent> extents_;
  std::size_t extent_ = 0;
  std::uint64_t cursor_ = 0;  // the byte of the file that is to be written next
};

}  // namespace slipway::volumes::ext4
