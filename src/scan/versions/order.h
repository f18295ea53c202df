// Which of two versions is the newer one, as each ecosystem defines it. Pure; any bytes may be given, and the time it
// takes is linear in them.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace slipway::scan {

enum class VersionScheme : std::uint8_t {
  kDpkg,       // Debian policy 5.6.12
  kApk,        // apk-tools
  kRpm,        // [epoch:]version[-release], rpmvercmp; without a release is older than with any
  kSemver,     // 2.0.0, with what npm, Cargo and OSV put up with ("v1.2", "1.2", "1.2.3beta")
  kPep440,     // Python; what is older than PEP 440 ("0.7.4.svn.r2010") is below all that follows it
  kMaven,      // ComparableVersion
  kGo,         // semver with "v", pseudo-versions, "+incompatible"; the toolchain's "go1.21rc2"
  kRubyGems,   // Gem::Version
  kPackagist,  // PHP's version_compare, as OSV has it: "1.0" is older than "1.0.0"; branches ("dev-main") are below
};

// None when one of them has no place in the order: the empty text, and of kDpkg, kSemver, kGo and kRubyGems all that
// is_version refuses. The other schemes place what they refuse too, as their tools do, because old packages are so
// called. The order is total: transitive, and a<b exactly when b>a; different texts may be equal ("1.0", "1.00").
[[nodiscard]] std::optional<std::strong_ordering> compare_versions(VersionScheme scheme, std::string_view a,
                                                                   std::string_view b);
// Whether the scheme accepts it today.
[[nodiscard]] bool is_version(VersionScheme scheme, std::string_view text);

}  // namespace slipway::scan
