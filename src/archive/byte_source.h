// Bytes in order, from wherever: a file, the content of an archive's entry, another source unpacked. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/error.h"

namespace slipway::archive {

class ByteSource {
 public:
  ByteSource() = default;
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // The next bytes, valid until the next call; empty at the end, and from then on.
  [[nodiscard]] virtual Result<std::span<const std::byte>> next() = 0;
  // Goes on by up to `count` bytes without looking at them; how far it went, 0 when it cannot.
  [[nodiscard]] virtual Result<std::uint64_t> skip(std::uint64_t count);
};

// Told as work goes on, with the position in the file; an error from it ends the work.
using Tick = std::function<Result<>(std::uint64_t position)>;

// A file of known size from its beginning. Reads with pread: the descriptor's own position is not touched, and several
// sources may read one descriptor. The descriptor stays the caller's. Behind a skip it reads little at first, and then
// more and more: who skips often wants little of what lies between.
class FileSource : public ByteSource {
 public:
  FileSource(int fd, std::uint64_t size, Tick tick);

  [[nodiscard]] Result<std::span<const std::byte>> next() override;
  [[nodiscard]] Result<std::uint64_t> skip(std::uint64_t count) override;

  [[nodiscard]] std::uint64_t position() const { return position_; }

 private:
  int fd_;
  std::uint64_t size_;
  Tick tick_;
  std::uint64_t position_ = 0;
  std::vector<std::byte> buffer_;
  std::size_t piece_;  // as much is read next
};

// Everything that passes is shown to a function: for digests and limits. `from` must outlive it.
class TapSource : public ByteSource {
 public:
  using Watch = std::function<Result<>(std::span<const std::byte>)>;
  TapSource(ByteSource& from, Watch watch) : from_(from), watch_(std::move(watch)) {}

  [[nodiscard]] Result<std::span<const std::byte>> next() override;

 private:
  ByteSource& from_;
  Watch watch_;
};

}  // namespace slipway::archive
