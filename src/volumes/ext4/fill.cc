#include "volumes/ext4/fill.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include <unistd.h>

#include "sys/system_error.h"
#include "volumes/ext4/block_allocator.h"
#include "volumes/ext4/block_writer.h"
#include "volumes/ext4/contents.h"
#include "volumes/ext4/device.h"
#include "volumes/ext4/folder_writer.h"
#include "volumes/ext4/format.h"
#include "volumes/ext4/inode_table.h"

namespace slipway::volumes::ext4 {
namespace {

using archive::EntryType;
using archive::InodeId;
using archive::NodeId;
using archive::Tree;

constexpr std::uint32_t kLostAndFoundBlocks = 4;
constexpr std::size_t kFastSymlink = EXT2_N_BLOCKS * sizeof(__u32);  // a target below this stands in the inode

std::uint8_t file_type(EntryType type) {
  switch (type) {
    case EntryType::kFolder: return EXT2_FT_DIR;
    case EntryType::kSymlink: return EXT2_FT_SYMLINK;
    case EntryType::kCharDevice: return EXT2_FT_CHRDEV;
    case EntryType::kBlockDevice: return EXT2_FT_BLKDEV;
    case EntryType::kFifo: return EXT2_FT_FIFO;
    case EntryType::kSocket: return EXT2_FT_SOCK;
    case EntryType::kFile:
    case EntryType::kHardLink: break;
  }
  return EXT2_FT_REG_FILE;
}

void count(const archive::Inode& inode, Counts& counts) {
  switch (inode.type) {
    case EntryType::kFile:
      ++counts.files;
      counts.bytes += inode.size;
      break;
    case EntryType::kFolder: ++counts.folders; break;
    case EntryType::kSymlink: ++counts.symlinks; break;
    default: ++counts.others; break;
  }
}

// The numbers of the image's inodes on the volume, folders before what is in them.
struct Numbering {
  std::vector<ext2_ino_t> numbers{};  // by id; 0: it is gone
  ext2_ino_t last = kRootfs;
  Counts counts{};
};

Result<Numbering> number(const Tree& tree) {
  Numbering out{.numbers = std::vector<ext2_ino_t>(tree.inode_count())};
  out.numbers[static_cast<std::size_t>(tree.inode_id(Tree::root()))] = kRootfs;
  std::optional<NodeId> overlinked;
  tree.walk([&](NodeId node) {
    ++out.counts.names;
    ext2_ino_t& place = out.numbers[static_cast<std::size_t>(tree.inode_id(node))];
    if (place != 0) return;
    place = ++out.last;
    count(tree.inode(node), out.counts);
    if (tree.inode(node).links > kMostLinks) overlinked = node;
  });
  if (overlinked) {
    return fail(ErrorKind::kUnsupported, "{} has {} names; a file of ext4 can have {}",
                archive::printable(tree.path(*overlinked)), tree.inode(*overlinked).links, kMostLinks);
  }
  return out;
}

// One volume on its way from nothing to a file system.
class Filling {
 public:
  Filling(Device& device, Filesystem& fs, InodeTable& inodes, const Numbering& numbering, const archive::Survey& survey,
          const FillOptions& options)
      : device_(device),
        filesystem_(fs),
        fs_(fs.get()),
        inodes_(inodes),
        numbers_(numbering.numbers),
        counts_(numbering.counts),
        survey_(survey),
        tree_(survey.tree),
        options_(options),
        blocks_(device, fs_),
        writer_(device),
        folders_(fs_, blocks_, writer_) {}

  [[nodiscard]] Result<> make_folders();
  [[nodiscard]] Result<> make_others();
  [[nodiscard]] Result<std::uint64_t> copy_contents(const archive::Input& input);
  [[nodiscard]] Result<> finish();

 private:
  [[nodiscard]] ext2_ino_t number_of(NodeId node) const {
    return numbers_[static_cast<std::size_t>(tree_.inode_id(node))];
  }
  [[nodiscard]] Result<> make_top();
  [[nodiscard]] Result<> make_folder(NodeId folder);
  [[nodiscard]] Result<> make_symlink(ext2_ino_t number, const std::string& target);

