// Inside src/volumes/ext4 only: extended attributes, in the inode where they fit, the others in one block beside it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "archive/entry.h"
#include "volumes/ext4/block_allocator.h"
#include "volumes/ext4/block_writer.h"

namespace slipway::volumes::ext4 {

struct Xattr {
  std::uint8_t index = 0;  // of the name's first part, which is not stored
  std::string name{};      // the rest of it
  std::string value{};     // as it is on disk
};

// What Linux takes for an inode of this type, in the order of the disk; of several of one name the last. The others are
// counted in `left_out`: namespaces that are not Linux's, malformed access lists, user.* of what is no file or folder.
[[nodiscard]] std::vector<Xattr> storable_xattrs(archive::EntryType type,
                                                 const std::vector<std::pair<std::string, std::string>>& given,
                                                 std::uint64_t& left_out);

// `inode` has kInodeSize bytes; its i_file_acl and i_blocks follow. kUnsupported: more than fits.
[[nodiscard]] Result<> store_xattrs(ext2_filsys fs, BlockAllocator& blocks, BlockWriter& writer, ext2_ino_t number,
                                    const std::vector<Xattr>& xattrs, ext2_inode_large& inode);

}  // namespace slipway::volumes::ext4
