// Reads a tar archive entry by entry: ustar, pax, GNU and v7. Nothing is judged here but form: an archive that is
// damaged or ends early is kCorrupt, never just a shorter archive.
//
// Where readers differ, this one is strict, so that no other reader can see another image in the same bytes:
//   - the end must be marked by a block of zeros (GNU tar writes two), and nothing but zeros may follow it;
//   - a global pax header may not set names, sizes or sparse maps (libarchive ignores them, GNU tar does not);
//   - whatever libarchive only warns of is kCorrupt, except names that are not UTF-8: those are bytes, kept as they
//   are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "archive/byte_source.h"
#include "archive/entry.h"
#include "archive/unpack_meter.h"

namespace slipway::archive {

// One piece of an entry's content. Offsets grow; between pieces are zeros.
struct Piece {
  std::uint64_t offset = 0;
  std::span<const std::byte> bytes{};
};

// One thread at a time. `from` must outlive it.
class Reader {
 public:
  // Compressed input is recognised and unpacked, within what `meter` allows; it must outlive the reader. All bytes of
  // the tar stream, unpacked, are shown to `watch` where there is one: none is passed over unread then, and those of an
  // uncompressed stream are metered too.
  [[nodiscard]] static Result<Reader> open(ByteSource& from, UnpackMeter& meter, TapSource::Watch watch = {});
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  // The next entry, valid until the next call; null at the end, when the input was read and checked to its last byte.
  // Content that was not read is passed over, without reading it where the source can.
  [[nodiscard]] Result<const Entry*> next();

  // The next piece of the present entry's content, valid until the next call; one with no bytes at the end.
  [[nodiscard]] Result<Piece> read();

  // The present entry's content before `offset` is not wanted: until there read() may give any bytes in its place, of
  // the right length, and does not read them where the source can skip.
  void pass_to(std::uint64_t offset);

  // Bytes of the tar stream so far, unpacked.
  [[nodiscard]] std::uint64_t position() const;

 private:
  struct State;
  explicit Reader(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace slipway::archive
