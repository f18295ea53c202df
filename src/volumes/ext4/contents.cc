#include "volumes/ext4/contents.h"

#include <algorithm>

#include "volumes/ext4/fill.h"
#include "volumes/ext4/format.h"
#include "volumes/ext4/xattrs.h"

namespace slipway::volumes::ext4 {
namespace {

constexpr std::uint64_t kReportEach = 1ULL << 20;  // bytes

// Blocks of a file that hold data, in order, neighbours as one.
struct Blocks {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
};

Result<std::vector<Blocks>> data_blocks(const archive::Entry& entry) {
  const std::vector<archive::Extent> whole{{0, entry.size}};
  std::vector<Blocks> out;
  std::uint64_t before = 0;
  for (const archive::Extent& piece : entry.sparse.empty() ? whole : entry.sparse) {
    if (piece.length == 0) continue;
    if (piece.offset < before || piece.offset > entry.size || piece.length > entry.size - piece.offset) {
      return fail(ErrorKind::kCorrupt, "its map of holes makes no sense");
    }
    before = piece.offset + piece.length;
    const Blocks blocks{piece.offset / kBlock, (before + kBlock - 1) / kBlock};
    if (!out.empty() && blocks.first <= out.back().end) {
      out.back().end = blocks.end;
    } else {
      out.push_back(blocks);
    }
  }
  return out;
}

std::uint64_t begin_of(const Extent& extent) { return extent.logical * kBlock; }
std::uint64_t end_of(const Extent& extent) {
  return (static_cast<std::uint64_t>(extent.logical) + extent.count) * kBlock;
}

}  // namespace

Contents::Contents(const Parts& parts) : parts_(parts), seen_(parts.numbers.size()) {}

Result<bool> Contents::begin(archive::InodeId inode, const archive::Entry& entry) {
  const auto id = static_cast<std::size_t>(inode);
  const ext2_ino_t number = parts_.numbers[id];
  if (seen_[id]) return fail(ErrorKind::kCorrupt, "entry {} comes twice", archive::printable(entry.path));
  seen_[id] = true;
  const auto named = [&](const Error& error) { return error.during("entry {}", archive::printable(entry.path)); };
  const auto xattrs = storable_xattrs(entry.type, entry.xattrs, xattrs_left_out_);
  auto stored = store_xattrs(parts_.fs, parts_.blocks, parts_.writer, number, xattrs, parts_.inodes.at(number));
  if (!stored) return named(stored.error());
  if (entry.type != archive::EntryType::kFile) return false;
  if (auto placed = place_file(number, entry); !placed) return named(placed.error());
  return true;
}

Result<> Contents::place_file(ext2_ino_t number, const archive::Entry& entry) {
  if (entry.size > kMostFileSize) {
    return fail(ErrorKind::kUnsupported, "a file of {} bytes is more than ext4 holds", entry.size);
  }
  extents_.clear();
  extent_ = 0;
  cursor_ = 0;
  auto pieces = data_blocks(entry);
  if (!pieces) return fail(std::move(pieces.error()));
  ext2_inode_large& inode = parts_.inodes.at(number);
  for (const Blocks& piece : *pieces) {
    const auto count = static_cast<std::uint32_t>(piece.end - piece.first);
    auto room = allocate(parts_.blocks, static_cast<std::uint32_t>(piece.first), count, extents_);
    if (!room) return room;
    add_blocks(inode, count);
  }
  set_size(inode, entry.size);
  if (!extents_.empty()) cursor_ = begin_of(extents_.front());
  return store_extents(parts_.fs, parts_.blocks, parts_.writer, number, extents_, inode);
}

Result<> Contents::pad(std::uint64_t to) {
  if (to == cursor_) return {};
  const Extent& extent = extents_[extent_];
  auto put = parts_.writer.zeros(extent.physical * kBlock + (cursor_ - begin_of(extent)), to - cursor_);
  cursor_ = to;
  return put;
}

Result<> Contents::next_extent() {
  if (auto padded = pad(end_of(extents_[extent_])); !padded) return padded;
  if (++extent_ < extents_.size()) cursor_ = begin_of(extents_[extent_]);
  return {};
}

Result<> Contents::bytes(std::uint64_t offset, std::span<const std::byte> bytes) {
  report(bytes.size());
  while (!bytes.empty()) {
    while (extent_ < extents_.size() && offset >= end_of(extents_[extent_])) {
      if (auto moved = next_extent(); !moved) return moved;
    }
    if (extent_ == extents_.size() || offset < cursor_) {
      return fail(ErrorKind::kCorrupt, "content stands where the file has a hole");
    }
    if (auto padded = pad(offset); !padded) return padded;
    const Extent& extent = extents_[extent_];
    const auto piece = bytes.first(std::min<std::uint64_t>(bytes.size(), end_of(extent) - offset));
    if (auto put = parts_.writer.write(extent.physical * kBlock + (offset - begin_of(extent)), piece); !put) return put;
    offset += piece.size();
    cursor_ = offset;
    bytes = bytes.subspan(piece.size());
  }
  return {};
}

Result<> Contents::end() {
  while (extent_ < extents_.size()) {
    if (auto moved = next_extent(); !moved) return moved;
  }
  return {};
}

void Contents::report(std::uint64_t more) {
  content_ += more;
  if (!parts_.progress || content_ - reported_ < kReportEach) return;
  reported_ = content_;
  parts_.progress(content_);
}

Result<> Contents::complete() const {
  for (std::size_t id = 0; id < seen_.size(); ++id) {
    const archive::Inode& inode = parts_.tree.inode(archive::InodeId{static_cast<std::uint32_t>(id)});
    if (inode.links == 0 || inode.origin.layer == archive::Origin::kNone || seen_[id]) continue;
    return fail(ErrorKind::kCorrupt, "the archive is not the one that was surveyed: it has become shorter");
  }
  return {};
}

}  // namespace slipway::volumes::ext4
