// An image archive as a whole: what kind it is, its layers, and the one tree they make.
//
//   auto seen = survey({.fd = fd, .size = size}, standard_policy());
//   auto done = replay({.fd = fd, .size = size}, *seen, {}, consumers);
//
// survey() reads entries, not contents, where it can: an uncompressed plain root file system is skipped through. Who
// wants some of the contents, too, looks on and spares a pass. replay() reads the archive again and hands out what
// survived the merge; so does visit(), to one who reads as much of each file as he likes. They trust nothing they read,
// and run wherever they are called: untrusted archives belong into the Inspector's process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/byte_source.h"
#include "archive/entry.h"
#include "archive/image_kind.h"
#include "archive/policy.h"
#include "archive/tree.h"
#include "base/error.h"

namespace slipway::archive {

// A regular file, open for reading; the descriptor stays the caller's.
struct Input {
  int fd = -1;
  std::uint64_t size = 0;
  Tick tick{};
};

// A layer's archive within the image's. Of a plain image: the image's own, and all of this is empty.
struct LayerPlace {
  std::string name{};                    // in the image's archive
  std::uint32_t outer_entry = 0;         // its place there
  std::optional<std::uint64_t> size{};   // promised
  std::optional<std::string> digest{};   // SHA-256 in hex of the layer as it stands there, promised
  std::optional<std::string> diff_id{};  // SHA-256 in hex of the layer unpacked, promised
};

struct Survey {
  ImageKind kind = ImageKind::kRootfs;
  Policy policy{};
  Tree tree{};
  std::vector<LayerPlace> layers{};
  std::uint64_t entries = 0;  // of all layers
  std::vector<Finding> findings{};
  std::uint64_t findings_total = 0;

  [[nodiscard]] bool layered() const { return kind == ImageKind::kDockerSave || kind == ImageKind::kOciLayout; }
  // For each layer the lowest that has the same archive.
  [[nodiscard]] std::vector<std::uint32_t> lowest_uses() const;
};

// Looks at files while they are surveyed, layer by layer in the order of the archive: whether one survives the merge,
// and under which name, is known only afterwards.
class Onlooker {
 public:
  Onlooker() = default;
  virtual ~Onlooker() = default;
  Onlooker(const Onlooker&) = delete;
  Onlooker& operator=(const Onlooker&) = delete;

  // What was shown so far is not of the image.
  virtual void begin_again() = 0;
  // A regular file: its place (in the lowest layer that its archive serves as), its name below the image's root as the
  // entry has it, "usr/bin/env", and its content, as a Visit has it. Not each is shown: one with an impossible name is
  // not, nor are some that may describe the image. An error ends the survey, and is what comes out.
  [[nodiscard]] virtual Result<> file(Origin place, std::string_view path, const Entry& entry, ByteSource& content) = 0;
};

inline constexpr std::size_t kMostPasses = 8;

// kRejected by the policy; kCorrupt: damaged, or not what it promises to be; kUnsupported: of a form that is known but
// not taken (a foreign layer, images for several machines none of which is this one, a replay of over kMostPasses).
[[nodiscard]] Result<Survey> survey(const Input& input, const Policy& policy, Onlooker* onlooker = nullptr);

// Is given entries in the order of the archive, with content when it wants that.
class EntryConsumer {
 public:
  EntryConsumer() = default;
  virtual ~EntryConsumer() = default;
  EntryConsumer(const EntryConsumer&) = delete;
  EntryConsumer& operator=(const EntryConsumer&) = delete;

  // An inode of the tree and the entry that made it. True: its content is wanted, and end() follows it.
  [[nodiscard]] virtual Result<bool> begin(InodeId inode, const Entry& entry) = 0;
  [[nodiscard]] virtual Result<> bytes(std::uint64_t offset, std::span<const std::byte> bytes) = 0;
  [[nodiscard]] virtual Result<> end() = 0;
};

using Wanted = std::function<bool(InodeId)>;

// One pass feeds all consumers, each with every inode that is `wanted` (none given: all) and that an entry made; the
// digests of layers are checked again. Up to kMostPasses where one archive serves as several layers and a file of it
// survives as several inodes. kCorrupt: the archive is not the one that was surveyed.
[[nodiscard]] Result<> replay(const Input& input, const Survey& survey, const Wanted& wanted,
                              std::span<EntryConsumer* const> consumers);

// Is given an inode of the tree, the entry that made it, and its content: empty but of regular files; holes read as
// zeros; of no use after the call. What is skipped, or left when the call is over, is not read where the archive is not
// compressed and no digest needs it. An error from it ends the work, and is what comes out.
using Visit = std::function<Result<>(InodeId inode, const Entry& entry, ByteSource& content)>;

// As replay().
[[nodiscard]] Result<> visit(const Input& input, const Survey& survey, const Wanted& wanted, const Visit& visitor);

}  // namespace slipway::archive
