#include "volumes/ext4/look.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "volumes/ext4/device.h"
#include "volumes/ext4/format.h"

namespace slipway::volumes::ext4 {
namespace {

struct Child {
  ext2_ino_t number = 0;
  std::uint8_t type = EXT2_FT_UNKNOWN;
  std::string name{};  // only where names matter
};

std::unexpected<Error> damaged(std::string_view what) {
  return fail(ErrorKind::kCorrupt, "the volume's file system is damaged: {}", what);
}

std::uint8_t type_of(const ext2_inode& inode) {
  if (LINUX_S_ISREG(inode.i_mode)) return EXT2_FT_REG_FILE;
  if (LINUX_S_ISDIR(inode.i_mode)) return EXT2_FT_DIR;
  if (LINUX_S_ISLNK(inode.i_mode)) return EXT2_FT_SYMLINK;
  if (LINUX_S_ISCHR(inode.i_mode)) return EXT2_FT_CHRDEV;
  if (LINUX_S_ISBLK(inode.i_mode)) return EXT2_FT_BLKDEV;
  if (LINUX_S_ISFIFO(inode.i_mode)) return EXT2_FT_FIFO;
  if (LINUX_S_ISSOCK(inode.i_mode)) return EXT2_FT_SOCK;
  return EXT2_FT_UNKNOWN;
}

Place place_of(const ext2_inode& inode) {
  return {.folder = LINUX_S_ISDIR(inode.i_mode) != 0,
          .mode = static_cast<std::uint16_t>(inode.i_mode & 07777U),
          .uid = inode_uid(inode),
          .gid = inode_gid(inode)};
}

// The entries of one folder, as libext2fs hands them out.
struct Listing {
  std::vector<Child> children{};
  std::uint64_t left = 0;  // so many more entries can be on the volume at all
  bool with_names = false;
  bool endless = false;

  static int take(ext2_ino_t /*folder*/, int kind, ext2_dir_entry* entry, int /*offset*/, int /*size*/, char* /*block*/,
                  void* self) {
    auto& listing = *static_cast<Listing*>(self);
    if (listing.left-- == 0) {
      listing.endless = true;
      return DIRENT_ABORT;
    }
    if (kind != DIRENT_OTHER_FILE || entry->inode == 0) return 0;
    Child child{.number = entry->inode, .type = static_cast<std::uint8_t>(ext2fs_dirent_file_type(entry))};
    if (listing.with_names) child.name.assign(entry->name, static_cast<std::size_t>(ext2fs_dirent_name_len(entry)));
    listing.children.push_back(std::move(child));
    return 0;
  }
};

class Look {
 public:
  Look(Device& device, ext2_filsys fs)
      : device_(device), fs_(fs), seen_(std::size_t{fs->super->s_inodes_count} + 1), left_(device.size() / kLeast) {}

  [[nodiscard]] Result<Layout> run();

 private:
  static constexpr std::uint64_t kLeast = 8;  // bytes that an entry of a folder takes

  [[nodiscard]] std::unexpected<Error> failed(errcode_t code) const {
    return device_.error(code, ErrorKind::kCorrupt).during("look at the volume's file system");
  }
  [[nodiscard]] Result<ext2_inode> inode(const Child& child);
  [[nodiscard]] Result<std::vector<Child>> list(ext2_ino_t folder, bool with_names);
  [[nodiscard]] Result<> walk(ext2_ino_t root);
  [[nodiscard]] Result<> visit(const Child& child);
  void note(const Child& child, const ext2_inode& inode);

