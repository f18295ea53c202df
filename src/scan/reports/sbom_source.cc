#include "scan/reports/sbom_source.h"

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "scan/reports/package_url.h"
#include "scan/reports/sbom_inventory.h"

namespace slipway::scan {
namespace {

struct Source {
  std::string name{};
  std::string version{};
};

Source from_properties(const std::vector<Property>& properties) {
  Source source;
  std::string release;
  std::string epoch;
  for (const auto& [name, value] : properties) {
    std::string_view bare = name;
    if (bare.starts_with(property::kTrivy)) bare.remove_prefix(property::kTrivy.size());
    if (bare == "SrcName") source.name = value;
    if (bare == "SrcVersion") source.version = value;
    if (bare == "SrcRelease") release = value;
    if (bare == "SrcEpoch") epoch = value;
  }
  if (!source.version.empty() && !release.empty()) source.version += "-" + release;
  const bool has_epoch = !epoch.empty() && epoch != "0" && !source.version.empty();
  if (has_epoch) source.version = fmt::format("{}:{}", epoch, source.version);
  return source;
}

// "openssl 1:1.0.2k-16.el7"
Source from_text(std::string_view text) {
  const auto blank = text.find(' ');
  if (blank == std::string_view::npos) return {.name = std::string(text)};
  return {.name = std::string(text.substr(0, blank)), .version = std::string(text.substr(blank + 1))};
}

// "openssl", "openssl@3.0.1-1", "openssl-1.0.2k-16.el7.src.rpm"
Source from_upstream(std::string_view text) {
  if (text.ends_with(".src.rpm")) {
    text.remove_suffix(8);
    const auto release = text.rfind('-');
    const auto version = release == 0 || release == std::string_view::npos ? release : text.rfind('-', release - 1);
    if (version == std::string_view::npos) return {};
    return {.name = std::string(text.substr(0, version)), .version = std::string(text.substr(version + 1))};
  }
  const auto at = text.find('@');
  if (at == std::string_view::npos) return {.name = std::string(text)};
  return {.name = std::string(text.substr(0, at)), .version = std::string(text.substr(at + 1))};
}

// The name of a source RPM's file has no epoch; it is the package's.
void add_epoch(const Package& package, Source& source) {
  const auto colon = package.version.find(':');
  if (package.type != PackageType::kRpm || colon == std::string::npos || source.version.empty()) return;
  if (!source.version.contains(':')) source.version = package.version.substr(0, colon + 1) + source.version;
}

Source source_of(const SbomComponent& component, const Package& package) {
  if (auto source = from_properties(component.properties); !source.name.empty()) return source;
  if (!component.source.empty()) return from_text(component.source);
  const auto url = parse_package_url(component.url);
  auto source = url ? from_upstream(url->qualifier("upstream")) : Source{};
  add_epoch(package, source);
  return source;
}

}  // namespace

void set_source(const SbomComponent& component, Package& package) {
  if (!is_of_distribution(package.type)) return;
  auto source = source_of(component, package);
  if (source.name != package.name) package.source = std::move(source.name);
  if (source.version != package.version) package.source_version = std::move(source.version);
}

}  // namespace slipway::scan
