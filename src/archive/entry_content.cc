#include "archive/entry_content.h"

#include <algorithm>
#include <array>

namespace slipway::archive {

Result<> EntryContent::fetch() {
  if (!piece_.bytes.empty() || ended_) return {};
  auto piece = reader_.read();
  if (!piece) return fail(std::move(piece.error()));
  piece_ = *piece;
  ended_ = piece_.bytes.empty();
  return {};
}

void EntryContent::drop(std::size_t count) {
  piece_.bytes = piece_.bytes.subspan(count);
  piece_.offset += count;
  position_ += count;
}

Result<std::span<const std::byte>> EntryContent::next() {
  static constexpr std::array<std::byte, 64UL * 1024> kHole{};
  if (position_ == size_) return std::span<const std::byte>{};
  if (auto fetched = fetch(); !fetched) return fail(std::move(fetched.error()));
  if (const std::uint64_t hole = hole_end() - position_; hole > 0) {
    const auto zeros = std::span(kHole).first(static_cast<std::size_t>(std::min<std::uint64_t>(hole, kHole.size())));
    position_ += zeros.size();
    return zeros;
  }
  const auto bytes = piece_.bytes;
  drop(bytes.size());
  return bytes;
}

Result<std::uint64_t> EntryContent::skip(std::uint64_t count) {
  const std::uint64_t far = std::min(count, size_ - position_);
  const std::uint64_t target = position_ + far;
  reader_.pass_to(target);
  while (position_ < target) {
    if (auto fetched = fetch(); !fetched) return fail(std::move(fetched.error()));
    if (const std::uint64_t end = std::min(hole_end(), target); end > position_) {
      position_ = end;
    } else {
      drop(static_cast<std::size_t>(std::min<std::uint64_t>(target - position_, piece_.bytes.size())));
    }
  }
  return far;
}

}  // namespace slipway::archive
