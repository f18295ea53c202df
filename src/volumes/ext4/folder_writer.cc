#include "volumes/ext4/folder_writer.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <tuple>

#include "volumes/ext4/checksum.h"
#include "volumes/ext4/format.h"

namespace slipway::volumes::ext4 {
namespace {

constexpr std::size_t kHead = 8;                            // of an entry, before its name
constexpr std::size_t kTail = sizeof(ext2_dir_entry_tail);  // of a block of entries: its checksum
constexpr std::size_t kRoom = kBlock - kTail;               // for entries
constexpr std::size_t kSlack = kBlock / 8;                  // left free in each block of an index, for names to come
constexpr std::size_t kRootAt = 32;                         // where the index begins in its first block
constexpr std::size_t kNodeAt = 8;                          // and in those below
constexpr std::size_t kIndexTail = sizeof(ext2_dx_tail);
constexpr std::size_t kInRoot = (kBlock - kRootAt - kIndexTail) / sizeof(ext2_dx_entry);
constexpr std::size_t kInNode = (kBlock - kNodeAt - kIndexTail) / sizeof(ext2_dx_entry);

constexpr std::size_t entry_size(std::size_t name) { return (kHead + name + 3) & ~std::size_t{3}; }

struct IndexEntry {
  std::uint32_t hash = 0;
  std::uint32_t block = 0;  // of the folder
};

}  // namespace

// A block of a folder under construction.
class FolderWriter::Block {
 public:
  [[nodiscard]] bool fits(std::string_view name) const { return end_ + entry_size(name.size()) <= kRoom; }

  void add(const FolderEntry& entry) {
    last_ = end_;
    put_head(last_, entry.number, entry_size(entry.name.size()), entry.name.size(), entry.type);
    std::memcpy(&bytes_[last_ + kHead], entry.name.data(), entry.name.size());
    end_ += entry_size(entry.name.size());
  }

  // The last entry reaches to the end.
  void finish(std::uint32_t seed) {
    stretch(kRoom);
    ext2_dir_entry_tail tail{};
    tail.det_rec_len = kTail;
    tail.det_reserved_name_len = EXT2_DIR_NAME_LEN_CSUM;
    tail.det_checksum = crc32c(seed, std::span(bytes_).first<kRoom>());
    std::memcpy(&bytes_[kRoom], &tail, sizeof tail);
  }

  // Makes it a block of the index, with what was added standing in front.
  void finish_index(std::uint32_t seed, std::size_t at, std::size_t limit, std::span<const IndexEntry> entries) {
    stretch(kBlock);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const ext2_dx_entry raw{entries[i].hash, entries[i].block};
      std::memcpy(&bytes_[at + i * sizeof raw], &raw, sizeof raw);
    }
    // In place of the first hash, which is always 0.
    const ext2_dx_countlimit counts{static_cast<__u16>(limit), static_cast<__u16>(entries.size())};
    std::memcpy(&bytes_[at], &counts, sizeof counts);
    const std::size_t used = at + entries.size() * sizeof(ext2_dx_entry);
    ext2_dx_tail tail{};
    std::uint32_t sum = crc32c(seed, std::span(bytes_).first(used));
    sum = crc32c(sum, std::as_bytes(std::span(&tail, 1)));
    tail.dt_checksum = sum;
    std::memcpy(&bytes_[kBlock - kIndexTail], &tail, sizeof tail);
  }

  void put_root_info(int hash_version, std::uint8_t levels) {
    ext2_dx_root_info info{};
    info.hash_version = static_cast<__u8>(hash_version);
    info.info_length = sizeof info;
    info.indirect_levels = levels;
    std::memcpy(&bytes_[kRootAt - sizeof info], &info, sizeof info);
  }

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  void put_head(std::size_t at, ext2_ino_t number, std::size_t size, std::size_t name, std::uint8_t type) {
    const __u32 raw_number = number;
    const __u16 raw_size = static_cast<__u16>(size);
    std::memcpy(&bytes_[at], &raw_number, 4);
    std::memcpy(&bytes_[at + 4], &raw_size, 2);
    bytes_[at + 6] = static_cast<std::byte>(name);
    bytes_[at + 7] = static_cast<std::byte>(type);
  }
  // An empty block has one entry that is none.
  void stretch(std::size_t to) {
    const __u16 size = static_cast<__u16>(to - last_);
    std::memcpy(&bytes_[last_ + 4], &size, 2);
  }

  std::array<std::byte, kBlock> bytes_{};
  std::size_t last_ = 0;
  std::size_t end_ = 0;
};

FolderWriter::FolderWriter(ext2_filsys fs, BlockAllocator& blocks, BlockWriter& writer)
    : fs_(fs),
      blocks_(blocks),
      writer_(writer),
      // The hash of a name depends on whether a char has a sign where the file system was made.
      hash_version_(fs->super->s_def_hash_version + ((fs->super->s_flags & EXT2_FLAGS_UNSIGNED_HASH) != 0 ? 3 : 0)) {}

Result<> FolderWriter::begin(ext2_ino_t number, std::uint32_t blocks, ext2_inode_large& inode) {
  number_ = number;
  seed_ = checksum_seed(fs_, number);
  extents_.clear();
  extent_ = 0;
  within_ = 0;
  if (auto room = allocate(blocks_, 0, blocks, extents_); !room) return room;
  inode.i_size = static_cast<__u32>(blocks * kBlock);
  inode.i_size_high = static_cast<__u32>((blocks * kBlock) >> 32U);
  add_blocks(inode, blocks);
  return store_extents(fs_, blocks_, writer_, number, extents_, inode);
}

