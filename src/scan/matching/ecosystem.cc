#include "scan/matching/ecosystem.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

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
  std::string_view format;  // of OSV, with {} for the version; without: it has no releases
  int parts;                // of the version that OSV names
};

constexpr auto kReleases = std::to_array<Release>({
    {"debian", "Debian:{}", 1},
    {"alpine", "Alpine:v{}", 2},
    {"wolfi", "Wolfi", 0},
    {"chainguard", "Chainguard", 0},
    {"rocky", "Rocky Linux:{}", 1},
    {"almalinux", "AlmaLinux:{}", 1},
    {"mageia", "Mageia:{}", 1},
    {"photon", "Photon OS:{}", 2},
    {"azurelinux", "Azure Linux:{}", 1},
    {"mariner", "Azure Linux:{}", 1},
    {"openeuler", "openEuler:{}", 9},
    {"opensuse-leap", "openSUSE:Leap {}", 2},
    {"opensuse-tumbleweed", "openSUSE:Tumbleweed", 0},
});

// Releases that have no number yet are named by their codename, as Debian's tracker does.
std::vector<std::string> releases_of(const Distribution& distribution) {
  if (distribution.id == "ubuntu") {
    return {fmt::format("Ubuntu:{}:LTS", distribution.version), fmt::format("Ubuntu:{}", distribution.version)};
  }
  if (distribution.id == "alpine" && distribution.version.find('_') != std::string::npos) return {"Alpine:edge"};
  const auto known = std::ranges::find(kReleases, distribution.id, &Release::id);
  if (known == kReleases.end()) return {};
  if (known->parts == 0) return {std::string(known->format)};
  const auto version = first_parts(distribution.version, known->parts);
  const auto name = version.empty() ? std::string_view(distribution.codename) : version;
  if (name.empty()) return {};
  return {fmt::format(fmt::runtime(known->format), name)};
}

std::string normalised_python_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool dash = c == '-' || c == '_' || c == '.';
    if (dash && out.ends_with('-')) continue;
    out += dash ? '-' : (c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c);
  }
  return out;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

const std::string& source_name(const Package& package) {
  return package.source.empty() ? package.name : package.source;
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
  return releases_of(*distribution);
}

std::vector<std::string> names_of(const Package& package) {
  switch (package.type) {
    case PackageType::kDeb:
    case PackageType::kApk: return {source_name(package)};
    case PackageType::kRpm:
      if (source_name(package) == package.name) return {package.name};
      return {package.name, package.source};
    case PackageType::kPypi: return {normalised_python_name(package.name)};
    case PackageType::kComposer: return {lower(package.name)};
    default: return {package.name};
  }
}

std::string_view version_of(const Package& package) {
  const bool by_source = package.type == PackageType::kDeb || package.type == PackageType::kApk;
  return by_source && !package.source_version.empty() ? package.source_version : package.version;
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
