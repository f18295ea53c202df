#include <array>
#include <map>
#include <utility>

#include "scan/inventory/file_reader.h"
#include "scan/inventory/inventory_taker.h"

namespace slipway::scan {
namespace {

using archive::InodeId;

// A file that a reader wants. One that has several names is read once, by the first that is wanted.
struct WantedFile {
  std::string path{};
  const FileReader* reader = nullptr;
};

using WantedFiles = std::map<InodeId, WantedFile>;

const FileReader* reader_of(const FileInfo& file) {
  static const std::array all{distribution_readers(), language_readers(), binary_readers()};
  for (const auto& readers : all) {
    for (const auto& reader : readers) {
      if (reader.wants(file)) return &reader;
    }
  }
  return nullptr;
}

WantedFiles wanted_files(const archive::Tree& tree) {
  constexpr std::uint16_t kAnyExecute = 0111;
  WantedFiles wanted;
  tree.walk([&](archive::NodeId node) {
    const auto& inode = tree.inode(node);
    if (inode.type != archive::EntryType::kFile || wanted.contains(tree.inode_id(node))) return;
    std::string path = tree.path(node);
    const auto* reader = reader_of({.path = path, .size = inode.size, .executable = (inode.mode & kAnyExecute) != 0});
    if (reader != nullptr) wanted.emplace(tree.inode_id(node), WantedFile{std::move(path), reader});
  });
  return wanted;
}

// What the archive itself could not give is an error of the whole, not of one file in it.
class NotedSource : public archive::ByteSource {
 public:
  explicit NotedSource(ByteSource& from) : from_(from) {}

  [[nodiscard]] Result<std::span<const std::byte>> next() override {
    auto bytes = from_.next();
    if (!bytes) error_ = bytes.error();
    return bytes;
  }
  [[nodiscard]] Result<std::uint64_t> skip(std::uint64_t count) override {
    auto far = from_.skip(count);
    if (!far) error_ = far.error();
    return far;
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  ByteSource& from_;
  std::optional<Error> error_;
};

std::string with_prefix(const std::optional<std::string>& hex) { return hex ? "sha256:" + *hex : std::string(); }

}  // namespace

Result<Inventory> take_inventory(const archive::Input& input, const archive::Survey& survey) {
  const auto wanted = wanted_files(survey.tree);
  Finds finds;
  const auto visit = [&](InodeId inode, const archive::Entry& entry, archive::ByteSource& content) -> Result<> {
    const auto found = wanted.find(inode);
    if (found == wanted.end()) return {};
    const auto& [path, reader] = found->second;
    constexpr std::uint16_t kAnyExecute = 0111;
    const FileInfo file{.path = path, .size = entry.size, .executable = (entry.mode & kAnyExecute) != 0};
    finds.enter(path, survey.tree.inode(inode).origin.layer);
    NotedSource noted(content);
    const auto read = reader->read(file, noted, finds);
    if (noted.error()) return fail(*noted.error());
    if (!read) finds.unread(fmt::format("{}: {}", reader->name, read.error().message()));
    return {};
  };
  auto visited = archive::visit(input, survey, [&](InodeId inode) { return wanted.contains(inode); }, visit);
  if (!visited) return fail(std::move(visited.error()));
  auto inventory = finds.take();
  for (const auto& layer : survey.layers) {
    inventory.layers.push_back({.digest = with_prefix(layer.digest), .diff_id = with_prefix(layer.diff_id)});
  }
  return inventory;
}

}  // namespace slipway::scan
