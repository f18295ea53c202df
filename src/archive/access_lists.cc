#include "archive/access_lists.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include <archive.h>
#include <archive_entry.h>

namespace slipway::archive {
namespace {

// As <linux/posix_acl_xattr.h> has them.
constexpr std::uint32_t kVersion = 2;
constexpr std::uint32_t kNobody = 0xffffffff;  // the number of entries that name nobody

struct ListEntry {
  std::uint16_t tag = 0;
  std::uint16_t permissions = 0;
  std::uint32_t id = kNobody;
};

constexpr std::uint16_t kNamedUser = 0x02;
constexpr std::uint16_t kNamedGroup = 0x08;
constexpr std::uint16_t kMask = 0x10;

std::uint16_t tag_of(int tag) {
  switch (tag) {
    case ARCHIVE_ENTRY_ACL_USER_OBJ: return 0x01;
    case ARCHIVE_ENTRY_ACL_USER: return kNamedUser;
    case ARCHIVE_ENTRY_ACL_GROUP_OBJ: return 0x04;
    case ARCHIVE_ENTRY_ACL_GROUP: return kNamedGroup;
    case ARCHIVE_ENTRY_ACL_MASK: return kMask;
    case ARCHIVE_ENTRY_ACL_OTHER: return 0x20;
    default: return 0;
  }
}

struct List {
  std::vector<ListEntry> entries{};
  bool numbered = true;  // everybody in it has a number
};

List read_list(struct archive_entry* raw, int which) {
  List list;
  int type = 0;
  int permissions = 0;
  int tag = 0;
  int id = -1;
  const char* name = nullptr;
  if (archive_entry_acl_reset(raw, which) == 0) return list;
  while (archive_entry_acl_next(raw, which, &type, &permissions, &tag, &id, &name) == ARCHIVE_OK) {
    ListEntry entry{.tag = tag_of(tag), .permissions = static_cast<std::uint16_t>(permissions & 7), .id = kNobody};
    if (entry.tag == kNamedUser || entry.tag == kNamedGroup) {
      if (id < 0) list.numbered = false;
      entry.id = static_cast<std::uint32_t>(id);
    }
    list.entries.push_back(entry);
  }
  std::ranges::sort(list.entries, {}, [](const ListEntry& entry) { return std::tuple(entry.tag, entry.id); });
  return list;
}

template <class Number>
void append(std::string& out, Number number) {
  for (unsigned shift = 0; shift < 8 * sizeof number; shift += 8) out += static_cast<char>(number >> shift);
}

std::string attribute(const std::vector<ListEntry>& entries) {
  std::string out;
  append(out, kVersion);
  for (const ListEntry& entry : entries) {
    append(out, entry.tag);
    append(out, entry.permissions);
    append(out, entry.id);
  }
  return out;
}

void copy_list(const List& list, const char* archived, const char* linux, Entry& entry) {
  if (list.entries.empty()) return;
  entry.xattrs.emplace_back(list.numbered ? linux : archived, attribute(list.entries));
}

}  // namespace

void copy_access_lists(struct archive_entry* raw, Entry& entry) {
  const List access = read_list(raw, ARCHIVE_ENTRY_ACL_TYPE_ACCESS);
  for (const ListEntry& part : access.entries) {
    // libarchive has put the owning group's bits there.
    if (part.tag == kMask)
      entry.mode = static_cast<std::uint16_t>((entry.mode & ~070U) | unsigned{part.permissions} << 3U);
  }
  copy_list(access, "SCHILY.acl.access", "system.posix_acl_access", entry);
  copy_list(read_list(raw, ARCHIVE_ENTRY_ACL_TYPE_DEFAULT), "SCHILY.acl.default", "system.posix_acl_default", entry);
}

}  // namespace slipway::archive
