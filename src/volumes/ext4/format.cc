#include "volumes/ext4/format.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <string_view>

#include "base/digest.h"

namespace slipway::volumes::ext4 {
namespace {

constexpr std::uint64_t kMiB = 1ULL << 20;
constexpr std::uint64_t kBytesPerInode = 16384;  // as mkfs.ext4 has it
constexpr std::uint64_t kGrowth = 16;            // how many times larger it may be made while it is mounted
constexpr std::uint8_t kGroupsPerFlex = 4;       // as a power of two

std::uint64_t journal_blocks(std::uint64_t blocks) {
  const std::uint64_t size = blocks * kBlock;
  const std::uint64_t journal = size < 256 * kMiB ? 4 * kMiB : size < 1024 * kMiB ? 8 * kMiB : 16 * kMiB;
  return journal / kBlock;
}

// What users of a volume of this size expect, and for this image half as many again as it has.
std::uint64_t inode_count(std::uint64_t blocks, std::uint64_t needed) {
  return std::max(blocks * kBlock / kBytesPerInode, needed + needed / 2) + EXT2_GOOD_OLD_FIRST_INO;
}

std::uint64_t reserved_descriptor_blocks(std::uint64_t blocks) {
  constexpr std::uint64_t kPerGroup = kBlock * 8;
  constexpr std::uint64_t kPerBlock = kBlock / EXT2_MIN_DESC_SIZE_64BIT;
  const auto needed = [](std::uint64_t of) {
    const std::uint64_t groups = (of + kPerGroup - 1) / kPerGroup;
    return (groups + kPerBlock - 1) / kPerBlock;
  };
  return std::clamp<std::uint64_t>(needed(blocks * kGrowth) - needed(blocks), 1, kBlock / 4);
}

ext2_super_block parameters(std::uint64_t blocks, std::uint64_t inodes) {
  ext2_super_block param{};
  param.s_rev_level = EXT2_DYNAMIC_REV;
  param.s_log_block_size = 2;
  param.s_inode_size = kInodeSize;
  param.s_blocks_count = static_cast<__u32>(blocks);
  param.s_blocks_count_hi = static_cast<__u32>(blocks >> 32U);
  param.s_inodes_count = static_cast<__u32>(std::min<std::uint64_t>(inodes, UINT32_MAX));
  param.s_log_groups_per_flex = kGroupsPerFlex;
  param.s_reserved_gdt_blocks = static_cast<__u16>(reserved_descriptor_blocks(blocks));
  param.s_feature_compat =
      EXT2_FEATURE_COMPAT_RESIZE_INODE | EXT2_FEATURE_COMPAT_DIR_INDEX | EXT2_FEATURE_COMPAT_EXT_ATTR;
  param.s_feature_incompat = EXT2_FEATURE_INCOMPAT_FILETYPE | EXT3_FEATURE_INCOMPAT_EXTENTS |
                             EXT4_FEATURE_INCOMPAT_64BIT | EXT4_FEATURE_INCOMPAT_FLEX_BG;
  param.s_feature_ro_compat = EXT2_FEATURE_RO_COMPAT_SPARSE_SUPER | EXT2_FEATURE_RO_COMPAT_LARGE_FILE |
                              EXT4_FEATURE_RO_COMPAT_HUGE_FILE | EXT4_FEATURE_RO_COMPAT_DIR_NLINK |
                              EXT4_FEATURE_RO_COMPAT_EXTRA_ISIZE | EXT4_FEATURE_RO_COMPAT_METADATA_CSUM;
  param.s_default_mount_opts = EXT2_DEFM_ACL | EXT2_DEFM_XATTR_USER;
  return param;
}

// All that mkfs takes from chance or from the clock.
void identify(ext2_filsys fs, const FillOptions& options) {
  ext2_super_block& super = *fs->super;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(options.time).time_since_epoch().count();
  fs->now = std::max<std::int64_t>(seconds, 1);  // zero means the present to libext2fs
  super.s_mkfs_time = super.s_lastcheck = super.s_wtime = static_cast<__u32>(fs->now);
  super.s_mkfs_time_hi = super.s_lastcheck_hi = super.s_wtime_hi =
      static_cast<__u8>(static_cast<std::uint64_t>(fs->now) >> 32U);
  super.s_max_mnt_count = -1;  // no check by the number of mounts
  std::ranges::copy(options.uuid, std::begin(super.s_uuid));
  const DigestBytes seed =
      digest(HashAlgorithm::kSha256, {reinterpret_cast<const char*>(options.uuid.data()), options.uuid.size()});
  std::memcpy(super.s_hash_seed, seed.data(), sizeof super.s_hash_seed);
  super.s_def_hash_version = EXT2_HASH_HALF_MD4;
  std::memcpy(super.s_volume_name, options.label.data(), options.label.size());
  super.s_checksum_type = EXT2_CRC32C_CHKSUM;
  ::ext2fs_init_csum_seed(fs);
}

Result<> settle_inode_tables(Device& device, ext2_filsys fs, bool zeroed) {
  for (dgrp_t group = 0; group < fs->group_desc_count; ++group) {
    if (!zeroed) {
      auto cleared = device.zero(::ext2fs_inode_table_loc(fs, group) * kBlock, fs->inode_blocks_per_group * kBlock);
      if (!cleared) return cleared;
    }
    ::ext2fs_bg_flags_set(fs, group, EXT2_BG_INODE_ZEROED);
    ::ext2fs_group_desc_csum_set(fs, group);
  }
  return {};
}

Result<> add_journal(Device& device, ext2_filsys fs, bool zeroed) {
  const auto blocks = static_cast<blk_t>(journal_blocks(ext2fs_blocks_count(fs->super)));
  // Behind the first tables, so that the contents stand in one piece behind it.
  constexpr int kQuietly = EXT2_MKJOURNAL_NO_MNT_CHECK | EXT2_MKJOURNAL_LAZYINIT;
  const int flags = zeroed ? kQuietly : static_cast<int>(EXT2_MKJOURNAL_NO_MNT_CHECK);
  const blk64_t goal = ::ext2fs_inode_table_loc(fs, 0);
  if (const errcode_t code = ::ext2fs_add_journal_inode2(fs, blocks, goal, flags); code != 0) {
    return device.error(code, ErrorKind::kInternal).during("make the journal");
  }
  return {};
}

}  // namespace

Result<Filesystem> format(Device& device, bool zeroed, std::uint64_t inodes, const FillOptions& options) {
  const std::uint64_t blocks = device.size() / kBlock;
  ext2_super_block param = parameters(blocks, inode_count(blocks, inodes));
  const auto failed = [&](errcode_t code) { return device.error(code, ErrorKind::kInternal).during("make ext4"); };
  ext2_filsys raw = nullptr;
  {
    const Opening opening(device);
    const errcode_t code = ::ext2fs_initialize("volume", EXT2_FLAG_64BITS, &param, Opening::manager(), &raw);
    if (code != 0) return failed(code);
  }
  Filesystem made(raw);
  identify(raw, options);
  // What another file system or a partition table has left at the front would be found first.
  if (!zeroed) {
    if (auto cleared = device.zero(0, kBlock); !cleared) return fail(std::move(cleared.error()));
  }
  if (const errcode_t code = ::ext2fs_allocate_tables(raw); code != 0) return failed(code);
  if (auto settled = settle_inode_tables(device, raw, zeroed); !settled) return fail(std::move(settled.error()));
  for (ext2_ino_t number = 1; number < EXT2_GOOD_OLD_FIRST_INO; ++number) {
    ::ext2fs_inode_alloc_stats2(raw, number, +1, /*isdir=*/number == EXT2_ROOT_INO ? 1 : 0);
  }
  if (const errcode_t code = ::ext2fs_create_resize_inode(raw); code != 0) return failed(code);
  if (auto added = add_journal(device, raw, zeroed); !added) return fail(std::move(added.error()));
  if (auto sound = device.sound(); !sound) return fail(std::move(sound.error()));
  return made;
}

Result<> finish_format(Device& device, Filesystem& filesystem) {
  ext2_filsys fs = filesystem.get();
  ::ext2fs_mark_super_dirty(fs);
  if (const errcode_t code = ::ext2fs_set_gdt_csum(fs); code != 0) {
    return device.error(code, ErrorKind::kInternal).during("finish ext4");
  }
  if (const errcode_t code = ::ext2fs_flush2(fs, 0); code != 0) {
    return device.error(code, ErrorKind::kInternal).during("finish ext4");
  }
  return device.sound();
}

}  // namespace slipway::volumes::ext4
