// ELF programs made in memory, good and bad ones: the headers, segments in the order given, and at the end sections.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::scan {

struct ElfForm {
  bool wide = true;  // 64 bit
  bool big_endian = false;
};

class ElfBuilder {
 public:
  enum Flags : std::uint32_t { kExecutable = 1, kWritable = 2, kReadable = 4 };

  explicit ElfBuilder(ElfForm form = {}) : form_(form) {}

  // Where the next segment will be when the program runs.
  [[nodiscard]] std::uint64_t next_address() const;
  ElfBuilder& segment(std::string_view bytes, std::uint32_t flags);
  // The same, with a section of that name over all of it.
  ElfBuilder& section(std::string_view name, std::string_view bytes, std::uint32_t flags = kReadable);
  ElfBuilder& section_at(std::string_view name, std::uint64_t offset, std::uint64_t size);  // wherever

  // In the program's order and width.
  [[nodiscard]] std::string number(std::uint64_t value, int bytes) const;
  [[nodiscard]] std::string address(std::uint64_t value) const { return number(value, form_.wide ? 8 : 4); }

  // Instead of what is right.
  std::uint16_t section_size = 0;
  std::uint16_t section_count = 0;
  std::uint64_t sections_at = 0;
  std::uint16_t type = 2;

  [[nodiscard]] std::string finish() const;

 private:
  struct Segment {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint32_t flags = 0;
  };
  struct Section {
    std::string name{};
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };
  [[nodiscard]] std::string header(std::uint64_t sections_offset, std::size_t sections) const;
  [[nodiscard]] std::string segment_header(const Segment& segment) const;
  [[nodiscard]] std::string section_header(std::uint64_t name, std::uint64_t offset, std::uint64_t size) const;

  ElfForm form_;
  std::string body_;  // from kHead on
  std::vector<Segment> segments_;
  std::vector<Section> sections_;
};

}  // namespace slipway::scan
