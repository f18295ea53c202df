// Inside src/volumes/ext4 only: all inodes of the volume, in memory until they are written at once.
#pragma once

#include <cstdint>
#include <vector>

#include "archive/tree.h"
#include "base/time.h"
#include "volumes/ext4/device.h"

namespace slipway::volumes::ext4 {

// One thread at a time; both must outlive it.
class InodeTable {
 public:
  // For inodes 1 to `last`; those that format() wrote are taken from the device.
  [[nodiscard]] static Result<InodeTable> open(Device& device, ext2_filsys fs, ext2_ino_t last);

  // Followed by room for attributes: kInodeSize bytes in all.
  [[nodiscard]] ext2_inode_large& at(ext2_ino_t number);

  // Writes them, and takes the numbers behind the reserved ones in the file system's map.
  [[nodiscard]] Result<> finish();

 private:
  InodeTable(Device& device, ext2_filsys fs, ext2_ino_t last);

  Device& device_;
  ext2_filsys fs_;
  ext2_ino_t last_;
  std::vector<std::byte> bytes_;  // whole blocks
};

// Type, mode, owner, links, times, device number of an inode of the image; for the rest there are other files here.
void describe(const archive::Inode& from, TimePoint made, ext2_inode_large& inode);
// The same for a folder of root's that no image has.
void describe_folder(std::uint16_t mode, TimePoint made, ext2_inode_large& inode);

void set_size(ext2_inode_large& inode, std::uint64_t size);

}  // namespace slipway::volumes::ext4
