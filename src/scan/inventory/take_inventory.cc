#include "scan/inventory/take_inventory.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "scan/inventory/first_look.h"

namespace slipway::scan {
namespace {

using archive::InodeId;
using archive::NodeId;

// Where package managers look, whatever stands there is a link to.
constexpr auto kFolders =
    std::to_array<std::string_view>({"lib/apk/db", "usr/lib/apk/db", "usr/lib/sysimage/rpm", "usr/share/rpm",
                                     "var/lib/dpkg", "var/lib/dpkg/info", "var/lib/dpkg/status.d", "var/lib/rpm"});
constexpr auto kFiles = std::to_array<std::string_view>({"etc/os-release", "usr/lib/os-release"});

// A file that has still to be read, under the name by which it is wanted.
struct WantedFile {
  std::string path{};
  const FileReader* reader = nullptr;
};

// One that has several names is read once by each reader that wants one of them.
using WantedFiles = std::map<InodeId, std::vector<WantedFile>>;

// Takes what was found at the first look, of the files that are there in the end. What is left wants a second one.
class SortingOut {
 public:
  SortingOut(const archive::Survey& survey, FirstLook& look, Finds& finds)
      : tree_(survey.tree), lowest_(survey.lowest_uses()), look_(look), finds_(finds), done_(tree_.inode_count()) {}

  [[nodiscard]] WantedFiles run() {
    tree_.walk([&](NodeId node) {
      if (tree_.inode(node).type == archive::EntryType::kFile) offer(tree_.inode_id(node), tree_.path(node), reader_of);
    });
    for (const auto path : kFiles) follow(path);
    for (const auto path : kFolders) {
      const auto folder = tree_.resolve(archive::Tree::root(), path, /*follow_last=*/true);
      if (folder.found != archive::Tree::Found::kNode) continue;
      tree_.for_each_child(folder.node, [&](NodeId child) {
        const bool link = folder.through_link || tree_.inode(child).type == archive::EntryType::kSymlink;
        if (link) follow(fmt::format("{}/{}", path, tree_.name(child)));
      });
    }
    return std::move(left_);
  }

 private:
  using ReaderOf = const FileReader* (*)(const FileInfo&);

  // What is there behind symbolic links.
  void follow(std::string_view path) {
    const auto there = tree_.resolve(archive::Tree::root(), path, /*follow_last=*/true);
    if (there.found != archive::Tree::Found::kNode || !there.through_link) return;
    if (tree_.inode(there.node).type != archive::EntryType::kFile) return;
    offer(tree_.inode_id(there.node), std::string(path), distribution_reader_of);
  }

  void offer(InodeId id, std::string path, ReaderOf reader_of_file) {
    const auto& inode = tree_.inode(id);
    const auto* reader = reader_of_file({.path = path, .size = inode.size, .executable = is_executable(inode.mode)});
    if (reader == nullptr) return;
    const archive::Origin place{lowest_[inode.origin.layer], inode.origin.entry};
    const auto done = done_.begin() + static_cast<std::ptrdiff_t>(id);
    if (*done && look_.reader_at(place) == reader) return;
    const auto same = [&](const WantedFile& file) { return file.reader == reader; };
    if (auto found = look_.take(place, path, *reader)) {
      finds_.absorb(std::move(*found), inode.origin.layer);
      *done = true;
      if (const auto left = left_.find(id); left != left_.end() && std::erase_if(left->second, same) > 0) {
        if (left->second.empty()) left_.erase(left);
      }
      return;
    }
    auto& wanted = left_[id];
    if (std::ranges::none_of(wanted, same)) wanted.push_back({std::move(path), reader});
  }

  const archive::Tree& tree_;
  std::vector<std::uint32_t> lowest_;
  FirstLook& look_;
  Finds& finds_;
  std::vector<bool> done_;  // the inodes whose first look was taken
  WantedFiles left_;
};

// A file's content comes once in a pass: one that several readers want takes as many.
Result<> look_again(const archive::Input& input, const archive::Survey& survey, const WantedFiles& wanted,
                    Finds& finds) {
  constexpr std::size_t kMostPasses = 4;
  std::size_t passes = 0;
  for (const auto& [inode, files] : wanted) passes = std::max(passes, files.size());
  for (std::size_t pass = 0; pass < std::min(passes, kMostPasses); ++pass) {
    const auto is_wanted = [&](InodeId inode) {
      const auto found = wanted.find(inode);
      return found != wanted.end() && pass < found->second.size();
    };
    const auto visit = [&](InodeId inode, const archive::Entry& entry, archive::ByteSource& content) -> Result<> {
      if (!is_wanted(inode)) return {};
      const auto& [path, reader] = wanted.at(inode)[pass];
      finds.enter(path, survey.tree.inode(inode).origin.layer);
      return read_file(*reader, {.path = path, .size = entry.size, .executable = is_executable(entry.mode)}, content,
                       finds);
    };
    if (auto visited = archive::visit(input, survey, is_wanted, visit); !visited) return visited;
  }
  for (const auto& [inode, files] : wanted) {
    for (std::size_t i = kMostPasses; i < files.size(); ++i) {
      finds.enter(files[i].path, survey.tree.inode(inode).origin.layer);
      finds.unread("the file has too many names of different kinds");
    }
  }
  return {};
}

// An image that says which distribution it is has a list of packages; without one, nobody knows what is in it.
void note_missing_list(Inventory& inventory) {
  const auto listed = [](const Package& package) { return is_of_distribution(package.type); };
  if (!inventory.distribution || std::ranges::any_of(inventory.packages, listed)) return;
  inventory.unread.push_back({"etc/os-release", fmt::format("it tells of {}, and there is no list of its packages",
                                                            inventory.distribution->id)});
}

std::string with_prefix(const std::optional<std::string>& hex) { return hex ? "sha256:" + *hex : std::string(); }

}  // namespace

Result<Surveyed> take_inventory(const archive::Input& input, const archive::Policy& policy) {
  FirstLook look;
  auto seen = archive::survey(input, policy, &look);
  if (!seen) return fail(std::move(seen.error()));
  Finds finds;
  if (const auto left = SortingOut(*seen, look, finds).run(); !left.empty()) {
    if (auto looked = look_again(input, *seen, left, finds); !looked) return fail(std::move(looked.error()));
  }
  look.each_left([&](const Finds& earlier, std::uint32_t layer) { finds.precede(earlier, layer); });
  Surveyed out{std::move(*seen), finds.take()};
  note_missing_list(out.inventory);
  for (const auto& layer : out.survey.layers) {
    out.inventory.layers.push_back({.digest = with_prefix(layer.digest), .diff_id = with_prefix(layer.diff_id)});
  }
  return out;
}

}  // namespace slipway::scan
