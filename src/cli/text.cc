#include "cli/text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include <fmt/format.h>

namespace slipway::cli {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Marks that stand on the letter before them. The blocks in use; a mark that is missing costs one column too many.
constexpr std::array kZeroWidth{
    Range{0x0300, 0x036F}, Range{0x0483, 0x0489},  Range{0x0591, 0x05BD}, Range{0x0610, 0x061A}, Range{0x064B, 0x065F},
    Range{0x06D6, 0x06DC}, Range{0x06DF, 0x06E4},  Range{0x0900, 0x0902}, Range{0x093C, 0x093C}, Range{0x0941, 0x0948},
    Range{0x094D, 0x094D}, Range{0x0E31, 0x0E31},  Range{0x0E34, 0x0E3A}, Range{0x0E47, 0x0E4E}, Range{0x1AB0, 0x1AFF},
    Range{0x1DC0, 0x1DFF}, Range{0x20D0, 0x20F0},  Range{0x302A, 0x302D}, Range{0x3099, 0x309A}, Range{0xFE00, 0xFE0F},
    Range{0xFE20, 0xFE2F}, Range{0xE0100, 0xE01EF}};

// East Asian wide and emoji.
constexpr std::array kWide{
    Range{0x1100, 0x115F},   Range{0x231A, 0x231B},   Range{0x2329, 0x232A},   Range{0x23E9, 0x23EC},
    Range{0x25FD, 0x25FE},   Range{0x2614, 0x2615},   Range{0x2648, 0x2653},   Range{0x26A1, 0x26A1},
    Range{0x2705, 0x2705},   Range{0x274C, 0x274C},   Range{0x2753, 0x2755},   Range{0x2795, 0x2797},
    Range{0x2B1B, 0x2B1C},   Range{0x2E80, 0x303E},   Range{0x3041, 0x33FF},   Range{0x3400, 0x4DBF},
    Range{0x4E00, 0x9FFF},   Range{0xA000, 0xA4CF},   Range{0xA960, 0xA97F},   Range{0xAC00, 0xD7A3},
    Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},   Range{0xFF00, 0xFF60},   Range{0xFFE0, 0xFFE6},
    Range{0x1F004, 0x1F004}, Range{0x1F0CF, 0x1F0CF}, Range{0x1F18E, 0x1F18E}, Range{0x1F191, 0x1F19A},
    Range{0x1F200, 0x1F320}, Range{0x1F32D, 0x1F335}, Range{0x1F337, 0x1F37C}, Range{0x1F37E, 0x1F393},
    Range{0x1F3A0, 0x1F3CA}, Range{0x1F3E0, 0x1F3F0}, Range{0x1F400, 0x1F43E}, Range{0x1F440, 0x1F440},
    Range{0x1F442, 0x1F4FC}, Range{0x1F4FF, 0x1F53D}, Range{0x1F550, 0x1F567}, Range{0x1F5FB, 0x1F64F},
    Range{0x1F680, 0x1F6C5}, Range{0x1F6CC, 0x1F6CC}, Range{0x1F6EB, 0x1F6FC}, Range{0x1F7E0, 0x1F7EB},
    Range{0x1F90C, 0x1F9FF}, Range{0x1FA70, 0x1FAFF}, Range{0x20000, 0x3FFFD}};

// Invisible, line-breaking or direction-changing: shown as text, they could make one name look like another.
constexpr std::array kHidden{Range{0x0080, 0x009F},  Range{0x00AD, 0x00AD}, Range{0x061C, 0x061C},
                             Range{0x180E, 0x180E},  Range{0x200B, 0x200F}, Range{0x2028, 0x202E},
                             Range{0x2060, 0x206F},  Range{0xFEFF, 0xFEFF}, Range{0xFFF9, 0xFFFB},
                             Range{0xE0000, 0xE007F}};

bool is_in(std::span<const Range> ranges, char32_t c) {
  const auto after = std::ranges::upper_bound(ranges, c, {}, &Range::first);
  return after != ranges.begin() && c <= std::prev(after)->last;
}

// One character of UTF-8, or one byte that is none.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
  char32_t code = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0U) != 0x80) return {};
    code = (code << 6U) | (next & 0x3FU);
  }
  constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {code, length, true};
}

std::size_t width_of(char32_t code) {
  if (code < 0x300) return 1;
  if (is_in(kZeroWidth, code)) return 0;
  return is_in(kWide, code) ? 2 : 1;
}

// As much from the front as fits into `width` columns.
std::string_view fitting_front(std::string_view text, std::size_t width) {
  std::size_t used = 0;
  std::size_t end = 0;
  while (end < text.size()) {
    const auto next = first_character(text.substr(end));
    const auto columns = next.valid ? width_of(next.code) : 1;
    if (used + columns > width) break;
    used += columns;
    end += next.bytes;
  }
  return text.substr(0, end);
}

std::string_view fitting_back(std::string_view text, std::size_t width) {
  auto columns = display_width(text);
  while (columns > width) {
    const auto next = first_character(text);
    columns -= next.valid ? width_of(next.code) : 1;
    text.remove_prefix(next.bytes);
  }
  return text;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto next = first_character(text);
    if (!next.valid || next.code < ' ' || next.code == 0x7F) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else if (is_in(kHidden, next.code)) {
      out += fmt::format("\\u{{{:x}}}", static_cast<std::uint32_t>(next.code));
    } else {
      out += text.substr(0, next.bytes);
    }
    text.remove_prefix(next.bytes);
  }
  return out;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto next = first_character(text);
    if (next.valid) {
      out += text.substr(0, next.bytes);
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    }
    text.remove_prefix(next.bytes);
  }
  return out;
}

std::size_t display_width(std::string_view printable_text) {
  std::size_t columns = 0;
  while (!printable_text.empty()) {
    const auto next = first_character(printable_text);
    columns += next.valid ? width_of(next.code) : 1;
    printable_text.remove_prefix(next.bytes);
  }
  return columns;
}

std::string shorten(std::string_view printable_text, std::size_t width, std::string_view mark, Cut where) {
  if (display_width(printable_text) <= width) return std::string(printable_text);
  const auto mark_width = display_width(mark);
  if (width <= mark_width) return std::string(fitting_front(mark, width));
  const auto left = width - mark_width;
  const auto back = where == Cut::kMiddle ? left / 2 : 0;
  std::string out(fitting_front(printable_text, left - back));
  out += mark;
  out += fitting_back(printable_text, back);
  return out;
}

std::string pad_right(std::string_view printable_text, std::size_t width) {
  std::string out(printable_text);
  const auto columns = display_width(printable_text);
  if (columns < width) out.append(width - columns, ' ');
  return out;
}

std::string pad_left(std::string_view printable_text, std::size_t width) {
  const auto columns = display_width(printable_text);
  std::string out(columns < width ? width - columns : 0, ' ');
  out += printable_text;
  return out;
}

std::vector<std::string> wrap(std::string_view printable_text, std::size_t width) {
  std::vector<std::string> lines(1);
  while (!printable_text.empty()) {
    const auto end = std::min(printable_text.find_first_of(" \n"), printable_text.size());
    const auto word = printable_text.substr(0, end);
    if (!lines.back().empty() && display_width(lines.back()) + 1 + display_width(word) > width) lines.emplace_back();
    if (!lines.back().empty() && !word.empty()) lines.back() += ' ';
    lines.back() += word;
    if (end == printable_text.size()) break;
    if (printable_text[end] == '\n') lines.emplace_back();
    printable_text.remove_prefix(end + 1);
  }
  return lines;
}

}  // namespace slipway::cli