  Device& device_;
  Filesystem& filesystem_;
  ext2_filsys fs_;
  InodeTable& inodes_;
  const std::vector<ext2_ino_t>& numbers_;
  const Counts& counts_;
  const archive::Survey& survey_;
  const Tree& tree_;
  const FillOptions& options_;
  BlockAllocator blocks_;
  BlockWriter writer_;
  FolderWriter folders_;
};

void set_folder_links(ext2_inode_large& inode, std::uint64_t folders_within) {
  const std::uint64_t links = folders_within + 2;
  inode.i_links_count = links > kMostLinks ? __u16{1} : static_cast<__u16>(links);  // dir_nlink: 1 is "many"
}

Result<> Filling::make_top() {
  ext2_inode_large& root = inodes_.at(EXT2_ROOT_INO);
  describe_folder(0755, options_.time, root);
  set_folder_links(root, 2);
  const std::vector<FolderEntry> entries{{"lost+found", kLostAndFound, EXT2_FT_DIR},
                                         {kRootFolder, kRootfs, EXT2_FT_DIR}};
  if (auto done = folders_.write(EXT2_ROOT_INO, EXT2_ROOT_INO, entries, root); !done) return done;
  ext2_inode_large& lost = inodes_.at(kLostAndFound);
  describe_folder(0700, options_.time, lost);
  set_folder_links(lost, 0);
  return folders_.write_roomy(kLostAndFound, EXT2_ROOT_INO, kLostAndFoundBlocks, lost);
}

Result<> Filling::make_folder(NodeId folder) {
  std::vector<FolderEntry> entries;
  std::uint64_t folders_within = 0;
  tree_.for_each_child(folder, [&](NodeId child) {
    const EntryType type = tree_.inode(child).type;
    if (type == EntryType::kFolder) ++folders_within;
    entries.push_back({tree_.name(child), number_of(child), file_type(type)});
  });
  const ext2_ino_t number = number_of(folder);
  const ext2_ino_t parent = folder == Tree::root() ? ext2_ino_t{EXT2_ROOT_INO} : number_of(tree_.parent(folder));
  ext2_inode_large& inode = inodes_.at(number);
  describe(tree_.inode(folder), options_.time, inode);
  set_folder_links(inode, folders_within);
  if (auto done = folders_.write(number, parent, entries, inode); !done) {
    return done.error().during("folder {}", archive::printable(tree_.path(folder)));
  }
  return {};
}

Result<> Filling::make_folders() {
  if (auto done = make_top(); !done) return done;
  Result<> done = make_folder(Tree::root());
  tree_.walk([&](NodeId node) {
    if (done && tree_.inode(node).type == EntryType::kFolder) done = make_folder(node);
  });
  return done;
}

// All that is no folder; files are without content yet.
Result<> Filling::make_others() {
  for (std::size_t id = 0; id < numbers_.size(); ++id) {
    const archive::Inode& from = tree_.inode(InodeId{static_cast<std::uint32_t>(id)});
    const ext2_ino_t number = numbers_[id];
    if (number == 0 || from.type == EntryType::kFolder) continue;
    ext2_inode_large& inode = inodes_.at(number);
    describe(from, options_.time, inode);
    if (from.type != EntryType::kSymlink) continue;
    if (auto done = make_symlink(number, from.target); !done) return done;
  }
  return {};
}

Result<> Filling::make_symlink(ext2_ino_t number, const std::string& target) {
  if (target.empty() || target.size() >= kBlock) {
    return fail(ErrorKind::kUnsupported, "a symbolic link whose target has {} bytes cannot be stored", target.size());
  }
  ext2_inode_large& inode = inodes_.at(number);
  set_size(inode, target.size());
  if (target.size() < kFastSymlink) {
    std::memcpy(inode.i_block, target.data(), target.size());
    return {};
  }
  std::vector<Extent> extents;
  if (auto room = allocate(blocks_, 0, 1, extents); !room) return room;
  std::array<std::byte, kBlock> block{};
  std::memcpy(block.data(), target.data(), target.size());
  if (auto put = writer_.write(extents.front().physical * kBlock, block); !put) return put;
  add_blocks(inode, 1);
  return store_extents(fs_, blocks_, writer_, number, extents, inode);
}

// Returns the number of attributes that were left out.
Result<std::uint64_t> Filling::copy_contents(const archive::Input& input) {
  std::function<void(std::uint64_t)> report;
  if (options_.progress) report = [&](std::uint64_t written) { options_.progress(written, counts_.bytes); };
  Contents contents({fs_, blocks_, writer_, inodes_, numbers_, tree_, report});
  const std::array<archive::EntryConsumer*, 1> consumers{&contents};
  if (auto done = archive::replay(input, survey_, {}, consumers); !done) return fail(std::move(done.error()));
  if (auto done = contents.complete(); !done) return fail(std::move(done.error()));
  return contents.xattrs_left_out();
}

// The superblock is written last: until then there is no file system to be found.
Result<> Filling::finish() {
  if (auto done = writer_.flush(); !done) return done;
  blocks_.finish();
  if (auto done = inodes_.finish(); !done) return done;
  return finish_format(device_, filesystem_);
}

Result<> check(const Target& target, const FillOptions& options) {
  if (target.size < kLeastVolume || target.size > kMostVolume) {
    return fail(ErrorKind::kInvalid, "a volume of {} bytes is too {}: it must have {} to {}", target.size,
                target.size < kLeastVolume ? "small" : "large", kLeastVolume, kMostVolume);
  }
  if (options.label.size() > kMostLabel || options.label.contains('\0')) {
    return fail(ErrorKind::kInvalid, "the label {} is longer than {} bytes, or has a zero byte in it",
                archive::printable(options.label), kMostLabel);
  }
  return {};
}

// Others may have cut the file that lies beneath; writing behind its end would only hide that. (fstat() would be a call
// with a name in it, which the sandbox does not let pass.)
Result<> check_size(const Target& target) {
  const off_t end = ::lseek(target.fd, 0, SEEK_END);
  if (end < 0) return fail(sys::system_error("look at", "the volume", errno));
  if (static_cast<std::uint64_t>(end) < target.size) {
    return fail(ErrorKind::kIo, "the volume has {} bytes instead of {}: somebody else changes it", end, target.size);
  }
  return {};
}

}  // namespace

Result<Filled> fill(const Target& target, const archive::Input& input, const archive::Survey& survey,
                    const FillOptions& options) {
  const auto doing = [](const Error& error) { return error.during("fill the volume"); };
  if (auto fine = check(target, options); !fine) return doing(fine.error());
  if (auto fine = check_size(target); !fine) return doing(fine.error());
  auto numbering = number(survey.tree);
  if (!numbering) return doing(numbering.error());
  Device device(target.fd, target.size);
  auto fs = format(device, target.zeroed, numbering->last - EXT2_GOOD_OLD_FIRST_INO + 1, options);
  if (!fs) return doing(fs.error());
  auto inodes = InodeTable::open(device, fs->get(), numbering->last);
  if (!inodes) return doing(inodes.error());
  Filling filling(device, *fs, *inodes, *numbering, survey, options);
  if (auto done = filling.make_folders(); !done) return doing(done.error());
  if (auto done = filling.make_others(); !done) return doing(done.error());
  auto left_out = filling.copy_contents(input);
  if (!left_out) return doing(left_out.error());
  if (auto done = filling.finish(); !done) return doing(done.error());
  if (auto fine = check_size(target); !fine) return doing(fine.error());
  return Filled{.counts = numbering->counts, .written = device.written(), .xattrs_left_out = *left_out};
}

}  // namespace slipway::volumes::ext4
