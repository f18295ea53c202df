#include "volumes/ext4/inode_table.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <utility>

#include "volumes/ext4/format.h"

namespace slipway::volumes::ext4 {
namespace {

using archive::EntryType;

constexpr std::uint64_t kPerBlock = kBlock / kInodeSize;

std::uint16_t type_bits(EntryType type) {
  switch (type) {
    case EntryType::kFolder: return LINUX_S_IFDIR;
    case EntryType::kSymlink: return LINUX_S_IFLNK;
    case EntryType::kCharDevice: return LINUX_S_IFCHR;
    case EntryType::kBlockDevice: return LINUX_S_IFBLK;
    case EntryType::kFifo: return LINUX_S_IFIFO;
    case EntryType::kSocket: return LINUX_S_IFSOCK;
    case EntryType::kFile:
    case EntryType::kHardLink: break;
  }
  return LINUX_S_IFREG;
}

struct Stamp {
  __u32 seconds = 0;
  __u32 extra = 0;  // nanoseconds above two more bits of the seconds
};

// What ext4 cannot say, before 1901 or after 2446, becomes the nearest that it can.
Stamp stamp(std::int64_t seconds, std::uint32_t nanoseconds) {
  constexpr std::int64_t kFirst = INT32_MIN;
  constexpr std::int64_t kLast = kFirst + (std::int64_t{1} << 34U) - 1;
  const std::int64_t clamped = std::clamp(seconds, kFirst, kLast);
  const auto low = static_cast<std::int32_t>(static_cast<std::uint32_t>(clamped));
  const auto epoch = static_cast<__u32>((clamped - low) >> 32U) & 3U;
  const __u32 fraction = clamped == seconds && nanoseconds < 1'000'000'000 ? nanoseconds : 0;
  return {static_cast<__u32>(low), epoch | fraction << 2U};
}

Stamp stamp(TimePoint at) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(at);
  return stamp(seconds.time_since_epoch().count(), static_cast<std::uint32_t>((at - seconds).count() * 1000));
}

void set_times(Stamp modified, Stamp made, ext2_inode_large& inode) {
  inode.i_mtime = modified.seconds;
  inode.i_mtime_extra = modified.extra;
  inode.i_atime = inode.i_ctime = inode.i_crtime = made.seconds;
  inode.i_atime_extra = inode.i_ctime_extra = inode.i_crtime_extra = made.extra;
}

// The older form where the numbers fit into it, as the kernel does.
void set_device(std::uint32_t major, std::uint32_t minor, ext2_inode_large& inode) {
  if (major < 256 && minor < 256) {
    inode.i_block[0] = major << 8U | minor;
  } else {
    inode.i_block[1] = (minor & 0xffU) | (major & 0xfffU) << 8U | (minor & ~0xffU) << 12U;
  }
}

}  // namespace

InodeTable::InodeTable(Device& device, ext2_filsys fs, ext2_ino_t last)
    : device_(device), fs_(fs), last_(last), bytes_((last + kPerBlock - 1) / kPerBlock * kBlock) {}

Result<InodeTable> InodeTable::open(Device& device, ext2_filsys fs, ext2_ino_t last) {
  InodeTable table(device, fs, last);
  auto read = device.read(::ext2fs_inode_table_loc(fs, 0) * kBlock, std::span(table.bytes_).first(kBlock));
  if (!read) return fail(std::move(read.error()));
  return table;
}

ext2_inode_large& InodeTable::at(ext2_ino_t number) {
  assert(number >= 1 && number <= last_);
  return *reinterpret_cast<ext2_inode_large*>(bytes_.data() + (number - 1) * kInodeSize);
}

Result<> InodeTable::finish() {
  for (ext2_ino_t number = 1; number <= last_; ++number) {
    ext2_inode_large& inode = at(number);
    if (inode.i_mode == 0) continue;  // reserved and unused
    if (number >= EXT2_GOOD_OLD_FIRST_INO) {
      ::ext2fs_inode_alloc_stats2(fs_, number, +1, LINUX_S_ISDIR(inode.i_mode) ? 1 : 0);
    }
    if (const errcode_t code = ::ext2fs_inode_csum_set(fs_, number, &inode); code != 0) {
      return fail(device_.error(code, ErrorKind::kInternal));
    }
  }
  const std::uint64_t per_group = fs_->super->s_inodes_per_group * kInodeSize;
  for (std::uint64_t from = 0; from < bytes_.size(); from += per_group) {
    const auto group = static_cast<dgrp_t>(from / per_group);
    const auto part = std::span(bytes_).subspan(from, std::min<std::uint64_t>(per_group, bytes_.size() - from));
    if (auto put = device_.write(::ext2fs_inode_table_loc(fs_, group) * kBlock, part); !put) return put;
  }
  return {};
}

void describe(const archive::Inode& from, TimePoint made, ext2_inode_large& inode) {
  inode.i_extra_isize = sizeof(ext2_inode_large) - EXT2_GOOD_OLD_INODE_SIZE;
  inode.i_mode = static_cast<__u16>(type_bits(from.type) | (from.mode & 07777U));
  inode.i_uid = static_cast<__u16>(from.uid);
  inode.osd2.linux2.l_i_uid_high = static_cast<__u16>(from.uid >> 16U);
  inode.i_gid = static_cast<__u16>(from.gid);
  inode.osd2.linux2.l_i_gid_high = static_cast<__u16>(from.gid >> 16U);
  inode.i_links_count = static_cast<__u16>(from.links);
  const bool from_entry = from.origin.layer != archive::Origin::kNone;
  set_times(from_entry ? stamp(from.mtime, from.mtime_ns) : stamp(made), stamp(made), inode);
  if (from.type == EntryType::kCharDevice || from.type == EntryType::kBlockDevice) {
    set_device(from.device_major, from.device_minor, inode);
  }
}

void describe_folder(std::uint16_t mode, TimePoint made, ext2_inode_large& inode) {
  describe({.type = EntryType::kFolder, .mode = mode}, made, inode);
}

void set_size(ext2_inode_large& inode, std::uint64_t size) {
  inode.i_size = static_cast<__u32>(size);
  inode.i_size_high = static_cast<__u32>(size >> 32U);
}

}  // namespace slipway::volumes::ext4
