// Packages.db. All numbers are little-endian; places and sizes are in blocks of 16 bytes.
//
//   header, 32 bytes: "RpmP", version 0, generation, number of slot pages, next package's index
//   slots, 16 bytes each, to the end of these pages of 4 KiB: "Slot", package's index, place, size; place 0: free
//   packages: "BlbS", index, time, length; the header; zeros; Adler-32 of all before, length, "BlbE"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

#include "scan/inventory/byte_order.h"
#include "scan/inventory/rpm_databases.h"
#include "scan/inventory/rpm_header.h"

namespace slipway::scan {
namespace {

constexpr std::size_t kPageSize = 4096;
constexpr std::size_t kBlockSize = 16;  // of a slot, too
constexpr std::size_t kHeaderSize = 32;
constexpr std::size_t kHeadSize = 16;
constexpr std::size_t kTailSize = 12;
constexpr std::uint32_t kMostPages = 1024;  // 262,144 slots
constexpr std::uint64_t kLongestPackage = 64ULL << 20;

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  return read_number<std::uint32_t>(bytes, at, ByteOrder::kLittle);
}

struct Slot {
  std::uint32_t index = 0;
  std::uint64_t begin = 0;  // bytes
  std::uint64_t size = 0;
};

// Goes through a source from its beginning to its end, and nowhere else.
class Cursor {
 public:
  explicit Cursor(archive::ByteSource& content) : content_(content) {}

  [[nodiscard]] std::uint64_t position() const { return position_; }

  // kCorrupt when there is not as much.
  Result<> read(std::uint64_t size, std::string& into) {
    into.clear();
    while (size > 0) {
      const auto part = some(size);
      if (!part) return fail(part.error());
      into += *part;
      size -= part->size();
    }
    return {};
  }
  Result<> skip(std::uint64_t size) {
    while (size > 0) {
      const auto part = some(size);
      if (!part) return fail(part.error());
      size -= part->size();
    }
    return {};
  }

 private:
  Result<std::string_view> some(std::uint64_t most) {
    if (rest_.empty()) {
      const auto piece = content_.next();
      if (!piece) return fail(piece.error());
      if (piece->empty()) return fail(ErrorKind::kCorrupt, "the database is cut off");
      rest_ = {reinterpret_cast<const char*>(piece->data()), piece->size()};
    }
    const std::string_view part = rest_.substr(0, most);
    rest_.remove_prefix(part.size());
    position_ += part.size();
    return part;
  }

  archive::ByteSource& content_;
  std::string_view rest_{};
  std::uint64_t position_ = 0;
};

Result<std::uint32_t> read_page_count(Cursor& cursor) {
  std::string header;
  if (auto read = cursor.read(kHeaderSize, header); !read) return fail(std::move(read.error()));
  if (!header.starts_with("RpmP")) return fail(ErrorKind::kCorrupt, "it is no database of rpm's own");
  if (const auto version = number_at(header, 4); version != 0) {
    return fail(ErrorKind::kUnsupported, "version {} of rpm's own database is not known", version);
  }
  const std::uint32_t pages = number_at(header, 12);
  if (pages == 0) return fail(ErrorKind::kCorrupt, "the database has no place for packages");
  if (pages > kMostPages) {
    return fail(ErrorKind::kRejected, "the database has more than {} pages of slots", kMostPages);
  }
  return pages;
}

// Those that are used, by their place.
Result<std::vector<Slot>> read_slots(Cursor& cursor, std::uint32_t pages) {
  std::vector<Slot> slots;
  std::string bytes;
  const std::uint64_t end = pages * kPageSize;
  while (cursor.position() < end) {
    if (auto read = cursor.read(kBlockSize, bytes); !read) return fail(std::move(read.error()));
    if (!bytes.starts_with("Slot")) return fail(ErrorKind::kCorrupt, "a slot of the database is none");
    const Slot slot{.index = number_at(bytes, 4),
                    .begin = number_at(bytes, 8) * std::uint64_t{kBlockSize},
                    .size = number_at(bytes, 12) * std::uint64_t{kBlockSize}};
    if (slot.begin != 0) slots.push_back(slot);
  }
  std::ranges::sort(slots, {}, &Slot::begin);
  std::uint64_t free = end;
  for (const Slot& slot : slots) {
    if (slot.begin < free || slot.size < kHeadSize + kTailSize) {
      return fail(ErrorKind::kCorrupt, "packages of the database lie upon each other");
    }
    free = slot.begin + slot.size;
  }
  return slots;
}

bool is_whole(const Slot& slot, std::string_view bytes, std::uint64_t length) {
  const std::string_view tail = bytes.substr(bytes.size() - kTailSize);
  const std::uint64_t blocks = (kHeadSize + length + kTailSize + kBlockSize - 1) / kBlockSize;
  if (!bytes.starts_with("BlbS") || !tail.ends_with("BlbE") || number_at(bytes, 4) != slot.index ||
      blocks * kBlockSize != bytes.size() || number_at(tail, 4) != length) {
    return false;
  }
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  return ::adler32(::adler32(0, nullptr, 0), data, static_cast<uInt>(bytes.size() - kTailSize)) == number_at(tail, 0);
}

}  // namespace

Result<> read_rpm_ndb(archive::ByteSource& content, Finds& finds) {
  Cursor cursor(content);
  const auto pages = read_page_count(cursor);
  if (!pages) return fail(pages.error());
  const auto slots = read_slots(cursor, *pages);
  if (!slots) return fail(slots.error());
  std::string bytes;
  for (const Slot& slot : *slots) {
    if (slot.size > kLongestPackage) {
      return fail(ErrorKind::kRejected, "a package takes more than {} bytes in the database", kLongestPackage);
    }
    if (auto skipped = cursor.skip(slot.begin - cursor.position()); !skipped) return skipped;
    if (auto read = cursor.read(slot.size, bytes); !read) return read;
    const std::uint64_t length = number_at(bytes, 12);
    if (is_whole(slot, bytes, length)) {
      add_rpm_package(std::string_view(bytes).substr(kHeadSize, length), finds);
    } else {
      finds.unread(fmt::format("package number {} of the database is damaged", slot.index));
    }
  }
  return {};
}

}  // namespace slipway::scan
