#include "scan/inventory/elf_parts.h"

#include <algorithm>
#include <array>
#include <utility>

#include "archive/cursor.h"

namespace slipway::scan {
namespace {

constexpr std::size_t kIdentity = 16;
constexpr std::size_t kNarrowHeader = 52;
constexpr std::size_t kWideHeader = 64;
constexpr std::size_t kMostAtHead = 64UL << 10;         // so far into the file the program headers are looked for
constexpr std::uint64_t kMostBeforeTail = 16ULL << 20;  // of what is in no segment
constexpr std::size_t kMostBeforeNote = 8UL << 10;      // so far into the file Go's note is looked for
constexpr std::size_t kMostSegments = 1000;
constexpr std::uint32_t kLoad = 1;
constexpr std::uint32_t kExecutableFlag = 1;
constexpr std::uint32_t kWritableFlag = 2;
constexpr std::uint32_t kNoBits = 8;  // a section that is not in the file

// The sum, or more than any file has.
std::uint64_t end_of(std::uint64_t offset, std::uint64_t size) {
  return size > UINT64_MAX - offset ? UINT64_MAX : offset + size;
}

// Fields of a structure one after the other, in the program's own order and width.
class Fields {
 public:
  Fields(std::span<const std::byte> bytes, bool wide, bool big_endian)
      : bytes_(bytes), wide_(wide), big_endian_(big_endian) {}

  std::uint16_t half() { return static_cast<std::uint16_t>(take(2)); }
  std::uint32_t word() { return static_cast<std::uint32_t>(take(4)); }
  std::uint64_t address() { return take(wide_ ? 8 : 4); }

 private:
  std::uint64_t take(std::size_t width) {
    const std::uint64_t number = read_number(bytes_, width, big_endian_);
    bytes_ = bytes_.subspan(width);
    return number;
  }

  std::span<const std::byte> bytes_;
  bool wide_;
  bool big_endian_;
};

// A note of type 4 by "Go", which its linker puts at the beginning; its build id follows. Not every program has one.
bool has_mark_of_go(std::span<const std::byte> head) {
  using namespace std::string_view_literals;
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  return text.find("\x04\0\0\0Go\0\0"sv) != text.npos || text.find("\0\0\0\x04Go\0\0"sv) != text.npos;
}

}  // namespace

std::uint64_t read_number(std::span<const std::byte> bytes, std::size_t width, bool big_endian) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < width; ++i) {
    number = number << 8U | std::to_integer<std::uint64_t>(bytes[big_endian ? i : width - 1 - i]);
  }
  return number;
}

class ElfParts::Forward {
 public:
  explicit Forward(archive::ByteSource& content) : cursor_(content) {}

  // The file's first bytes, fewer than asked for only at its end. Before keep().
  Result<std::span<const std::byte>> head(std::size_t count) { return cursor_.peek(count); }

  Result<Part> keep(const Span& span) {
    const auto cut_off = [] { return fail(ErrorKind::kCorrupt, "the program is cut off"); };
    const std::uint64_t away = span.offset - cursor_.position();
    auto gone = cursor_.skip(away);
    if (!gone) return fail(std::move(gone.error()));
    if (*gone != away) return cut_off();
    Part part{.offset = span.offset, .writable = span.writable, .bytes = {}};
    part.bytes.reserve(
        static_cast<std::size_t>(span.end - span.offset));  // within the limits: it never grows by copying
    while (cursor_.position() < span.end) {
      auto piece = cursor_.peek(1);
      if (!piece) return fail(std::move(piece.error()));
      if (piece->empty()) return cut_off();
      const auto some =
          piece->first(static_cast<std::size_t>(std::min<std::uint64_t>(piece->size(), span.end - cursor_.position())));
      part.bytes.insert(part.bytes.end(), some.begin(), some.end());
      cursor_.take(some.size());
    }
    return part;
  }

 private:
  archive::Cursor cursor_;
};

std::optional<ElfParts::Header> ElfParts::parse_header(std::span<const std::byte> bytes) {
  constexpr std::array kMagic = {std::byte{0x7f}, std::byte{'E'}, std::byte{'L'}, std::byte{'F'}};
  if (bytes.size() < kNarrowHeader || !std::ranges::equal(bytes.first(4), kMagic)) return std::nullopt;
  const auto bits = std::to_integer<int>(bytes[4]);
  const auto order = std::to_integer<int>(bytes[5]);
  if ((bits != 1 && bits != 2) || (order != 1 && order != 2)) return std::nullopt;
  if (bits == 2 && bytes.size() < kWideHeader) return std::nullopt;
  Header header{.wide = bits == 2, .big_endian = order == 2};
  Fields fields(bytes.subspan(kIdentity), header.wide, header.big_endian);
  header.type = fields.half();
  fields.half();     // machine
  fields.word();     // version
  fields.address();  // where it starts
  header.segments_at = fields.address();
  header.sections_at = fields.address();
  fields.word();  // flags
  fields.half();  // the header's own size
  header.segment_size = fields.half();
  header.segment_count = fields.half();
  header.section_size = fields.half();
  header.section_count = fields.half();
  header.names = fields.half();
  return header;
}

