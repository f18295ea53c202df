// A version by SemVer, taken apart. What it holds points into the text.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace slipway::scan::versions {

// How much is put up with.
enum class SemverForm : std::uint8_t {
  kStrict,   // "1.2.3-rc.1+build", a "v" in front
  kLoose,    // npm's loose mode: also "= v1.2.3", "01.2.3", "1.2.3rc1"
  kCoerced,  // also "1", "1.2-rc", and more than three numbers, of which the further ones do not count
};

// What follows the hyphen.
struct Prerelease {
  std::string_view text{};
  // Identifiers also end between letters and digits, as in Go's "1.21rc2".
  bool split = false;

  [[nodiscard]] bool empty() const { return text.empty(); }
};

struct Semver {
  std::array<std::string_view, 3> numbers{};  // digits; empty: 0
  Prerelease prerelease{};
  bool hyphen = false;  // a hyphen stands before the prerelease
};

[[nodiscard]] std::optional<Semver> parse_semver(std::string_view text, SemverForm form);

// Takes what follows the numbers, "-rc.1+build", up to the end of the text. False: it is something else.
[[nodiscard]] bool parse_semver_tail(std::string_view text, SemverForm form, Semver& version);

[[nodiscard]] std::strong_ordering compare_prereleases(Prerelease a, Prerelease b);
[[nodiscard]] std::strong_ordering compare_semver_numbers(const Semver& a, const Semver& b);
[[nodiscard]] std::strong_ordering compare_semver_parts(const Semver& a, const Semver& b);

}  // namespace slipway::scan::versions
