// The parts of an ELF program that may tell what it was made of, read in one go from its beginning to its end.
//
// A program can be read only forwards, and what tells where something is often stands behind it: section headers are
// mostly the last thing in the file. So all that holds data and no code is kept, within limits: segments that are not
// executable (of a program all of whose read-only data is in executable segments: these), the headers, and the names of
// sections, which are sought before the section headers and at the file's end. Code and debugging symbols are passed
// over unread.
// Of a program that Go has marked as its own more is kept: older ones tell what they are made of somewhere in their
// read-only data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "archive/byte_source.h"
#include "base/error.h"

namespace slipway::scan {

// Bytes in either order. `bytes` must have enough of them.
[[nodiscard]] std::uint64_t read_number(std::span<const std::byte> bytes, std::size_t width, bool big_endian);

class ElfParts {
 public:
  struct Limits {
    std::uint64_t segment = 0;  // bytes of one
    std::uint64_t all = 0;      // of all together
  };
  static constexpr Limits kOfAny{.segment = 10ULL << 20, .all = 14ULL << 20};
  static constexpr Limits kOfGo{.segment = 32ULL << 20, .all = 64ULL << 20};

  struct Part {
    std::uint64_t offset = 0;  // in the file
    bool writable = false;
    std::vector<std::byte> bytes{};
  };

  // None when it is no ELF file, or none that can be run or loaded. kCorrupt: headers that make no sense, or a file
  // that ends early. kRejected: program headers that stand so far behind that it is too late for them.
  [[nodiscard]] static Result<std::optional<ElfParts>> read(archive::ByteSource& content, std::uint64_t size);

  [[nodiscard]] bool big_endian() const { return header_.big_endian; }
  [[nodiscard]] std::span<const Part> parts() const { return parts_; }
  // Whether all writable data was kept.
  [[nodiscard]] bool has_all_data() const;

  // All that was kept from there on; empty when that place was not kept.
  [[nodiscard]] std::span<const std::byte> at_offset(std::uint64_t offset) const;
  // The same by the address that the place has when the program runs.
  [[nodiscard]] std::span<const std::byte> at_address(std::uint64_t address) const;

  // Whether that address is in the program's memory and not in its file: it begins with zeros there.
  [[nodiscard]] bool zero_at(std::uint64_t address) const;

  struct Range {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };
  [[nodiscard]] bool names_sections() const { return header_.section_count > 0 && header_.names > 0; }
  // None when there is no section of that name, or sections have no names. kCorrupt: the section headers, or the
  // section, lie outside of the file. kRejected: headers or names were not kept.
  [[nodiscard]] Result<std::optional<Range>> section(std::string_view name) const;

 private:
  struct Header {
    bool wide = false;  // 64 bit
    bool big_endian = false;
    std::uint16_t type = 0;
    std::uint64_t segments_at = 0;
    std::uint64_t sections_at = 0;
    std::uint16_t segment_size = 0;
    std::uint16_t segment_count = 0;
    std::uint16_t section_size = 0;
    std::uint16_t section_count = 0;
    std::uint16_t names = 0;  // the section that they are in
  };
  struct Segment {
    std::uint64_t offset = 0;
    std::uint64_t address = 0;
    std::uint64_t size = 0;    // in the file
    std::uint64_t memory = 0;  // when it runs
    bool writable = false;
    bool executable = false;
  };
  struct Section {
    std::uint32_t name = 0;
    std::uint32_t type = 0;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };
  struct Span {
    std::uint64_t offset = 0;
    std::uint64_t end = 0;
    bool writable = false;
  };
  class Forward;

  [[nodiscard]] static std::optional<Header> parse_header(std::span<const std::byte> bytes);
  [[nodiscard]] Result<> check_header() const;
  [[nodiscard]] Result<> read_parts(Forward& forward);
  [[nodiscard]] Result<> parse_segments(std::span<const std::byte> table);
  [[nodiscard]] Section parse_section(std::span<const std::byte> bytes) const;
  // What is to be kept, by offset, no two overlapping.
  [[nodiscard]] std::vector<Span> plan() const;
  void add_tail(std::vector<Span>& spans) const;

  Header header_{};
  std::uint64_t size_ = 0;
  Limits limits_ = kOfAny;
  std::vector<Segment> segments_;
  std::vector<Part> parts_;  // by offset
};

}  // namespace slipway::scan
