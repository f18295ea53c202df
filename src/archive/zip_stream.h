// Reads a zip from its beginning to its end, out of any source: also a zip within a zip. Entries are what stands in the
// file; the directory behind them, by which others read it, has to list the same ones. Nothing is judged here but form.
//
// It is not made of libarchive's, which unpacks what it passes over and cannot be stopped at that: here nothing is
// unpacked that nobody reads, unless its length is not known otherwise, and all that is unpacked is counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "archive/byte_source.h"
#include "base/error.h"

namespace slipway::archive {

// What a file may cost, with all the zips in it. One thread.
class ZipAllowance {
 public:
  ZipAllowance(std::uint64_t bytes, std::uint64_t entries) : bytes_(bytes), entries_(entries) {}

  // kRejected when that is more than was left; from then on always.
  [[nodiscard]] Result<> take_bytes(std::uint64_t count);
  [[nodiscard]] Result<> take_entry();
  [[nodiscard]] bool spent() const { return spent_; }

 private:
  std::uint64_t bytes_;
  std::uint64_t entries_;
  bool spent_ = false;
};

struct ZipEntry {
  std::string name{};                   // raw bytes; folders end in '/'
  std::optional<std::uint64_t> size{};  // unpacked; none: it is known only at the end

  [[nodiscard]] bool folder() const { return name.ends_with('/'); }
};

// One thread at a time. `from` and `allowance` must outlive it. Memory: some 100 KiB, and 16 bytes for each entry. A
// script may stand before the zip, as before programs that are jars. Errors are kCorrupt; kRejected by the allowance;
// kUnsupported: entries that are encrypted, of a compression other than deflate (when they are read), or stored without
// a length.
class ZipStream {
 public:
  ZipStream(ByteSource& from, ZipAllowance& allowance);
  ~ZipStream();
  ZipStream(const ZipStream&) = delete;
  ZipStream& operator=(const ZipStream&) = delete;

  // The next entry, valid until the next call; null at the end.
  [[nodiscard]] Result<const ZipEntry*> next();
  // Of the present entry; the same object for all. What is left of it is passed over by next().
  [[nodiscard]] ByteSource& content();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace slipway::archive