  Device& device_;
  ext2_filsys fs_;
  std::vector<bool> seen_;
  std::uint64_t left_;
  std::vector<ext2_ino_t> folders_;  // to be listed
  Layout layout_;
};

Result<std::vector<Child>> Look::list(ext2_ino_t folder, bool with_names) {
  Listing listing{.left = left_, .with_names = with_names};
  const errcode_t code =
      ::ext2fs_dir_iterate2(fs_, folder, DIRENT_FLAG_INCLUDE_EMPTY, nullptr, Listing::take, &listing);
  if (code != 0) return failed(code);
  if (listing.endless) return damaged("its folders have more entries than it has room for");
  left_ = listing.left;
  std::ranges::sort(listing.children, {}, &Child::number);  // inodes are read from front to back
  return std::move(listing.children);
}

Result<ext2_inode> Look::inode(const Child& child) {
  if (child.number < EXT2_GOOD_OLD_FIRST_INO || child.number >= seen_.size()) {
    return damaged("a name stands for an inode that there cannot be");
  }
  ext2_inode inode{};
  if (const errcode_t code = ::ext2fs_read_inode(fs_, child.number, &inode); code != 0) return failed(code);
  if (inode.i_links_count == 0) return damaged("a name stands for an inode that is free");
  if (type_of(inode) == EXT2_FT_UNKNOWN || type_of(inode) != child.type) return damaged("an inode is of another type");
  return inode;
}

void Look::note(const Child& child, const ext2_inode& inode) {
  for (const auto& [name, place] :
       {std::pair{"etc", &layout_.etc}, std::pair{"usr", &layout_.usr}, std::pair{"var", &layout_.var}}) {
    if (child.name == name) *place = place_of(inode);
  }
}

Result<> Look::visit(const Child& child) {
  auto inode = this->inode(child);
  if (!inode) return fail(std::move(inode.error()));
  Counts& counts = layout_.counts;
  ++counts.names;
  note(child, *inode);
  const bool again = seen_[child.number];
  seen_[child.number] = true;
  if (again && child.type == EXT2_FT_DIR) return damaged("a folder has two names");
  if (again) return {};
  switch (child.type) {
    case EXT2_FT_DIR:
      ++counts.folders;
      folders_.push_back(child.number);
      break;
    case EXT2_FT_REG_FILE:
      ++counts.files;
      counts.bytes += EXT2_I_SIZE(&*inode);
      break;
    case EXT2_FT_SYMLINK: ++counts.symlinks; break;
    default: ++counts.others; break;
  }
  return {};
}

Result<> Look::walk(ext2_ino_t root) {
  seen_[root] = true;
  folders_.push_back(root);
  while (!folders_.empty()) {
    const ext2_ino_t folder = folders_.back();
    folders_.pop_back();
    auto children = list(folder, /*with_names=*/folder == root);
    if (!children) return fail(std::move(children.error()));
    for (const Child& child : *children) {
      if (auto visited = visit(child); !visited) return visited;
    }
  }
  return {};
}

Result<Layout> Look::run() {
  auto top = list(EXT2_ROOT_INO, /*with_names=*/true);
  if (!top) return fail(std::move(top.error()));
  const auto found = std::ranges::find(*top, kRootFolder, &Child::name);
  if (found == top->end()) return layout_;
  auto root = inode(*found);
  if (!root) return fail(std::move(root.error()));
  layout_.rootfs = place_of(*root);
  if (!layout_.rootfs->folder) return layout_;
  if (auto walked = walk(found->number); !walked) return fail(std::move(walked.error()));
  return layout_;
}

// What libext2fs takes from the superblock before it looks at anything else decides how much memory it asks for.
Result<> check_superblock(const Device& device) {
  ext2_super_block super{};
  static_assert(sizeof super == SUPERBLOCK_SIZE);
  auto read = device.read(SUPERBLOCK_OFFSET, std::as_writable_bytes(std::span(&super, 1)));
  if (!read) return read;
  if (super.s_magic != EXT2_SUPER_MAGIC) return fail(ErrorKind::kCorrupt, "the volume holds no ext4 file system");
  const std::uint64_t blocks = super.s_blocks_count + (std::uint64_t{super.s_blocks_count_hi} << 32U);
  if (super.s_log_block_size != 2 || super.s_inode_size != kInodeSize) return damaged("it is not of our making");
  if (blocks == 0 || blocks > device.size() / kBlock) return damaged("it has more blocks than the volume");
  if (super.s_inodes_count > device.size() / kInodeSize) return damaged("it has more inodes than the volume has room");
  if (super.s_blocks_per_group < kBlock) return damaged("its groups are too small");
  return {};
}

}  // namespace

Result<Layout> look(int fd, std::uint64_t size) {
  Device device(fd, size);
  if (auto fine = check_superblock(device); !fine) return fine.error().during("look at the volume");
  ext2_filsys raw = nullptr;
  {
    const Opening opening(device);
    const errcode_t code = ::ext2fs_open2("volume", nullptr, EXT2_FLAG_64BITS, 0, 0, Opening::manager(), &raw);
    if (code != 0) return device.error(code, ErrorKind::kCorrupt).during("look at the volume");
  }
  const Filesystem filesystem(raw);
  return Look(device, raw).run();
}

}  // namespace slipway::volumes::ext4
