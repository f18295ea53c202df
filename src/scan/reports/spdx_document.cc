#include "scan/reports/spdx_document.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "scan/reports/sbom_inventory.h"

namespace slipway::scan {
namespace {

// "NAME: VALUE", as Trivy and this program note what has no place of its own.
std::vector<Property> properties_from(const std::vector<std::string>& notes) {
  std::vector<Property> all;
  for (const std::string_view note : notes) {
    const auto divider = note.find(": ");
    if (divider == std::string_view::npos || divider == 0) continue;
    all.push_back({std::string(note.substr(0, divider)), std::string(note.substr(divider + 2))});
  }
  return all;
}

std::string value_of(const std::vector<Property>& properties, std::string_view name) {
  for (const auto& property : properties) {
    if (property.name == name) return property.value;
  }
  return {};
}

std::string licence_of(const SpdxDocument& document, const SpdxPackage& package) {
  for (const auto* text : {&package.declared, &package.concluded}) {
    if (text->empty() || *text == "NOASSERTION" || *text == "NONE") continue;
    const auto found = document.licences.find(*text);
    return found == document.licences.end() ? *text : found->second;
  }
  return {};
}

// What is after one of the beginnings by which makers of SBOMs tell of it; empty when there is none.
std::string after(std::string_view text, std::string_view beginning) {
  return text.starts_with(beginning) ? std::string(text.substr(beginning.size())) : std::string();
}

bool is_system(const SpdxPackage& package) {
  return package.purpose == "OPERATING-SYSTEM" || package.purpose == "OPERATING_SYSTEM" ||
         package.id.starts_with("SPDXRef-OperatingSystem");
}

// As Trivy and syft call what their documents are about, where nothing else tells it.
bool is_artifact_by_name(const SpdxPackage& package) {
  constexpr std::array<std::string_view, 4> kIds{"SPDXRef-ContainerImage", "SPDXRef-Filesystem", "SPDXRef-Repository",
                                                 "SPDXRef-DocumentRoot"};
  return package.version.empty() &&
         std::ranges::any_of(kIds, [&](std::string_view id) { return package.id.starts_with(id); });
}

// As Trivy tells of one: what is found in it depends on it.
bool is_lock_file(const SpdxPackage& package) {
  return package.url.empty() && package.version.empty() && package.id.starts_with("SPDXRef-Application");
}

bool is_file(const SpdxPackage& package) { return package.url.empty() && package.purpose == "FILE"; }

SbomComponent component_of(const SpdxDocument& document, const SpdxPackage& package) {
  SbomComponent component{.ref = package.id,
                          .group = {},
                          .name = package.name,
                          .version = package.version,
                          .url = package.url,
                          .licence = licence_of(document, package),
                          .source = after(package.source_info, "built package from: "),
                          .properties = properties_from(package.notes)};
  const auto& info = package.source_info;
  if (const auto path = info.find(": "); info.starts_with("acquired package info") && path != std::string::npos) {
    component.properties.push_back({"FilePath", info.substr(path + 2)});
  }
  return component;
}

std::set<std::string_view> described_by(const SpdxDocument& document) {
  std::set<std::string_view> described;
  for (const auto& [from, how, to] : document.relationships) {
    if (how == "DESCRIBES") described.insert(to);
    if (how == "DESCRIBED_BY") described.insert(from);
  }
  return described;
}

}  // namespace

Result<Inventory> inventory_of(const SpdxDocument& document) {
  if (!document.version.starts_with("SPDX-2.")) {
    return fail(ErrorKind::kUnsupported, "{:.20} is not known: SPDX 2 is", document.version);
  }
  const auto described = described_by(document);
  SbomInventory inventory;
  for (const auto& package : document.packages) {
    const bool is_described = described.contains(package.id);
    const auto properties = properties_from(package.notes);
    if (is_described) inventory.describe(properties);
    if (is_system(package)) {
      inventory.set_distribution({.id = package.name,
                                  .version = package.version,
                                  .codename = value_of(properties, property::kCodename),
                                  .name = value_of(properties, property::kPrettyName)});
    } else if (is_lock_file(package)) {
      inventory.add_file(package.id, package.name);
    } else if (is_artifact_by_name(package) || (is_described && described.size() == 1)) {
      inventory.add_artifact(component_of(document, package));
    } else if (!is_file(package)) {  // a document that describes many lists its packages so
      inventory.add(component_of(document, package));
    }
  }
  for (const auto& [from, how, to] : document.relationships) {
    if (how != "CONTAINS" && how != "DEPENDS_ON") continue;
    if (to == "NONE") inventory.set_complete();
    inventory.add_edge(from, to);
  }
  return inventory.take();
}

}  // namespace slipway::scan
