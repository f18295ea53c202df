// Which of two versions is the newer one, as each ecosystem defines it. Pure; any bytes may be given.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace slipway::scan {

enum class VersionScheme : std::uint8_t {
  kDpkg,       // Debian policy 5.6.12
  kApk,        // apk-tools
  kRpm,        // [epoch:]version[-release], rpmvercmp
  kSemver,     // 2.0.0, with what npm, Cargo and OSV put up with ("v1.2", "1.2")
  kPep440,     // Python
  kMaven,      // ComparableVersion
  kGo,         // semver with "v", pseudo-versions, "+incompatible"; the toolchain's "go1.21rc2"
  kRubyGems,   // Gem::Version
  kPackagist,  // Composer
};

// None when one of them is no version of that scheme. Any two versions of one scheme are comparable, and the order is
// total: transitive, and a<b exactly when b>a.
[[nodiscard]] std::optional<std::strong_ordering> compare_versions(VersionScheme scheme, std::string_view a,
                                                                   std::string_view b);
[[nodiscard]] bool is_version(VersionScheme scheme, std::string_view text);

}  // namespace slipway::scan
