// Bytes of a test as a ByteSource, in pieces of any size. Each piece lies in memory of its own and is gone at the next
// call, so that the address sanitizer sees a reader that still looks at it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive/byte_source.h"

namespace slipway::archive {

class MemorySource : public ByteSource {
 public:
  static constexpr std::size_t kWhole = std::numeric_limits<std::size_t>::max();

  // `piece` is the most bytes that one next() gives; at least 1.
  explicit MemorySource(std::string bytes, std::size_t piece = kWhole) : bytes_(std::move(bytes)), piece_(piece) {}

  // What comes in place of the end.
  void then_fail(Error error) { error_ = std::move(error); }

  [[nodiscard]] Result<std::span<const std::byte>> next() override {
    const std::string_view rest = std::string_view(bytes_).substr(position_);
    if (rest.empty() && error_) return fail(*error_);
    const auto bytes = std::as_bytes(std::span(rest.substr(0, piece_)));
    current_ = std::vector<std::byte>(bytes.begin(), bytes.end());
    position_ += current_.size();
    return std::span<const std::byte>(current_);
  }

 private:
  std::string bytes_;
  std::size_t piece_;
  std::size_t position_ = 0;
  std::vector<std::byte> current_;
  std::optional<Error> error_;
};

}  // namespace slipway::archive
