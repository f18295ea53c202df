#include "volumes/ext4/xattrs.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>

#include <ext2fs/ext2_ext_attr.h>

#include "volumes/ext4/extent_tree.h"
#include "volumes/ext4/format.h"

namespace slipway::volumes::ext4 {
namespace {

using archive::EntryType;

constexpr std::uint8_t kUser = 1;
constexpr std::uint8_t kAclAccess = 2;
constexpr std::uint8_t kAclDefault = 3;
constexpr std::uint8_t kTrusted = 4;
constexpr std::uint8_t kSecurity = 6;
constexpr std::size_t kMostName = 255;

struct AclEntry {
  std::uint16_t tag = 0;
  std::uint16_t permissions = 0;
  std::uint32_t id = 0;
};

template <class T>
T little_endian(std::string_view text, std::size_t at) {
  T value = 0;
  for (std::size_t i = sizeof(T); i-- > 0;) {
    value = static_cast<T>(static_cast<std::uint64_t>(value) << 8U | static_cast<unsigned char>(text[at + i]));
  }
  return value;
}

template <class T>
void append_little_endian(std::string& out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) out += static_cast<char>(value >> (8 * i) & 0xffU);
}

constexpr std::uint16_t kOwner = 1;
constexpr std::uint16_t kNamedUser = 2;
constexpr std::uint16_t kGroup = 4;
constexpr std::uint16_t kNamedGroup = 8;
constexpr std::uint16_t kMask = 16;
constexpr std::uint16_t kOther = 32;

// In the order of their tags, owner, group and other once, a mask at most once and whenever somebody is named.
bool valid(const std::vector<AclEntry>& list) {
  std::map<std::uint16_t, int> seen;
  std::uint16_t before = 0;
  for (const AclEntry& entry : list) {
    if (entry.tag < before || entry.permissions > 7) return false;
    before = entry.tag;
    ++seen[entry.tag];
  }
  const int named = seen[kNamedUser] + seen[kNamedGroup];
  const int known = seen[kOwner] + seen[kGroup] + seen[kOther] + seen[kMask] + named;
  return known == static_cast<int>(list.size()) && seen[kOwner] == 1 && seen[kGroup] == 1 && seen[kOther] == 1 &&
         seen[kMask] <= 1 && (named == 0 || seen[kMask] == 1);
}

// An access list as programs see it (version 2) made into the one on disk (version 1). None when it is malformed.
std::optional<std::string> acl_on_disk(std::string_view value) {
  if (value.size() < 4 || value.size() % 8 != 4 || little_endian<std::uint32_t>(value, 0) != 2) return std::nullopt;
  std::vector<AclEntry> list;
  for (std::size_t at = 4; at < value.size(); at += 8) {
    list.push_back({little_endian<std::uint16_t>(value, at), little_endian<std::uint16_t>(value, at + 2),
                    little_endian<std::uint32_t>(value, at + 4)});
  }
  if (!valid(list)) return std::nullopt;
  std::string out;
  append_little_endian(out, std::uint32_t{1});
  for (const AclEntry& entry : list) {
    append_little_endian(out, entry.tag);
    append_little_endian(out, entry.permissions);
    if (entry.tag == kNamedUser || entry.tag == kNamedGroup) append_little_endian(out, entry.id);
  }
  return out;
}

std::optional<Xattr> storable(EntryType type, std::string_view name, const std::string& value) {
  const bool holds_users = type == EntryType::kFile || type == EntryType::kFolder;
  if (name == "system.posix_acl_access" || name == "system.posix_acl_default") {
    const bool access = name == "system.posix_acl_access";
    if (access ? type == EntryType::kSymlink : type != EntryType::kFolder) return std::nullopt;
    auto list = acl_on_disk(value);
    if (!list) return std::nullopt;
    return Xattr{access ? kAclAccess : kAclDefault, "", std::move(*list)};
  }
  for (const auto& [prefix, index] :
       {std::pair{std::string_view("user."), kUser}, std::pair{std::string_view("trusted."), kTrusted},
        std::pair{std::string_view("security."), kSecurity}}) {
    if (!name.starts_with(prefix)) continue;
    const std::string_view rest = name.substr(prefix.size());
    if (rest.empty() || name.size() > kMostName || (index == kUser && !holds_users)) return std::nullopt;
    return Xattr{index, std::string(rest), value};
  }
  return std::nullopt;
}

// Attributes put into one of their two places: entries from the front, values from the back.
class Area {
 public:
  // Places of values are counted from `base`; entries begin at `begin`.
  Area(std::span<std::byte> bytes, std::size_t base, std::size_t begin)
      : bytes_(bytes), base_(base), entry_(begin), value_(bytes.size()) {}

