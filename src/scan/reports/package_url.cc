#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "scan/reports/distribution_names.h"
#include "scan/reports/formats.h"
#include "scan/reports/percent.h"

namespace slipway::scan {
namespace {

// A colon stands for itself everywhere in a package URL, by its specification.
std::string encode(std::string_view text) { return percent_encode(text, ":"); }

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

struct Name {
  std::string space{};
  std::string name{};
};

// At the last slash: what is before it is the namespace. A name that ends with one has none.
Name split_path(std::string_view name) {
  const auto slash = name.rfind('/');
  if (slash == std::string_view::npos || slash + 1 == name.size()) return {.name = std::string(name)};
  return {.space = std::string(name.substr(0, slash)), .name = std::string(name.substr(slash + 1))};
}

// "Flask_Login" is "flask-login".
std::string pypi_name(std::string_view name) {
  std::string out = lower(name);
  std::ranges::replace(out, '_', '-');
  return out;
}

Name split_name(const Package& package, std::string_view vendor) {
  switch (package.type) {
    case PackageType::kDeb:
    case PackageType::kApk: return {.space = std::string(vendor), .name = lower(package.name)};
    case PackageType::kRpm: return {.space = std::string(vendor), .name = package.name};
    case PackageType::kPypi: return {.name = pypi_name(package.name)};
    case PackageType::kNpm:
      return package.name.starts_with('@') ? split_path(package.name) : Name{.name = package.name};
    case PackageType::kGolang:
    case PackageType::kComposer: return split_path(lower(package.name));
    case PackageType::kMaven: {
      const auto colon = package.name.find(':');
      if (colon == std::string::npos) return {.name = package.name};
      return {.space = package.name.substr(0, colon), .name = package.name.substr(colon + 1)};
    }
    case PackageType::kGem:
    case PackageType::kCargo: return {.name = package.name};
    case PackageType::kOther: break;
  }
  return split_path(package.name);
}

// "debian-12", and for Alpine "3.18.4" alone, as Trivy has it.
std::string distro(PackageType type, const Distribution& distribution) {
  const auto& version = distribution.version.empty() ? distribution.codename : distribution.version;
  if (version.empty() || type == PackageType::kApk) return version;
  return fmt::format("{}-{}", family_of(distribution.id), version);
}

std::string encoded_parts(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const auto part = path.substr(0, path.find('/'));
    if (!part.empty()) out += encode(part) + '/';
    path.remove_prefix(std::min(part.size() + 1, path.size()));
  }
  return out;
}

// Goes has a v before the version, and an RPM's epoch is a qualifier.
std::string version_of(const Package& package, std::map<std::string, std::string>& qualifiers) {
  const std::string& version = package.version;
  if (package.type == PackageType::kGolang && !version.empty() && version[0] >= '0' && version[0] <= '9') {
    return "v" + version;
  }
  const auto colon = version.find(':');
  const bool has_epoch = colon != std::string::npos && colon > 0 && version.find_first_not_of("0123456789") == colon &&
                         colon + 1 < version.size();
  if (package.type != PackageType::kRpm || !has_epoch) return version;
  qualifiers["epoch"] = version.substr(0, colon);
  return version.substr(colon + 1);
}

}  // namespace

std::string package_url(const Package& package, const std::optional<Distribution>& distribution) {
  if (package.name.empty()) return {};
  std::map<std::string, std::string> qualifiers;
  const bool of_distribution = is_of_distribution(package.type);
  const std::string version = version_of(package, qualifiers);
  if (of_distribution) qualifiers["arch"] = package.architecture;
  if (of_distribution && distribution) qualifiers["distro"] = distro(package.type, *distribution);

  const Name name = split_name(package, distribution ? vendor_of(distribution->id) : std::string_view());
  const auto type = package.type == PackageType::kOther ? "generic" : to_string(package.type);
  std::string url = fmt::format("pkg:{}/{}{}", type, encoded_parts(name.space), encode(name.name));
  if (!version.empty()) url += "@" + encode(version);
  char before = '?';
  for (const auto& [key, value] : qualifiers) {
    if (value.empty()) continue;
    url += fmt::format("{}{}={}", std::exchange(before, '&'), key, encode(value));
  }
  return url;
}

}  // namespace slipway::scan
