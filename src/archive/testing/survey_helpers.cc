#include "archive/testing/survey_helpers.h"

#include <array>
#include <stdexcept>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace slipway::archive {
namespace {

class Collector : public EntryConsumer {
 public:
  Result<bool> begin(InodeId inode, const Entry& entry) override {
    if (entry.type != EntryType::kFile) return false;
    now_ = &files[inode];
    now_->assign(entry.size, '\0');
    return true;
  }
  Result<> bytes(std::uint64_t offset, std::span<const std::byte> bytes) override {
    if (offset + bytes.size() > now_->size()) return fail(ErrorKind::kCorrupt, "content beyond its file");
    now_->replace(offset, bytes.size(), reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return {};
  }
  Result<> end() override { return {}; }

  std::map<InodeId, std::string> files;

 private:
  std::string* now_ = nullptr;
};

}  // namespace

MemoryFile::MemoryFile(std::string_view bytes) : fd_(::memfd_create("archive", MFD_CLOEXEC)), size_(bytes.size()) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_.get(), bytes.data(), bytes.size());
    if (written <= 0) throw std::runtime_error("memfd");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

Result<Survey> survey_bytes(std::string_view bytes, const Policy& policy) {
  const MemoryFile file(bytes);
  return survey(file.input(), policy);
}

std::string listing(const Tree& tree) {
  std::string out;
  std::map<InodeId, std::string> first;
  tree.walk([&](NodeId node) {
    const std::string path = tree.path(node);
    const Inode& inode = tree.inode(node);
    const auto [known, fresh] = first.emplace(tree.inode_id(node), path);
    if (!fresh) {
      out += fmt::format("{} = {}\n", printable(path), printable(known->second));
    } else if (inode.type == EntryType::kSymlink) {
      out += fmt::format("{} -> {}\n", printable(path), printable(inode.target));
    } else if (inode.type == EntryType::kFile) {
      out += fmt::format("{} {:04o} {}\n", printable(path), inode.mode, inode.size);
    } else {
      out += fmt::format("{}{} {:04o}\n", printable(path), inode.type == EntryType::kFolder ? "/" : "", inode.mode);
    }
  });
  return out;
}

std::map<std::string, std::string> contents(std::string_view bytes, const Survey& survey) {
  const MemoryFile file(bytes);
  Collector collector;
  const std::array<EntryConsumer*, 1> consumers{&collector};
  if (auto done = replay(file.input(), survey, {}, consumers); !done) throw std::runtime_error(done.error().message());
  std::map<std::string, std::string> out;
  survey.tree.walk([&](NodeId node) {
    const auto found = collector.files.extract(survey.tree.inode_id(node));
    if (!found.empty()) out.emplace(survey.tree.path(node), found.mapped());
  });
  return out;
}

std::string finding_list(const Survey& survey) {
  std::string out;
  for (const Finding& finding : survey.findings) {
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", finding.rule, finding.entry);
  }
  return out;
}

}  // namespace slipway::archive
