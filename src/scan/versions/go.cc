#include "scan/versions/schemes.h"
#include "scan/versions/semver.h"
#include "scan/versions/text.h"

namespace slipway::scan::versions {
namespace {

// The toolchain's name of itself without what its builders add: "go1.22.5 X:boringcrypto", "go1.21.3-custom", and
// BoringCrypto's "go1.18.2b7".
std::string_view bare_toolchain(std::string_view text) {
  auto rest = text;
  take_while(rest, [](char c) { return is_digit(c) || c == '.'; });
  auto suffix = rest;
  if (take(suffix, 'b') && !take_digits(suffix).empty()) return text.substr(0, text.size() - rest.size());
  take_while(rest, is_word);
  return text.substr(0, text.size() - rest.size());
}

std::optional<Semver> parse(std::string_view text) {
  text = trimmed(text);
  if (take(text, "go")) {
    text = bare_toolchain(text);
  } else {
    take(text, 'v');
  }
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  auto version = parse_semver(text, SemverForm::kCoerced);
  if (version) version->prerelease.split = !version->hyphen;
  return version;
}

}  // namespace

bool is_go(std::string_view text) { return parse(text).has_value(); }

std::optional<std::strong_ordering> compare_go(std::string_view a, std::string_view b) {
  const auto left = parse(a);
  const auto right = parse(b);
  if (!left || !right) return std::nullopt;
  return compare_semver_parts(*left, *right);
}

}  // namespace slipway::scan::versions
