#include "scan/inventory/take_inventory.h"

#include <map>
#include <utility>
#include <vector>

#include "scan/inventory/first_look.h"

namespace slipway::scan {
namespace {

using archive::InodeId;

// A file that has still to be read. One that has several names is read once, by the first that is wanted.
struct WantedFile {
  std::string path{};
  const FileReader* reader = nullptr;
};

using WantedFiles = std::map<InodeId, WantedFile>;

// Takes what was found at the first look, of the files that are there in the end. What is left wants a second one.
WantedFiles sort_out(const archive::Survey& survey, FirstLook& look, Finds& finds) {
  const auto lowest = survey.lowest_uses();
  const auto& tree = survey.tree;
  std::vector<bool> done(tree.inode_count());
  WantedFiles left;
  tree.walk([&](archive::NodeId node) {
    const auto id = tree.inode_id(node);
    const auto& inode = tree.inode(id);
    if (inode.type != archive::EntryType::kFile || done[static_cast<std::size_t>(id)]) return;
    const std::string path = tree.path(node);
    const auto* reader = reader_of({.path = path, .size = inode.size, .executable = is_executable(inode.mode)});
    if (reader == nullptr) return;
    auto found = look.take({lowest[inode.origin.layer], inode.origin.entry}, path, *reader);
    if (!found) {
      left.emplace(id, WantedFile{path, reader});
      return;
    }
    finds.absorb(std::move(*found), inode.origin.layer);
    done[static_cast<std::size_t>(id)] = true;
    left.erase(id);
  });
  return left;
}

Result<> look_again(const archive::Input& input, const archive::Survey& survey, const WantedFiles& wanted,
                    Finds& finds) {
  const auto visit = [&](InodeId inode, const archive::Entry& entry, archive::ByteSource& content) -> Result<> {
    const auto found = wanted.find(inode);
    if (found == wanted.end()) return {};
    const auto& [path, reader] = found->second;
    finds.enter(path, survey.tree.inode(inode).origin.layer);
    return read_file(*reader, {.path = path, .size = entry.size, .executable = is_executable(entry.mode)}, content,
                     finds);
  };
  return archive::visit(input, survey, [&](InodeId inode) { return wanted.contains(inode); }, visit);
}

std::string with_prefix(const std::optional<std::string>& hex) { return hex ? "sha256:" + *hex : std::string(); }

}  // namespace

Result<Surveyed> take_inventory(const archive::Input& input, const archive::Policy& policy) {
  FirstLook look;
  auto seen = archive::survey(input, policy, &look);
  if (!seen) return fail(std::move(seen.error()));
  Finds finds;
  if (const auto left = sort_out(*seen, look, finds); !left.empty()) {
    if (auto looked = look_again(input, *seen, left, finds); !looked) return fail(std::move(looked.error()));
  }
  Surveyed out{std::move(*seen), finds.take()};
  for (const auto& layer : out.survey.layers) {
    out.inventory.layers.push_back({.digest = with_prefix(layer.digest), .diff_id = with_prefix(layer.diff_id)});
  }
  return out;
}

}  // namespace slipway::scan
