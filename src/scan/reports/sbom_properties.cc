#include "scan/reports/sbom_properties.h"

#include "scan/reports/distribution_names.h"
#include "scan/reports/formats.h"
#include "scan/reports/package_url.h"
#include "scan/reports/report_json.h"

namespace slipway::scan {
namespace {

void add(std::vector<Property>& properties, std::string_view name, std::string_view value) {
  if (!value.empty()) properties.push_back({std::string(name), std::string(value)});
}

// What another makes of the package's URL.
Package as_read(const Package& package, const Inventory& inventory) {
  const auto url = parse_package_url(package_url(package, inventory.distribution));
  return url ? package_of(*url) : Package{};
}

}  // namespace

std::vector<Property> properties_of(const Package& package, const Inventory& inventory) {
  std::vector<Property> all;
  const Package read = as_read(package, inventory);
  if (read.name != package.name) add(all, property::kName, package.name);
  if (read.version != package.version) add(all, property::kVersion, package.version);
  if (read.architecture != package.architecture) add(all, property::kArchitecture, package.architecture);
  add(all, property::kSourceName, package.source);
  add(all, property::kSourceVersion, package.source_version);
  add(all, property::kPath, package.path);
  add(all, property::kOwner, package.owner);
  if (!inventory.layers.empty() || package.layer != 0) add(all, property::kLayerIndex, std::to_string(package.layer));
  if (package.layer < inventory.layers.size()) {
    const Layer& layer = inventory.layers[package.layer];
    add(all, property::kLayerDiffId, layer.diff_id);
    add(all, property::kLayerDigest, layer.digest);
  }
  return all;
}

std::vector<Property> trivy_properties_of(const Package& package, const Inventory& inventory) {
  std::vector<Property> all;
  const auto add_trivys = [&](const char* name, std::string_view value) {
    add(all, std::string(property::kTrivy) + name, value);
  };
  if (!is_of_distribution(package.type)) {
    add_trivys("FilePath", package.path);
    return all;
  }
  if (inventory.distribution) add_trivys("PkgType", family_of(inventory.distribution->id));
  // Where there is no version of the source, Trivy takes the package's, and where there is no name, that of the
  // package.
  if (package.source_version.empty()) {
    add_trivys("SrcName", package.source);
    return all;
  }
  add_trivys("SrcName", package.source.empty() ? package.name : package.source);
  const auto source = split_version(package.type, package.source_version);
  add_trivys("SrcVersion", source.version);
  add_trivys("SrcRelease", source.release);
  if (source.epoch != 0) add_trivys("SrcEpoch", std::to_string(source.epoch));
  return all;
}

std::vector<Property> properties_of(const Distribution& distribution) {
  std::vector<Property> all;
  add(all, property::kCodename, distribution.codename);
  add(all, property::kPrettyName, distribution.name);
  return all;
}

std::vector<Property> properties_of(const Inventory& inventory, const std::vector<std::string>& warnings) {
  std::vector<Property> all;
  for (const auto& layer : inventory.layers) {
    all.push_back({std::string(property::kLayerDiffId), layer.diff_id});
    all.push_back({std::string(property::kLayerDigest), layer.digest});
  }
  for (const auto& unread : inventory.unread) {
    all.push_back({std::string(property::kUnreadPath), unread.path});
    all.push_back({std::string(property::kUnreadReason), unread.reason});
  }
  for (const auto& warning : warnings) add(all, property::kWarning, warning);
  return all;
}

}  // namespace slipway::scan
