// Unpacks gzip, member after member, and checks what each says of itself: libarchive's reader of gzip passes over the
// checksum and the length, so that a damaged archive would pass for a good one.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "archive/byte_source.h"

namespace slipway::archive {

// kCorrupt: damaged, ends early, or is followed by something else than zeros. `from` must outlive it.
class GzipSource : public ByteSource {
 public:
  explicit GzipSource(ByteSource& from);
  ~GzipSource() override;

  [[nodiscard]] Result<std::span<const std::byte>> next() override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace slipway::archive
