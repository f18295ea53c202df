// Inside src/archive only: the content of a reader's present entry as a source.
#pragma once

#include <cstdint>
#include <span>

#include "archive/byte_source.h"
#include "archive/reader.h"

namespace slipway::archive {

// All of `size` bytes, holes as zeros. Skips without reading where the reader's source can. Of no use once the reader
// went on to another entry; the reader must outlive it.
class EntryContent : public ByteSource {
 public:
  EntryContent(Reader& reader, std::uint64_t size) : reader_(reader), size_(size) {}

  [[nodiscard]] Result<std::span<const std::byte>> next() override;
  [[nodiscard]] Result<std::uint64_t> skip(std::uint64_t count) override;

 private:
  // Makes piece_ the one that stands at the position, or next behind it.
  [[nodiscard]] Result<> fetch();
  // Where the hole ends that the position is in; the position itself when it is in none.
  [[nodiscard]] std::uint64_t hole_end() const { return piece_.bytes.empty() ? size_ : piece_.offset; }
  void drop(std::size_t count);

  Reader& reader_;
  std::uint64_t size_;
  std::uint64_t position_ = 0;
  Piece piece_{};  // what was read and not yet given; empty with `ended_`: there is no more
  bool ended_ = false;
};

}  // namespace slipway::archive