Result<> ElfParts::check_header() const {
  if (header_.segment_count == 0 || header_.segment_count > kMostSegments ||
      header_.segment_size != (header_.wide ? 56 : 32)) {
    return fail(ErrorKind::kCorrupt, "it has {} program headers of {} bytes, which no program has",
                header_.segment_count, header_.segment_size);
  }
  const std::uint64_t length = std::uint64_t{header_.segment_count} * header_.segment_size;
  if (end_of(header_.segments_at, length) > size_) {
    return fail(ErrorKind::kCorrupt, "its program headers lie outside of it");
  }
  return {};
}

Result<std::optional<ElfParts>> ElfParts::read(archive::ByteSource& content, std::uint64_t size) {
  Forward forward(content);
  auto head = forward.head(kWideHeader);
  if (!head) return fail(std::move(head.error()));
  const auto header = parse_header(*head);
  constexpr std::uint16_t kProgram = 2;
  constexpr std::uint16_t kShared = 3;
  if (!header || (header->type != kProgram && header->type != kShared)) return std::nullopt;
  ElfParts parts;
  parts.header_ = *header;
  parts.size_ = size;
  if (auto checked = parts.check_header(); !checked) return fail(std::move(checked.error()));
  head = forward.head(kMostBeforeNote);
  if (!head) return fail(std::move(head.error()));
  if (has_mark_of_go(*head)) parts.limits_ = kOfGo;
  if (auto kept = parts.read_parts(forward); !kept) return fail(std::move(kept.error()));
  return parts;
}

Result<> ElfParts::read_parts(Forward& forward) {
  const std::uint64_t length = std::uint64_t{header_.segment_count} * header_.segment_size;
  const std::uint64_t end = header_.segments_at + length;
  const bool at_head = end <= kMostAtHead;
  if (at_head) {
    auto head = forward.head(static_cast<std::size_t>(end));
    if (!head) return fail(std::move(head.error()));
    if (head->size() < end) return fail(ErrorKind::kCorrupt, "the program is cut off");
    const auto table = head->subspan(static_cast<std::size_t>(header_.segments_at), static_cast<std::size_t>(length));
    if (auto parsed = parse_segments(table); !parsed) return parsed;
  }
  for (const Span& span : plan()) {
    auto part = forward.keep(span);
    if (!part) return fail(std::move(part.error()));
    parts_.push_back(std::move(*part));
  }
  if (at_head) return {};
  const auto table = at_offset(header_.segments_at);
  if (table.size() < length) return fail(ErrorKind::kRejected, "its program headers are far from its beginning");
  return parse_segments(table.first(static_cast<std::size_t>(length)));
}

Result<> ElfParts::parse_segments(std::span<const std::byte> table) {
  for (; !table.empty(); table = table.subspan(header_.segment_size)) {
    Fields fields(table, header_.wide, header_.big_endian);
    const std::uint32_t type = fields.word();
    std::uint32_t flags = header_.wide ? fields.word() : 0;
    Segment segment{.offset = fields.address()};
    segment.address = fields.address();
    fields.address();  // physical
    segment.size = fields.address();
    segment.memory = fields.address();
    if (!header_.wide) flags = fields.word();
    if (type != kLoad) continue;
    if (end_of(segment.offset, segment.size) > size_) {
      return fail(ErrorKind::kCorrupt, "the program is cut off, or its segments lie outside of it");
    }
    segment.writable = (flags & kWritableFlag) != 0;
    segment.executable = (flags & kExecutableFlag) != 0;
    if (segment.size > 0) segments_.push_back(segment);
  }
  return {};
}

// The section headers, and the names: these stand right before them, or (Go's linker puts the headers first) behind the
// last segment.
void ElfParts::add_tail(std::vector<Span>& spans) const {
  const std::uint64_t end = end_of(header_.sections_at, std::uint64_t{header_.section_count} * header_.section_size);
  if (header_.section_count == 0 || end > size_) return;
  std::uint64_t begin = header_.sections_at - std::min(header_.sections_at, kMostBeforeTail);
  std::uint64_t last = size_ - std::min(size_, kMostBeforeTail);
  for (const Segment& segment : segments_) {
    const std::uint64_t behind = segment.offset + segment.size;
    if (behind <= header_.sections_at) begin = std::max(begin, behind);
    last = std::max(last, behind);
  }
  spans.push_back({begin, end, false});
  spans.push_back({last, size_, false});
}

