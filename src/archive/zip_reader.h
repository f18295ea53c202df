// Reads the files in a zip, in the order of its directory. Nothing is judged here but form: a zip that is damaged, ends
// early or is encrypted is kCorrupt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "archive/byte_source.h"
#include "archive/unpack_meter.h"
#include "base/error.h"

namespace slipway::archive {

// One thread at a time.
class ZipReader {
 public:
  // Whether a file that begins so is a zip.
  [[nodiscard]] static bool recognises(std::span<const std::byte> head);

  // The descriptor stays the caller's, and is read with its position. What comes out is metered; both must outlive it.
  [[nodiscard]] static Result<ZipReader> open(int fd, UnpackMeter& meter);
  ~ZipReader();
  ZipReader(ZipReader&&) noexcept;
  ZipReader& operator=(ZipReader&&) noexcept;

  // The name of the next file, raw bytes; none at the end. Folders are passed over.
  [[nodiscard]] Result<std::optional<std::string>> next();
  // Its content: the next bytes, valid until the next call; empty at the end.
  [[nodiscard]] Result<std::span<const std::byte>> read();

 private:
  struct State;
  explicit ZipReader(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace slipway::archive
