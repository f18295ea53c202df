// Inside src/volumes/ext4 only: the checksums of an inode's own blocks. libext2fs would read the inode for its
// generation each time; ours are all of generation 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <ext2fs/ext2fs.h>

namespace slipway::volumes::ext4 {

[[nodiscard]] inline std::uint32_t crc32c(std::uint32_t before, std::span<const std::byte> bytes) {
  return ::ext2fs_crc32c_le(before, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

// What the checksums of inode `number`'s blocks begin with.
[[nodiscard]] inline std::uint32_t checksum_seed(ext2_filsys fs, ext2_ino_t number) {
  const __u32 words[2] = {number, 0};
  return crc32c(fs->csum_seed, std::as_bytes(std::span(words)));
}

}  // namespace slipway::volumes::ext4
