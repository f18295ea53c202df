// Whatever the bytes: survey() answers, within its limits, and what it accepts replay() can read again.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <sys/mman.h>
#include <unistd.h>

#include "archive/image.h"
#include "archive/policy.h"
#include "sys/descriptor.h"

namespace {

using namespace slipway;
using namespace slipway::archive;

// Content may not reach beyond the size that was surveyed.
class Bounds : public EntryConsumer {
 public:
  Result<bool> begin(InodeId /*inode*/, const Entry& entry) override {
    size_ = entry.size;
    return entry.type == EntryType::kFile;
  }
  Result<> bytes(std::uint64_t offset, std::span<const std::byte> bytes) override {
    if (offset + bytes.size() > size_) std::abort();
    return {};
  }
  Result<> end() override { return {}; }

 private:
  std::uint64_t size_ = 0;
};

// Nothing in a tree may stand outside of it, and every name is one that a file can have.
void check(const Tree& tree) {
  tree.walk([&](NodeId node) {
    const std::string& name = tree.name(node);
    if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos) std::abort();
    if (name.find('\0') != std::string::npos || name.size() > kMaxComponent) std::abort();
    if (tree.inode(node).links == 0 || tree.inode(tree.parent(node)).type != EntryType::kFolder) std::abort();
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const sys::Descriptor the_file(::memfd_create("fuzz", MFD_CLOEXEC));
  if (::ftruncate(the_file.get(), 0) != 0 || ::pwrite(the_file.get(), data, size, 0) != static_cast<ssize_t>(size))
    std::abort();
  Policy policy = standard_policy();
  policy.limits = {.max_files = 1000, .max_file_size = 4U << 20, .max_total_size = 16U << 20};
  const Input input{.fd = the_file.get(), .size = size, .tick = {}};
  auto seen = survey(input, policy);
  if (!seen) return 0;
  check(seen->tree);
  Bounds bounds;
  const std::array<EntryConsumer*, 1> consumers{&bounds};
  if (!replay(input, *seen, {}, consumers)) std::abort();
  return 0;
}
