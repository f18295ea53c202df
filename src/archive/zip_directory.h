// Inside src/archive only: what stands behind the entries of a zip.
//
//   [entry...] [record of each entry...] [zip64's end, and where it is] [end, with a comment]
//
// Programs that run a jar go by this directory, from the file's end; who reads forwards goes by the entries. A zip in
// which the two differ shows other files to the one than to the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "archive/cursor.h"
#include "base/digest.h"
#include "base/error.h"

namespace slipway::archive {

// Numbers that did not fit into a header of an entry are in an extended field (id 1), in this order.
void widen(std::span<const std::byte> extra, std::initializer_list<std::uint64_t*> numbers);

// One thread. `cursor` must outlive it. Memory: 16 bytes for each entry.
class ZipDirectory {
 public:
  explicit ZipDirectory(Cursor& cursor) : cursor_(cursor) {}

  // Whether a directory, or the end of a zip that has no entries, begins so.
  [[nodiscard]] static bool begins(std::span<const std::byte> bytes);

  // An entry stands there, counted from the file's beginning. One after the other.
  void met(std::uint64_t position, std::string_view name);
  // From the directory, where the cursor stands, to the file's end. kCorrupt when it does not list just the entries
  // that were met, with their names, when its end tells of another directory, or when anything follows.
  [[nodiscard]] Result<> check();

 private:
  struct Entry {
    std::uint64_t position = 0;
    std::uint64_t name = 0;  // of its SHA-256
  };

  [[nodiscard]] std::uint64_t name_of(std::string_view name);
  [[nodiscard]] Result<std::span<const std::byte>> whole(std::size_t count);
  [[nodiscard]] Result<bool> comes(std::string_view mark);
  [[nodiscard]] Result<> record();
  [[nodiscard]] bool list(std::uint64_t offset, std::string_view name);
  [[nodiscard]] std::optional<std::size_t> find(std::uint64_t position, std::uint64_t name) const;
  [[nodiscard]] Result<> wide_end();
  [[nodiscard]] Result<> end(bool wide);
  [[nodiscard]] Result<> comment(std::size_t length);

  Cursor& cursor_;
  Hasher hasher_{HashAlgorithm::kSha256};
  std::deque<Entry> entries_;  // by position; as it grows nothing is copied
  std::vector<bool> listed_;
  std::uint64_t records_ = 0;
  std::uint64_t from_ = 0;  // where offsets count from: the file's beginning, or the zip's behind a script
  std::uint64_t begin_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace slipway::archive
