#include "scan/matching/ecosystem.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "feeds/package_names.h"
#include "feeds/providers/advisory_record.h"

namespace slipway::scan {
namespace {

// "3.18.4" with 2 parts: "3.18".
std::string_view first_parts(std::string_view version, int parts) {
  std::size_t end = 0;
  for (; parts > 0 && end < version.size(); --parts) {
    end = std::min(version.find('.', end == 0 ? 0 : end + 1), version.size());
  }
  return version.substr(0, end);
}

struct Release {
  std::string_view id;      // of os-release
  PackageType packages;     // its own
  std::string_view format;  // of OSV, with {} for the version; without: it has no releases
  int parts;                // of the version that OSV names
};

constexpr auto kReleases = std::to_array<Release>({
    {"debian", PackageType::kDeb, "Debian:{}", 1},
    {"ubuntu", PackageType::kDeb, "Ubuntu:{}", 2},
    {"alpine", PackageType::kApk, "Alpine:v{}", 2},
    {"wolfi", PackageType::kApk, "Wolfi", 0},
    {"chainguard", PackageType::kApk, "Chainguard", 0},
    {"rocky", PackageType::kRpm, "Rocky Linux:{}", 1},
    {"almalinux", PackageType::kRpm, "AlmaLinux:{}", 1},
    {"mageia", PackageType::kRpm, "Mageia:{}", 1},
    {"photon", PackageType::kRpm, "Photon OS:{}", 2},
    {"azurelinux", PackageType::kRpm, "Azure Linux:{}", 1},
    {"mariner", PackageType::kRpm, "Azure Linux:{}", 1},
    {"openeuler", PackageType::kRpm, "openEuler:{}", 9},
    {"opensuse-leap", PackageType::kRpm, "openSUSE:Leap {}", 2},
    {"opensuse-tumbleweed", PackageType::kRpm, "openSUSE:Tumbleweed", 0},
});

// "openEuler 24.03 (LTS-SP1)": "LTS-SP1", which OSV has and VERSION_ID has not.
std::string_view in_parentheses(std::string_view text) {
  const auto open = text.find('(');
  if (open == std::string_view::npos) return {};
  text.remove_prefix(open + 1);
  return text.substr(0, text.find(')'));
}

// Releases that have no number yet are named by their codename, as Debian's tracker does.
std::vector<std::string> releases_of(const Distribution& distribution, const Release& known) {
  if (known.parts == 0) return {std::string(known.format)};
  if (known.id == "alpine" && distribution.version.find('_') != std::string::npos) return {"Alpine:edge"};
  const auto version = first_parts(distribution.version, known.parts);
  if (version.empty() && known.id == "debian" && !distribution.codename.empty()) {
    return {feeds::debian_ecosystem(distribution.codename)};
  }
  if (version.empty()) return {};
  std::vector<std::string> names{fmt::format(fmt::runtime(known.format), version)};
  if (known.id == "ubuntu") names.insert(names.begin(), names.front() + ":LTS");
  if (const auto more = in_parentheses(distribution.name); known.id == "openeuler" && !more.empty()) {
    names.push_back(fmt::format("{}-{}", names.front(), more));
  }
  return names;
}

const std::string& source_name(const Package& package) {
  return package.source.empty() ? package.name : package.source;
}

// The name of a source RPM has no epoch in it: it is that of the package.
std::string version_of_source_rpm(const Package& package) {
  const auto& version = package.source_version;
  if (version.empty()) return package.version;
  const auto colon = package.version.find(':');
  if (colon == std::string::npos || version.find(':') != std::string::npos) return version;
  return package.version.substr(0, colon + 1) + version;
}

}  // namespace

std::string_view language_ecosystem(PackageType type) {
  switch (type) {
    case PackageType::kNpm: return "npm";
    case PackageType::kPypi: return "PyPI";
    case PackageType::kGolang: return "Go";
    case PackageType::kMaven: return "Maven";
    case PackageType::kGem: return "RubyGems";
    case PackageType::kCargo: return "crates.io";
    case PackageType::kComposer: return "Packagist";
    default: return {};
  }
}

std::vector<std::string> ecosystems_of(const Package& package, const std::optional<Distribution>& distribution) {
  if (const auto language = language_ecosystem(package.type); !language.empty()) return {std::string(language)};
  if (!is_of_distribution(package.type) || !distribution) return {};
  const auto known = std::ranges::find(kReleases, distribution->id, &Release::id);
  if (known == kReleases.end() || known->packages != package.type) return {};
  auto names = releases_of(*distribution, *known);
  const auto all_releases = known->format.substr(0, known->format.find(':'));
  if (!names.empty() && all_releases != names.front()) names.emplace_back(all_releases);
  return names;
}

std::vector<Called> names_of(const Package& package) {
  switch (package.type) {
    case PackageType::kDeb:
    case PackageType::kApk:
      return {{source_name(package), package.source_version.empty() ? package.version : package.source_version}};
    case PackageType::kRpm:
      if (source_name(package) == package.name) return {{package.name, package.version}};
      return {{package.name, package.version}, {package.source, version_of_source_rpm(package)}};
    default: return {{feeds::asked_name(language_ecosystem(package.type), package.name), package.version}};
  }
}

VersionScheme scheme_of(PackageType type) {
  switch (type) {
    case PackageType::kDeb: return VersionScheme::kDpkg;
    case PackageType::kApk: return VersionScheme::kApk;
    case PackageType::kRpm: return VersionScheme::kRpm;
    case PackageType::kPypi: return VersionScheme::kPep440;
    case PackageType::kGolang: return VersionScheme::kGo;
    case PackageType::kMaven: return VersionScheme::kMaven;
    case PackageType::kGem: return VersionScheme::kRubyGems;
    case PackageType::kComposer: return VersionScheme::kPackagist;
    case PackageType::kNpm:
    case PackageType::kCargo:
    case PackageType::kOther: break;
  }
  return VersionScheme::kSemver;
}

std::string_view distribution_feed(const std::optional<Distribution>& distribution) {
  if (!distribution) return {};
  if (distribution->id == "debian") return "debian";
  if (distribution->id == "alpine" || distribution->id == "wolfi") return "alpine";
  return {};
}

}  // namespace slipway::scan
