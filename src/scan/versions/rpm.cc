#include <cstdint>

#include "scan/versions/schemes.h"
#include "scan/versions/text.h"

namespace slipway::scan::versions {
namespace {

struct Rpm {
  std::string_view epoch;
  std::string_view version;
  std::optional<std::string_view> release;
};

// Only digits before the first colon are an epoch: modules put colons elsewhere.
Rpm parse(std::string_view text) {
  Rpm rpm;
  auto rest = text;
  const auto digits = take_digits(rest);
  if (take(rest, ':')) {
    rpm.epoch = digits;
    text = rest;
  }
  if (const auto hyphen = text.rfind('-'); hyphen != std::string_view::npos) {
    rpm.release = text.substr(hyphen + 1);
    text = text.substr(0, hyphen);
  }
  rpm.version = text;
  return rpm;
}

// In their order: a tilde makes older than nothing at all, a caret newer, and less so than anything else.
enum class Kind : std::uint8_t { kTilde, kEnd, kCaret, kWord, kNumber };

struct Segment {
  Kind kind = Kind::kEnd;
  std::string_view text;
};

Segment take_segment(std::string_view& text) {
  take_while(text, [](char c) { return !is_word(c) && c != '~' && c != '^'; });
  if (text.empty()) return {};
  if (take(text, '~')) return {.kind = Kind::kTilde, .text = {}};
  if (take(text, '^')) return {.kind = Kind::kCaret, .text = {}};
  if (is_digit(text.front())) return {.kind = Kind::kNumber, .text = take_digits(text)};
  return {.kind = Kind::kWord, .text = take_while(text, is_letter)};
}

Order compare_part(std::string_view a, std::string_view b) {
  for (;;) {
    const auto left = take_segment(a);
    const auto right = take_segment(b);
    if (left.kind != right.kind) return left.kind <=> right.kind;
    if (left.kind == Kind::kEnd) return Order::equal;
    const auto order = left.kind == Kind::kNumber ? compare_numbers(left.text, right.text) : left.text <=> right.text;
    if (order != Order::equal) return order;
  }
}

}  // namespace

// rpm itself is as free: it forbids only what would break its own syntax.
bool is_rpm(std::string_view text) {
  return all_of(text, [](char c) { return static_cast<unsigned char>(c) > ' ' && c != 0x7f; });
}

std::strong_ordering compare_rpm(std::string_view a, std::string_view b) {
  const auto left = parse(a);
  const auto right = parse(b);
  if (const auto order = compare_numbers(left.epoch, right.epoch); order != Order::equal) return order;
  if (const auto order = compare_part(left.version, right.version); order != Order::equal) return order;
  if (!left.release || !right.release) return left.release.has_value() <=> right.release.has_value();
  return compare_part(*left.release, *right.release);
}

}  // namespace slipway::scan::versions
