// Inside src/archive only: what libarchive does not tell of a tar's headers, read from their bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "archive/byte_source.h"

namespace slipway::archive {

// Passes bytes on and remembers those since the header that is being read.
class HeaderWindow : public ByteSource {
 public:
  explicit HeaderWindow(ByteSource& from) : from_(from) {}

  [[nodiscard]] Result<std::span<const std::byte>> next() override;
  [[nodiscard]] Result<std::uint64_t> skip(std::uint64_t count) override;

  void hold(std::uint64_t offset) { held_from_ = offset; }  // from here on all is remembered
  // Nobody looks at the bytes before `offset` that were not yet given: next() gives any others in their place, without
  // reading them where the source can skip. None of them may be held.
  void pass_to(std::uint64_t offset) { pass_to_ = offset; }
  void release() { held_from_.reset(); }
  [[nodiscard]] std::span<const std::byte> since(std::uint64_t offset) const;
  [[nodiscard]] std::uint64_t position() const { return start_ + window_.size(); }

 private:
  ByteSource& from_;
  std::vector<std::byte> window_;
  std::uint64_t start_ = 0;  // of the window in the stream
  std::optional<std::uint64_t> held_from_;
  std::uint64_t pass_to_ = 0;
};

struct RawNames {
  // Names as extended headers give them, when they hold a NUL, which C strings would cut off.
  std::optional<std::string> path{};
  std::optional<std::string> link{};
  bool sparse = false;       // the headers speak of holes, whatever libarchive made of that
  bool before_1970 = false;  // an extended header's time has a minus: its fraction counts downwards
};

// `header`: from the first of an entry's header blocks on. kCorrupt: a global header that renames or resizes; a size
// that is no number, which libarchive takes for 0.
[[nodiscard]] Result<RawNames> raw_names(std::span<const std::byte> header);

}  // namespace slipway::archive
