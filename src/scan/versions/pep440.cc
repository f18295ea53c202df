#include "scan/versions/pep440.h"

#include <array>

#include "scan/versions/schemes.h"
#include "scan/versions/text.h"

namespace slipway::scan::versions {
namespace {

bool is_separator(char c) { return c == '.' || c == '-' || c == '_'; }

struct StageName {
  std::string_view name;
  Pep440Stage stage;
};

// Longer names before those that they begin with.
constexpr StageName kStages[] = {
    {"alpha", Pep440Stage::kAlpha},       {"a", Pep440Stage::kAlpha},
    {"beta", Pep440Stage::kBeta},         {"b", Pep440Stage::kBeta},
    {"rc", Pep440Stage::kCandidate},      {"c", Pep440Stage::kCandidate},
    {"preview", Pep440Stage::kCandidate}, {"pre", Pep440Stage::kCandidate},
};

constexpr std::array<std::string_view, 3> kPostNames = {"post", "rev", "r"};

// The blanks of Unicode beyond ASCII's, which Python strips as well.
constexpr std::string_view kWideBlanks[] = {
    "\xc2\x85",     "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\x80", "\xe2\x80\x81", "\xe2\x80\x82", "\xe2\x80\x83",
    "\xe2\x80\x84", "\xe2\x80\x85", "\xe2\x80\x86", "\xe2\x80\x87", "\xe2\x80\x88", "\xe2\x80\x89", "\xe2\x80\x8a",
    "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80",
};

bool trim_wide_blank(std::string_view& text) {
  for (const auto blank : kWideBlanks) {
    if (take(text, blank)) return true;
    if (!text.ends_with(blank)) continue;
    text.remove_suffix(blank.size());
    return true;
  }
  return false;
}

std::string_view stripped(std::string_view text) {
  do {
    text = trimmed(text);
  } while (trim_wide_blank(text));
  return text;
}

bool take_lower(std::string_view& text, std::string_view word) {
  if (!equals_lower(text.substr(0, word.size()), word)) return false;
  text.remove_prefix(word.size());
  return true;
}

void take_separator(std::string_view& text) {
  if (!text.empty() && is_separator(text.front())) text.remove_prefix(1);
}

// Takes what may stand after a name: "1", ".1", or nothing. A separator without a number is not its own.
std::string_view take_number_of_name(std::string_view& text) {
  auto rest = text;
  take_separator(rest);
  const auto digits = take_digits(rest);
  if (!digits.empty()) text = rest;
  return digits;
}

void take_stage(std::string_view& text, Pep440& version) {
  auto rest = text;
  take_separator(rest);
  for (const auto& [name, stage] : kStages) {
    if (!take_lower(rest, name)) continue;
    version.stage = stage;
    version.stage_number = take_number_of_name(rest);
    text = rest;
    return;
  }
}

void take_post(std::string_view& text, Pep440& version) {
  auto rest = text;
  if (take(rest, '-')) {  // "1.0-1"
    if (const auto digits = take_digits(rest); !digits.empty()) {
      version.post = digits;
      text = rest;
      return;
    }
  }
  rest = text;
  take_separator(rest);
  for (const auto name : kPostNames) {
    if (!take_lower(rest, name)) continue;
    version.post = take_number_of_name(rest);
    text = rest;
    return;
  }
}

void take_dev(std::string_view& text, Pep440& version) {
  auto rest = text;
  take_separator(rest);
  if (!take_lower(rest, "dev")) return;
  version.dev = take_number_of_name(rest);
  text = rest;
}

std::string_view take_release(std::string_view& text) {
  auto rest = text;
  if (take_digits(rest).empty()) return {};
  for (auto next = rest; take(next, '.') && !take_digits(next).empty();) rest = next;
  const auto release = text.substr(0, text.size() - rest.size());
  text = rest;
  return release;
}

bool is_local(std::string_view text) {
  do {
    if (take_while(text, is_word).empty()) return false;
    if (text.empty()) return true;
    take_separator(text);
  } while (true);
}

// What stands below all and above all of its kind: "1.0.dev1" comes before "1.0a1", and "1.0" after "1.0rc1".
int stage_rank(const Pep440& version) {
  if (version.stage == Pep440Stage::kFinal && !version.post && version.dev) return -1;
  return static_cast<int>(version.stage);
}

Order compare_local(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const auto left = take_while(a, is_word);
    const auto right = take_while(b, is_word);
    const bool number = all_of(left, is_digit);
    if (number != all_of(right, is_digit)) return number ? Order::greater : Order::less;
    const auto order = number ? compare_numbers(left, right) : compare_lower(left, right);
    if (order != Order::equal) return order;
    take_separator(a);
    take_separator(b);
  }
  return b.empty() <=> a.empty();
}

}  // namespace

std::optional<Pep440> parse_pep440(std::string_view text) {
  text = stripped(text);
  take_lower(text, "v");
  Pep440 version;
  auto rest = text;
  if (const auto epoch = take_digits(rest); !epoch.empty() && take(rest, '!')) {
    version.epoch = epoch;
    text = rest;
  }
  version.release = take_release(text);
  if (version.release.empty()) return std::nullopt;
  take_stage(text, version);
  take_post(text, version);
  take_dev(text, version);
  if (take(text, '+')) {
    if (!is_local(text)) return std::nullopt;
    version.local = text;
    text = {};
  }
  if (!text.empty()) return std::nullopt;
  return version;
}

std::strong_ordering compare_pep440_releases(std::string_view a, std::string_view b) {
  while (!a.empty() || !b.empty()) {
    const auto number = take_digits(a);
    if (const auto order = compare_numbers(number, take_digits(b)); order != Order::equal) return order;
    take(a, '.');
    take(b, '.');
  }
  return Order::equal;
}

std::strong_ordering compare_pep440_parts(const Pep440& a, const Pep440& b) {
  if (const auto order = compare_numbers(a.epoch, b.epoch); order != Order::equal) return order;
  if (const auto order = compare_pep440_releases(a.release, b.release); order != Order::equal) return order;
  if (const auto order = stage_rank(a) <=> stage_rank(b); order != Order::equal) return order;
  if (const auto order = compare_numbers(a.stage_number, b.stage_number); order != Order::equal) return order;
  if (a.post.has_value() != b.post.has_value()) return a.post ? Order::greater : Order::less;
  if (const auto order = compare_numbers(a.post.value_or(""), b.post.value_or("")); order != Order::equal) return order;
  if (a.dev.has_value() != b.dev.has_value()) return a.dev ? Order::less : Order::greater;
  if (const auto order = compare_numbers(a.dev.value_or(""), b.dev.value_or("")); order != Order::equal) return order;
  return compare_local(a.local, b.local);
}

bool is_pep440(std::string_view text) { return parse_pep440(text).has_value(); }

std::strong_ordering compare_pep440(std::string_view a, std::string_view b) {
  const auto left = parse_pep440(a);
  const auto right = parse_pep440(b);
  if (left && right) return compare_pep440_parts(*left, *right);
  if (left || right) return left ? Order::greater : Order::less;
  return compare_pep440_legacy(a, b);
}

}  // namespace slipway::scan::versions
