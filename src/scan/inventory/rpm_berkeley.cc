// Packages, a hash table of Berkeley DB 4 and 5. Numbers are in the order of the machine that made it. Page 0 says what
// the rest is; a page begins with 26 bytes:
//
//   8: its own number; 12, 16: the pages before and after it in its chain; 20: number of items; 22: of an overflow
//   page, bytes in it; 25: its kind
//
// and goes on with the offsets of its items, each of which ends where the one before it begins: key, value, key, ... An
// item is its kind and its bytes, or the number of the first of the overflow pages that its bytes are in, and how many.
// Bucket n begins at page n + spares[bits of n].
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scan/inventory/byte_order.h"
#include "scan/inventory/rpm_databases.h"
#include "scan/inventory/rpm_header.h"

namespace slipway::scan {
namespace {

constexpr std::uint32_t kHashMagic = 0x061561;
constexpr std::array<std::uint32_t, 3> kOtherMagics{0x053162, 0x042253, 0x074582};  // B-tree, queue, heap
constexpr std::size_t kMetaSize = 512;
constexpr std::size_t kPageHeader = 26;
constexpr std::size_t kOffPageSize = 12;
constexpr std::uint64_t kLongestHeader = 64ULL << 20;

constexpr std::uint8_t kOldHashPage = 2;
constexpr std::uint8_t kOverflowPage = 7;
constexpr std::uint8_t kHashPage = 13;

constexpr char kOnPage = 1;
constexpr char kOffPage = 3;

class HashTable {
 public:
  // kUnsupported, kCorrupt.
  static Result<HashTable> open(std::string_view bytes) {
    if (bytes.size() < kMetaSize) return fail(ErrorKind::kCorrupt, "it is no Berkeley database: it is too short");
    HashTable table(bytes);
    for (const ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
      table.order_ = order;
      const std::uint32_t magic = table.number(0, 12);
      if (std::ranges::find(kOtherMagics, magic) != kOtherMagics.end()) {
        return fail(ErrorKind::kUnsupported, "it is not readable: a Berkeley database that is no hash table");
      }
      if (magic != kHashMagic) continue;
      if (auto known = table.read_meta(); !known) return fail(std::move(known.error()));
      return table;
    }
    return fail(ErrorKind::kCorrupt, "it is no Berkeley database");
  }

  Result<> read(Finds& finds) {
    for (std::uint64_t bucket = 0; bucket <= last_bucket_; ++bucket) {
      const std::uint32_t spare = number(0, 96 + 4 * static_cast<std::size_t>(std::bit_width(bucket)));
      if (auto done = read_bucket(bucket + spare, finds); !done) return done;
    }
    return {};
  }

 private:
  explicit HashTable(std::string_view bytes) : bytes_(bytes) {}

  std::uint32_t number(std::uint64_t page, std::size_t at) const {
    return read_number<std::uint32_t>(bytes_, page * page_size_ + at, order_);
  }
  std::uint16_t short_number(std::uint64_t page, std::size_t at) const {
    return read_number<std::uint16_t>(bytes_, page * page_size_ + at, order_);
  }
  std::uint8_t kind_of(std::uint64_t page) const { return static_cast<std::uint8_t>(bytes_[page * page_size_ + 25]); }

  Result<> read_meta() {
    constexpr std::uint32_t kOldestVersion = 8;
    constexpr std::uint32_t kNewestVersion = 10;
    const std::uint32_t version = number(0, 16);
    if (version < kOldestVersion || version > kNewestVersion) {
      return fail(ErrorKind::kUnsupported, "it is not readable: version {} of Berkeley's hash tables", version);
    }
    if (bytes_[24] != 0 || bytes_[26] != 0) {
      return fail(ErrorKind::kUnsupported, "it is not readable: encrypted, or with checksums or partitions");
    }
    const std::uint32_t size = number(0, 20);
    last_bucket_ = number(0, 72);
    if (size < kMetaSize || size > (64U << 10U) || !std::has_single_bit(size)) {
      return fail(ErrorKind::kCorrupt, "its pages are of an impossible size");
    }
    page_size_ = size;
    pages_ = bytes_.size() / size;
    if (last_bucket_ >= pages_) return fail(ErrorKind::kCorrupt, "it has more buckets than pages");
    used_.resize(pages_);
    return {};
  }