std::vector<ElfParts::Span> ElfParts::plan() const {
  std::vector<Span> wanted;
  const bool apart = std::ranges::any_of(segments_, [](const Segment& s) { return !s.writable && !s.executable; });
  for (const Segment& s : segments_) {
    const std::uint64_t some = std::min(s.size, limits_.segment);
    if (!s.executable) wanted.push_back({s.offset, s.offset + some, s.writable});
    // Data follows the code.
    if (s.executable && !apart) wanted.push_back({s.offset + s.size - some, s.offset + s.size, s.writable});
  }
  if (segments_.empty()) wanted.push_back({0, std::min(size_, limits_.all), false});
  add_tail(wanted);
  std::ranges::sort(wanted, {}, &Span::offset);
  std::vector<Span> out;
  std::uint64_t left = limits_.all + kMostBeforeTail;
  for (Span span : wanted) {
    if (!out.empty()) span.offset = std::max(span.offset, out.back().end);
    if (span.offset >= span.end || left == 0) continue;
    span.end = std::min(span.end, span.offset + left);
    left -= span.end - span.offset;
    const bool goes_on = !out.empty() && out.back().end == span.offset && out.back().writable == span.writable;
    if (goes_on) {
      out.back().end = span.end;
    } else {
      out.push_back(span);
    }
  }
  return out;
}

std::span<const std::byte> ElfParts::at_offset(std::uint64_t offset) const {
  const auto after = std::ranges::upper_bound(parts_, offset, {}, &Part::offset);
  if (after == parts_.begin()) return {};
  const Part& part = *std::prev(after);
  if (offset - part.offset >= part.bytes.size()) return {};
  return std::span(part.bytes).subspan(static_cast<std::size_t>(offset - part.offset));
}

bool ElfParts::has_all_data() const {
  return std::ranges::none_of(segments_, [&](const Segment& segment) {
    return segment.writable && at_offset(segment.offset + segment.size - 1).empty();
  });
}

std::span<const std::byte> ElfParts::at_address(std::uint64_t address) const {
  for (const Segment& segment : segments_) {
    if (address >= segment.address && address - segment.address < segment.size) {
      const std::uint64_t within = address - segment.address;
      const auto bytes = at_offset(segment.offset + within);
      return bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), segment.size - within)));
    }
  }
  return {};
}

bool ElfParts::zero_at(std::uint64_t address) const {
  return std::ranges::any_of(segments_, [&](const Segment& segment) {
    const std::uint64_t within = address - segment.address;
    return address >= segment.address && within >= segment.size && within < segment.memory;
  });
}

ElfParts::Section ElfParts::parse_section(std::span<const std::byte> bytes) const {
  Fields fields(bytes, header_.wide, header_.big_endian);
  Section section{.name = fields.word()};
  section.type = fields.word();
  fields.address();  // flags
  fields.address();  // address
  section.offset = fields.address();
  section.size = fields.address();
  return section;
}

Result<std::optional<ElfParts::Range>> ElfParts::section(std::string_view name) const {
  if (header_.section_count == 0 || header_.names == 0) return std::nullopt;
  const std::size_t width = header_.wide ? 64 : 40;
  const std::size_t length = header_.section_count * width;
  if (header_.section_size != width || end_of(header_.sections_at, length) > size_ ||
      header_.names >= header_.section_count) {
    return fail(ErrorKind::kCorrupt, "its section headers make no sense");
  }
  const auto not_kept = [] {
    return fail(ErrorKind::kRejected, "the names of its sections are in a part that was not kept while it was read");
  };
  const auto table = at_offset(header_.sections_at);
  if (table.size() < length) return not_kept();
  const Section names = parse_section(table.subspan(header_.names * width));
  if (end_of(names.offset, names.size) > size_) return fail(ErrorKind::kCorrupt, "its names lie outside of it");
  const auto kept = at_offset(names.offset);
  if (kept.size() < names.size) return not_kept();
  const std::string_view text(reinterpret_cast<const char*>(kept.data()), static_cast<std::size_t>(names.size));
  for (std::size_t i = 0; i < header_.section_count; ++i) {
    const Section section = parse_section(table.subspan(i * width));
    if (section.name >= text.size() || section.type == kNoBits) continue;
    const auto its_name = text.substr(section.name);
    if (its_name.substr(0, its_name.find('\0')) != name) continue;
    if (end_of(section.offset, section.size) > size_) {
      return fail(ErrorKind::kCorrupt, "its section {} lies outside of it", name);
    }
    return Range{section.offset, section.size};
  }
  return std::nullopt;
}

}  // namespace slipway::scan
