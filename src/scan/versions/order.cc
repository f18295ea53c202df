#include "scan/versions/order.h"

#include "scan/versions/schemes.h"

namespace slipway::scan {

std::optional<std::strong_ordering> compare_versions(VersionScheme scheme, std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return std::nullopt;
  switch (scheme) {
    case VersionScheme::kDpkg: return versions::compare_dpkg(a, b);
    case VersionScheme::kApk: return versions::compare_apk(a, b);
    case VersionScheme::kRpm: return versions::compare_rpm(a, b);
    case VersionScheme::kSemver: return versions::compare_semver(a, b);
    case VersionScheme::kPep440: return versions::compare_pep440(a, b);
    case VersionScheme::kMaven: return versions::compare_maven(a, b);
    case VersionScheme::kGo: return versions::compare_go(a, b);
    case VersionScheme::kRubyGems: return versions::compare_rubygems(a, b);
    case VersionScheme::kPackagist: return versions::compare_packagist(a, b);
  }
  return std::nullopt;
}

bool is_version(VersionScheme scheme, std::string_view text) {
  if (text.empty()) return false;
  switch (scheme) {
    case VersionScheme::kDpkg: return versions::is_dpkg(text);
    case VersionScheme::kApk: return versions::is_apk(text);
    case VersionScheme::kRpm: return versions::is_rpm(text);
    case VersionScheme::kSemver: return versions::is_semver(text);
    case VersionScheme::kPep440: return versions::is_pep440(text);
    case VersionScheme::kMaven: return versions::is_maven(text);
    case VersionScheme::kGo: return versions::is_go(text);
    case VersionScheme::kRubyGems: return versions::is_rubygems(text);
    case VersionScheme::kPackagist: return versions::is_packagist(text);
  }
  return false;
}

}  // namespace slipway::scan
