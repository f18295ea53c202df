#include "archive/cursor.h"

#include <algorithm>
#include <utility>

namespace slipway::archive {

Result<std::span<const std::byte>> Cursor::peek(std::size_t count) {
  if (here_.size() >= count) return here_;
  if (here_.empty()) {
    auto piece = from_.next();
    if (!piece || piece->size() >= count || piece->empty()) {
      if (piece) here_ = *piece;
      return piece;
    }
    here_ = *piece;
  }
  std::vector<std::byte> whole(here_.begin(), here_.end());
  here_ = {};
  while (whole.size() < count) {
    auto piece = from_.next();
    if (!piece) return piece;
    if (piece->empty()) break;
    whole.insert(whole.end(), piece->begin(), piece->end());
  }
  joined_ = std::move(whole);
  here_ = joined_;
  return here_;
}

void Cursor::take(std::size_t count) {
  here_ = here_.subspan(count);
  position_ += count;
}

Result<std::uint64_t> Cursor::skip(std::uint64_t count) {
  std::uint64_t gone = 0;
  while (gone < count) {
    if (here_.empty()) {
      auto jumped = from_.skip(count - gone);
      if (!jumped) return jumped;
      gone += *jumped;
      position_ += *jumped;
      if (gone == count) break;
      auto piece = from_.next();
      if (!piece) return fail(std::move(piece.error()));
      if (piece->empty()) break;
      here_ = *piece;
    }
    const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(count - gone, here_.size()));
    take(some);
    gone += some;
  }
  return gone;
}

}  // namespace slipway::archive