Result<> FolderWriter::put(const Block& block) {
  assert(extent_ < extents_.size());
  const Extent& extent = extents_[extent_];
  const std::uint64_t place = extent.physical + within_;
  if (++within_ == extent.count) {
    ++extent_;
    within_ = 0;
  }
  return writer_.write(place * kBlock, block.bytes());
}

Result<> FolderWriter::write(ext2_ino_t number, ext2_ino_t parent, const std::vector<FolderEntry>& entries,
                             ext2_inode_large& inode) {
  Block only;
  only.add({".", number, EXT2_FT_DIR});
  only.add({"..", parent, EXT2_FT_DIR});
  for (const FolderEntry& entry : entries) {
    if (!only.fits(entry.name)) return write_indexed(number, parent, entries, inode);
    only.add(entry);
  }
  if (auto begun = begin(number, 1, inode); !begun) return begun;
  only.finish(seed_);
  return put(only);
}

Result<> FolderWriter::write_roomy(ext2_ino_t number, ext2_ino_t parent, std::uint32_t blocks,
                                   ext2_inode_large& inode) {
  if (auto begun = begin(number, blocks, inode); !begun) return begun;
  Block first;
  first.add({".", number, EXT2_FT_DIR});
  first.add({"..", parent, EXT2_FT_DIR});
  first.finish(seed_);
  if (auto done = put(first); !done) return done;
  Block empty;
  empty.finish(seed_);
  for (std::uint32_t i = 1; i < blocks; ++i) {
    if (auto done = put(empty); !done) return done;
  }
  return {};
}

std::vector<FolderWriter::Hashed> FolderWriter::sorted(const std::vector<FolderEntry>& entries) const {
  std::vector<Hashed> order;
  order.reserve(entries.size());
  for (std::uint32_t i = 0; i < entries.size(); ++i) {
    Hashed hashed{.entry = i};
    // Fails only for versions that it does not know.
    ::ext2fs_dirhash(hash_version_, entries[i].name.data(), static_cast<int>(entries[i].name.size()),
                     fs_->super->s_hash_seed, &hashed.hash, &hashed.minor);
    order.push_back(hashed);
  }
  std::ranges::sort(order, {}, [](const Hashed& h) { return std::tuple(h.hash, h.minor, h.entry); });
  return order;
}

std::vector<FolderWriter::Leaf> FolderWriter::leaves(const std::vector<FolderEntry>& entries,
                                                     const std::vector<Hashed>& order) {
  std::vector<Leaf> out{{0, 0}};
  std::size_t used = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t size = entry_size(entries[order[i].entry].name.size());
    if (used + size > kRoom - kSlack) {
      // Names of one hash may stand in two blocks: the lowest bit of the second one's hash says so.
      const bool continued = order[i].hash == order[i - 1].hash;
      out.push_back({i, order[i].hash | (continued ? 1U : 0U)});
      used = 0;
    }
    used += size;
  }
  return out;
}

// The first block, and below it those of the second level when one level is not enough.
Result<> FolderWriter::put_index(ext2_ino_t parent, const std::vector<Leaf>& leaves) {
  const std::size_t nodes = leaves.size() <= kInRoot ? 0 : (leaves.size() + kInNode - 1) / kInNode;
  std::vector<IndexEntry> all;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    all.push_back({leaves[i].hash, static_cast<std::uint32_t>(1 + nodes + i)});
  }
  std::vector<IndexEntry> top;
  for (std::size_t i = 0; i < nodes; ++i) top.push_back({all[i * kInNode].hash, static_cast<std::uint32_t>(1 + i)});

  Block root;
  root.add({".", number_, EXT2_FT_DIR});
  root.add({"..", parent, EXT2_FT_DIR});
  root.put_root_info(fs_->super->s_def_hash_version, nodes > 0 ? 1 : 0);
  root.finish_index(seed_, kRootAt, kInRoot, nodes > 0 ? top : all);
  if (auto done = put(root); !done) return done;
  for (std::size_t i = 0; i < nodes; ++i) {
    Block node;
    const std::size_t from = i * kInNode;
    node.finish_index(seed_, kNodeAt, kInNode, std::span(all).subspan(from, std::min(kInNode, all.size() - from)));
    if (auto done = put(node); !done) return done;
  }
  return {};
}

Result<> FolderWriter::write_indexed(ext2_ino_t number, ext2_ino_t parent, const std::vector<FolderEntry>& entries,
                                     ext2_inode_large& inode) {
  const std::vector<Hashed> order = sorted(entries);
  const std::vector<Leaf> parts = leaves(entries, order);
  if (parts.size() > kInRoot * kInNode) {
    return fail(ErrorKind::kUnsupported, "a folder of {} names is more than ext4 indexes", entries.size());
  }
  const std::size_t nodes = parts.size() <= kInRoot ? 0 : (parts.size() + kInNode - 1) / kInNode;
  const auto blocks = static_cast<std::uint32_t>(1 + nodes + parts.size());
  if (auto begun = begin(number, blocks, inode); !begun) return begun;
  inode.i_flags |= EXT2_INDEX_FL;
  if (auto done = put_index(parent, parts); !done) return done;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Block leaf;
    const std::size_t end = i + 1 < parts.size() ? parts[i + 1].first : order.size();
    for (std::size_t at = parts[i].first; at < end; ++at) leaf.add(entries[order[at].entry]);
    leaf.finish(seed_);
    if (auto done = put(leaf); !done) return done;
  }
  return {};
}

}  // namespace slipway::volumes::ext4
