// A file that is being made: `<file>.part`, with `<file>.part.state` beside it once there is something worth keeping.
//
// Order is what makes it safe: bytes are synced before the state says that they are there; all is synced before the
// rename; the folder is synced after it; the state goes last. Whatever instant a process dies at, what is left is a
// part with a state that tells the truth, a part without one (worth nothing), or the whole file.
//
// The state is one line of JSON: what object the bytes are of, which of them are there, and a digest of the rest of the
// line, because a power cut may leave a state that was never synced as any bytes at all. A bad one counts as none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "objects/range_plan.h"
#include "sys/descriptor.h"

namespace slipway::objects {

// What the bytes are of. Bytes with another identity are never mixed with these.
struct PartIdentity {
  std::string source{};
  std::string key{};
  std::string etag{};  // empty: cannot be told from another version, so nothing is kept
  std::uint64_t size = 0;
  friend bool operator==(const PartIdentity&, const PartIdentity&) = default;
};

// write(), read() and start_writeback() may be called from any thread; the rest by one thread at a time.
class PartFile {
 public:
  // kConflict when another download, of this process or another, has it open. Room for the object is reserved when
  // `reserve`: kNoSpace.
  [[nodiscard]] static Result<PartFile> open(const std::filesystem::path& file, PartIdentity identity, bool reserve);

  // What an earlier try left, and proved to be of this object.
  [[nodiscard]] const std::vector<ByteRange>& kept() const { return kept_; }

  [[nodiscard]] Result<> write(std::uint64_t offset, std::span<const std::byte> bytes);
  // Exactly as many bytes as `into` has room for: they must have been written.
  [[nodiscard]] Result<> read(std::uint64_t offset, std::span<std::byte> into) const;
  // Asks the kernel to begin writing what it holds to the disk. A hint: errors show up in sync.
  void start_writeback() const;

  // All that was written is on the disk.
  [[nodiscard]] Result<> sync() const;
  // Syncs, then records `have` as proven. Nothing to do for an identity without an ETag.
  [[nodiscard]] Result<> checkpoint(const std::vector<ByteRange>& have);
  // Forgets what was proven and starts with no bytes.
  [[nodiscard]] Result<> start_afresh();
  // Syncs, puts the file in place and removes the state. The PartFile is of no more use, also when it fails.
  [[nodiscard]] Result<> finish();

 private:
  PartFile(std::filesystem::path file, PartIdentity identity, sys::Descriptor descriptor)
      : file_(std::move(file)), identity_(std::move(identity)), descriptor_(std::move(descriptor)) {}
  [[nodiscard]] Result<> load_or_start_afresh(bool reserve);
  [[nodiscard]] Result<> make_room(bool reserve) const;

  std::filesystem::path file_;
  PartIdentity identity_;
  sys::Descriptor descriptor_;
  std::vector<ByteRange> kept_;
};

}  // namespace slipway::objects