  [[nodiscard]] bool add(const Xattr& xattr, bool hashed) {
    const std::size_t entry = EXT2_EXT_ATTR_LEN(xattr.name.size());
    const std::size_t value = EXT2_EXT_ATTR_SIZE(xattr.value.size());
    constexpr std::size_t kEnd = 4;  // zeros behind the last entry
    if (entry + value + kEnd > value_ - entry_) return false;
    value_ -= value;
    std::memcpy(bytes_.data() + value_, xattr.value.data(), xattr.value.size());
    ext2_ext_attr_entry raw{};
    raw.e_name_len = static_cast<__u8>(xattr.name.size());
    raw.e_name_index = xattr.index;
    raw.e_value_offs = value == 0 ? __u16{0} : static_cast<__u16>(value_ - base_);
    raw.e_value_size = static_cast<__u32>(xattr.value.size());
    std::byte* at = bytes_.data() + entry_;
    std::memcpy(at, &raw, sizeof raw);
    std::memcpy(at + sizeof raw, xattr.name.data(), xattr.name.size());
    if (hashed) {
      raw.e_hash = ::ext2fs_ext_attr_hash_entry(reinterpret_cast<ext2_ext_attr_entry*>(at), bytes_.data() + value_);
      std::memcpy(at, &raw, sizeof raw);
    }
    entry_ += entry;
    return true;
  }

 private:
  std::span<std::byte> bytes_;
  std::size_t base_;
  std::size_t entry_;
  std::size_t value_;
};

Result<> store_block(ext2_filsys fs, BlockAllocator& blocks, BlockWriter& writer, ext2_ino_t number,
                     std::array<std::byte, kBlock>& block, ext2_inode_large& inode) {
  auto place = blocks.take(1);
  if (!place) return fail(std::move(place.error()));
  auto* header = reinterpret_cast<ext2_ext_attr_header*>(block.data());
  header->h_magic = EXT2_EXT_ATTR_MAGIC;
  header->h_refcount = 1;
  header->h_blocks = 1;
  ::ext2fs_ext_attr_block_rehash(header, reinterpret_cast<ext2_ext_attr_entry*>(block.data() + kBlock));
  ::ext2fs_ext_attr_block_csum_set(fs, number, place->start, header);
  inode.i_file_acl = static_cast<__u32>(place->start);
  inode.osd2.linux2.l_i_file_acl_high = static_cast<__u16>(place->start >> 32U);
  add_blocks(inode, 1);
  return writer.write(place->start * kBlock, block);
}

}  // namespace

std::vector<Xattr> storable_xattrs(EntryType type, const std::vector<std::pair<std::string, std::string>>& given,
                                   std::uint64_t& left_out) {
  std::map<std::tuple<std::uint8_t, std::size_t, std::string>, Xattr> kept;
  for (const auto& [name, value] : given) {
    auto xattr = storable(type, name, value);
    if (!xattr) {
      ++left_out;
      continue;
    }
    const auto key = std::tuple(xattr->index, xattr->name.size(), xattr->name);
    kept.insert_or_assign(key, std::move(*xattr));
  }
  std::vector<Xattr> out;
  for (auto& [_, xattr] : kept) out.push_back(std::move(xattr));
  return out;
}

Result<> store_xattrs(ext2_filsys fs, BlockAllocator& blocks, BlockWriter& writer, ext2_ino_t number,
                      const std::vector<Xattr>& xattrs, ext2_inode_large& inode) {
  if (xattrs.empty()) return {};
  const std::span raw(reinterpret_cast<std::byte*>(&inode), kInodeSize);
  const std::size_t magic_at = EXT2_GOOD_OLD_INODE_SIZE + inode.i_extra_isize;
  const __u32 magic = EXT2_EXT_ATTR_MAGIC;
  Area in_inode(raw, magic_at + sizeof magic, magic_at + sizeof magic);
  alignas(8) std::array<std::byte, kBlock> block{};
  Area beside(block, 0, sizeof(ext2_ext_attr_header));
  bool used_inode = false;
  bool used_block = false;
  for (const Xattr& xattr : xattrs) {
    if (in_inode.add(xattr, /*hashed=*/false)) {
      used_inode = true;
    } else if (beside.add(xattr, /*hashed=*/true)) {
      used_block = true;
    } else {
      return fail(ErrorKind::kUnsupported, "its extended attributes are more than ext4 holds: a block of {} bytes",
                  kBlock);
    }
  }
  if (used_inode) std::memcpy(raw.data() + magic_at, &magic, sizeof magic);
  if (!used_block) return {};
  return store_block(fs, blocks, writer, number, block, inode);
}

}  // namespace slipway::volumes::ext4
