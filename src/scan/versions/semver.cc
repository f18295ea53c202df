#include "scan/versions/semver.h"

#include "scan/versions/schemes.h"
#include "scan/versions/text.h"

namespace slipway::scan::versions {
namespace {

bool fits_identifier(char c) { return is_word(c) || c == '-'; }

bool is_number(std::string_view text) { return all_of(text, is_digit); }

// Takes identifiers joined by dots: none of them is empty, and strictly none is a number with a zero in front.
std::string_view take_identifiers(std::string_view& text, bool zeros_in_front) {
  auto rest = text;
  do {
    const auto identifier = take_while(rest, fits_identifier);
    if (identifier.empty()) return {};
    if (!zeros_in_front && identifier.size() > 1 && identifier.front() == '0' && is_number(identifier)) return {};
  } while (take(rest, '.'));
  const auto taken = text.substr(0, text.size() - rest.size());
  text = rest;
  return taken;
}

std::string_view take_identifier(Prerelease& prerelease) {
  auto& text = prerelease.text;
  std::string_view identifier;
  if (!prerelease.split || text.empty()) {
    identifier = take_while(text, fits_identifier);
  } else {
    identifier = is_digit(text.front()) ? take_digits(text)
                                        : take_while(text, [](char c) { return fits_identifier(c) && !is_digit(c); });
  }
  take(text, '.');
  return identifier;
}

bool take_numbers(std::string_view& text, SemverForm form, Semver& version) {
  std::size_t count = 0;
  do {
    const auto digits = take_digits(text);
    if (digits.empty()) return false;
    if (form == SemverForm::kStrict && digits.size() > 1 && digits.front() == '0') return false;
    if (count < version.numbers.size()) version.numbers[count] = digits;
    ++count;
  } while (take(text, '.'));
  return form == SemverForm::kCoerced || count == version.numbers.size();
}

}  // namespace

bool parse_semver_tail(std::string_view text, SemverForm form, Semver& version) {
  const bool strict = form == SemverForm::kStrict;
  version.hyphen = take(text, '-');
  if (version.hyphen || (!strict && !text.empty() && text.front() != '+')) {
    version.prerelease.text = take_identifiers(text, /*zeros_in_front=*/!strict);
    if (version.prerelease.empty()) return false;
  }
  if (take(text, '+') && take_identifiers(text, /*zeros_in_front=*/true).empty()) return false;
  return text.empty();
}

std::optional<Semver> parse_semver(std::string_view text, SemverForm form) {
  text = trimmed(text);
  if (form == SemverForm::kStrict) {
    take(text, 'v');
  } else {
    take_while(text, [](char c) { return c == 'v' || c == 'V' || c == '=' || is_blank(c); });
  }
  Semver version;
  if (!take_numbers(text, form, version) || !parse_semver_tail(text, form, version)) return std::nullopt;
  return version;
}

std::strong_ordering compare_prereleases(Prerelease a, Prerelease b) {
  if (a.empty() || b.empty()) return a.empty() <=> b.empty();
  while (!a.empty() && !b.empty()) {
    const auto left = take_identifier(a);
    const auto right = take_identifier(b);
    const bool number = is_number(left);
    if (number != is_number(right)) return number ? Order::less : Order::greater;
    const auto order = number ? compare_numbers(left, right) : left <=> right;
    if (order != Order::equal) return order;
  }
  return b.empty() <=> a.empty();
}

std::strong_ordering compare_semver_numbers(const Semver& a, const Semver& b) {
  for (std::size_t i = 0; i < a.numbers.size(); ++i) {
    if (const auto order = compare_numbers(a.numbers[i], b.numbers[i]); order != Order::equal) return order;
  }
  return Order::equal;
}

std::strong_ordering compare_semver_parts(const Semver& a, const Semver& b) {
  if (const auto order = compare_semver_numbers(a, b); order != Order::equal) return order;
  return compare_prereleases(a.prerelease, b.prerelease);
}

bool is_semver(std::string_view text) { return parse_semver(text, SemverForm::kCoerced).has_value(); }

std::optional<std::strong_ordering> compare_semver(std::string_view a, std::string_view b) {
  const auto left = parse_semver(a, SemverForm::kCoerced);
  const auto right = parse_semver(b, SemverForm::kCoerced);
  if (!left || !right) return std::nullopt;
  return compare_semver_parts(*left, *right);
}

}  // namespace slipway::scan::versions