  // Each page is used once: there are no loops, and no work without end.
  Result<> use(std::uint64_t page) {
    if (page == 0 || page >= pages_) return fail(ErrorKind::kCorrupt, "page {} is named, which it does not have", page);
    if (used_[page]) return fail(ErrorKind::kCorrupt, "page {} of it is used twice", page);
    used_[page] = true;
    if (number(page, 8) != page) return fail(ErrorKind::kCorrupt, "page {} of it says that it is another", page);
    return {};
  }

  Result<> read_bucket(std::uint64_t page, Finds& finds) {
    do {
      if (auto usable = use(page); !usable) return usable;
      if (kind_of(page) != kHashPage && kind_of(page) != kOldHashPage) {
        return fail(ErrorKind::kCorrupt, "page {} of it is no part of a hash table", page);
      }
      if (auto done = read_items(page, finds); !done) return done;
      page = number(page, 16);
    } while (page != 0);
    return {};
  }

  Result<> read_items(std::uint64_t page, Finds& finds) {
    const std::size_t count = short_number(page, 20);
    if (count % 2 != 0 || kPageHeader + count * 2 > page_size_) {
      return fail(ErrorKind::kCorrupt, "page {} of it has an impossible number of items", page);
    }
    std::size_t end = page_size_;
    for (std::size_t n = 0; n < count; n += 2) {
      const std::size_t key = short_number(page, kPageHeader + n * 2);
      const std::size_t value = short_number(page, kPageHeader + n * 2 + 2);
      if (key >= end || value >= key || value < kPageHeader + count * 2) {
        return fail(ErrorKind::kCorrupt, "items of page {} lie upon each other", page);
      }
      const auto item = [&](std::size_t from, std::size_t to) {
        return bytes_.substr(page * page_size_ + from, to - from);
      };
      if (auto done = read_pair(item(key, end), item(value, key), finds); !done) return done;
      end = value;
    }
    return {};
  }

  // The key is the package's number; that of 0 is the highest so far.
  Result<> read_pair(std::string_view key, std::string_view value, Finds& finds) {
    constexpr std::string_view kCounter("\1\0\0\0\0", 5);
    if (key == kCounter) return {};
    if (value[0] == kOnPage) {
      add_rpm_package(value.substr(1), finds);
      return {};
    }
    if (value[0] != kOffPage || value.size() != kOffPageSize) {
      return fail(ErrorKind::kUnsupported, "it is not readable: an item of kind {}", static_cast<int>(value[0]));
    }
    const auto header =
        read_overflow(read_number<std::uint32_t>(value, 4, order_), read_number<std::uint32_t>(value, 8, order_));
    if (!header) return fail(header.error());
    add_rpm_package(*header, finds);
    return {};
  }

  Result<std::string> read_overflow(std::uint64_t page, std::uint64_t length) {
    if (length > kLongestHeader) {
      return fail(ErrorKind::kRejected, "a header in it has more than {} bytes", kLongestHeader);
    }
    std::string whole;
    whole.reserve(std::min<std::uint64_t>(length, bytes_.size()));
    while (whole.size() < length) {
      if (auto usable = use(page); !usable) return fail(std::move(usable.error()));
      const std::size_t size = short_number(page, 22);
      if (kind_of(page) != kOverflowPage || kPageHeader + size > page_size_ || size > length - whole.size()) {
        return fail(ErrorKind::kCorrupt, "page {} of it does not go on with an item", page);
      }
      whole += bytes_.substr(page * page_size_ + kPageHeader, size);
      page = number(page, 16);
    }
    return whole;
  }

  std::string_view bytes_;
  ByteOrder order_ = ByteOrder::kLittle;
  std::size_t page_size_ = 0;
  std::uint64_t pages_ = 0;
  std::uint32_t last_bucket_ = 0;
  std::vector<bool> used_{};
};

}  // namespace

Result<> read_rpm_berkeley(std::string_view bytes, Finds& finds) {
  auto table = HashTable::open(bytes);
  if (!table) return fail(std::move(table.error()));
  return table->read(finds);
}

}  // namespace slipway::scan
