// Takes bytes off a source in the amounts that a format has them in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "archive/byte_source.h"
#include "base/error.h"

namespace slipway::archive {

// One thread. `from` must outlive it. What it gives is valid until the next call of anything but take() and position().
class Cursor {
 public:
  explicit Cursor(ByteSource& from) : from_(from) {}

  [[nodiscard]] std::uint64_t position() const { return position_; }
  // The next `count` bytes in one piece, or more; fewer only at the end. They stay the next ones.
  [[nodiscard]] Result<std::span<const std::byte>> peek(std::size_t count);
  // Goes on by so many of the bytes that the last peek() gave.
  void take(std::size_t count);
  // Goes on, without reading where the source can. How far it went: less than `count` only at the end.
  [[nodiscard]] Result<std::uint64_t> skip(std::uint64_t count);

 private:
  ByteSource& from_;
  std::uint64_t position_ = 0;
  std::span<const std::byte> here_;  // read and not yet taken
  std::vector<std::byte> joined_;    // what it is in, when it came in several pieces
};

}  // namespace slipway::archive
