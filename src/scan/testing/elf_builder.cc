#include "scan/testing/elf_builder.h"

#include <algorithm>

namespace slipway::scan {
namespace {

constexpr std::uint64_t kHead = 1024;
constexpr std::uint64_t kBase = 0x400000;

}  // namespace

std::string ElfBuilder::number(std::uint64_t value, int bytes) const {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8U * static_cast<unsigned>(i)) & 0xffU);
  if (form_.big_endian) std::ranges::reverse(out);
  return out;
}

std::uint64_t ElfBuilder::next_address() const { return kBase + kHead + body_.size(); }

ElfBuilder& ElfBuilder::segment(std::string_view bytes, std::uint32_t flags) {
  segments_.push_back({kHead + body_.size(), bytes.size(), flags});
  body_ += bytes;
  body_.resize((body_.size() + 15) / 16 * 16);
  return *this;
}

ElfBuilder& ElfBuilder::section(std::string_view name, std::string_view bytes, std::uint32_t flags) {
  section_at(name, kHead + body_.size(), bytes.size());
  return segment(bytes, flags);
}

ElfBuilder& ElfBuilder::section_at(std::string_view name, std::uint64_t offset, std::uint64_t size) {
  sections_.push_back({std::string(name), offset, size});
  return *this;
}

std::string ElfBuilder::header(std::uint64_t sections_offset, std::size_t sections) const {
  std::string out =
      "\x7f"
      "ELF";
  out += {static_cast<char>(form_.wide ? 2 : 1), static_cast<char>(form_.big_endian ? 2 : 1), 1};
  out.resize(16);
  out += number(type, 2) + number(62, 2) + number(1, 4) + address(kBase) + address(form_.wide ? 64 : 52);
  out += address(sections_at != 0 ? sections_at : sections_offset) + number(0, 4) + number(form_.wide ? 64 : 52, 2);
  out += number(form_.wide ? 56 : 32, 2) + number(segments_.size(), 2);
  out += number(section_size != 0 ? section_size : (form_.wide ? 64U : 40U), 2);
  out += number(section_count != 0 ? section_count : sections, 2) + number(sections == 0 ? 0 : sections - 1, 2);
  return out;
}

std::string ElfBuilder::segment_header(const Segment& s) const {
  const std::string places =
      address(s.offset) + address(kBase + s.offset) + address(kBase + s.offset) + address(s.size) + address(s.size);
  if (form_.wide) return number(1, 4) + number(s.flags, 4) + places + address(16);
  return number(1, 4) + places + number(s.flags, 4) + address(16);
}

std::string ElfBuilder::section_header(std::uint64_t name, std::uint64_t offset, std::uint64_t size) const {
  return number(name, 4) + number(1, 4) + address(2) + address(kBase + offset) + address(offset) + address(size) +
         number(0, 8) + address(1) + address(0);
}

std::string ElfBuilder::finish() const {
  std::string names(1, '\0');
  std::string headers = section_header(0, 0, 0);
  const std::uint64_t names_at = kHead + body_.size();
  for (const Section& section : sections_) {
    headers += section_header(names.size(), section.offset, section.size);
    names += section.name + '\0';
  }
  headers += section_header(names.size(), names_at, names.size() + 10);
  names += ".shstrtab";
  names += '\0';
  const bool any = !sections_.empty();
  std::string out = header(any ? names_at + names.size() : 0, any ? sections_.size() + 2 : 0);
  for (const Segment& segment : segments_) out += segment_header(segment);
  out.resize(kHead);
  out += body_;
  return any ? out + names + headers : out;
}

}  // namespace slipway::scan
