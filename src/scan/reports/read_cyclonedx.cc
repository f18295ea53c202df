#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scan/reports/json_fields.h"
#include "scan/reports/sbom_inventory.h"
#include "scan/reports/sbom_readers.h"

namespace slipway::scan {
namespace {

std::vector<Property> properties_from(const Json& component) {
  std::vector<Property> all;
  for (const auto& property : list_field(component, "properties")) {
    const auto& name = text_field(property, "name");
    if (!name.empty()) all.push_back({name, text_field(property, "value")});
  }
  return all;
}

std::string_view value_of(const std::vector<Property>& properties, std::string_view name) {
  const auto found = std::ranges::find(properties, name, &Property::name);
  return found == properties.end() ? std::string_view() : found->value;
}

std::string licence_from(const Json& component) {
  std::string all;
  for (const auto& entry : list_field(component, "licenses")) {
    const Json& licence = field(entry, "license");
    std::string_view text = text_field(entry, "expression");
    if (text.empty()) text = text_field(licence, "id");
    if (text.empty()) text = text_field(licence, "name");
    if (text.empty()) continue;
    if (!all.empty()) all += " AND ";
    all += text;
  }
  return all;
}

Distribution distribution_from(const Json& component) {
  const auto properties = properties_from(component);
  return {.id = text_field(component, "name"),
          .version = text_field(component, "version"),
          .codename = std::string(value_of(properties, property::kCodename)),
          .name = std::string(value_of(properties, property::kPrettyName))};
}

SbomComponent component_from(const Json& json) {
  return {.ref = text_field(json, "bom-ref"),
          .group = text_field(json, "group"),
          .name = text_field(json, "name"),
          .version = text_field(json, "version"),
          .url = text_field(json, "purl"),
          .licence = licence_from(json),
          .source = {},
          .properties = properties_from(json)};
}

// A file is no package: nothing is known against it by name. An application, firmware or a platform may be one.
void add_component(const Json& json, SbomInventory& inventory) {
  const auto& type = text_field(json, "type");
  if (type == "operating-system") return inventory.set_distribution(distribution_from(json));
  auto component = component_from(json);
  if (!component.url.empty()) return inventory.add(component);
  if (value_of(component.properties, "aquasecurity:trivy:Class") == "lang-pkgs") {
    return inventory.add_file(std::move(component.ref), component.name);
  }
  if (type != "file") inventory.add(component);
}

void add_artifact(const Json& artifact, SbomInventory& inventory) {
  inventory.describe(properties_from(artifact));
  if (text_field(artifact, "type") == "operating-system")
    return inventory.set_distribution(distribution_from(artifact));
  inventory.add_artifact(component_from(artifact));
}

// Whether the document says of its artifact that all parts of it are listed.
bool is_complete(const Json& document, const std::string& artifact) {
  const auto names_it = [&](const Json& ref) {
    return ref.is_string() && !artifact.empty() && ref.get_ref<const std::string&>() == artifact;
  };
  return std::ranges::any_of(list_field(document, "compositions"), [&](const Json& composition) {
    return text_field(composition, "aggregate") == "complete" &&
           std::ranges::any_of(list_field(composition, "assemblies"), names_it);
  });
}

// A component may hold others, and these others again.
void add_components(const Json& holder, SbomInventory& inventory) {
  std::vector<const Json*> open{&holder};
  while (!open.empty()) {
    const Json& at = *open.back();
    open.pop_back();
    for (const auto& component : list_field(at, "components")) {
      if (!component.is_object()) {
        inventory.unread("", "a component is not an object");
        continue;
      }
      add_component(component, inventory);
      const Json& within = field(component, "components");
      if (within.is_array()) {
        open.push_back(&component);
      } else if (!within.is_null()) {
        inventory.unread(text_field(component, "name"), "its components are not a list");
      }
    }
  }
}

void add_edges(const Json& document, SbomInventory& inventory) {
  for (const auto& dependency : list_field(document, "dependencies")) {
    const auto& from = text_field(dependency, "ref");
    for (const auto& to : list_field(dependency, "dependsOn")) {
      if (!from.empty() && to.is_string()) inventory.add_edge(from, to.get_ref<const std::string&>());
    }
  }
}

}  // namespace

Result<Inventory> read_cyclonedx(const Json& document) {
  constexpr std::array<std::string_view, 6> kVersions{"1.2", "1.3", "1.4", "1.5", "1.6", "1.7"};
  const auto& version = text_field(document, "specVersion");
  if (version.empty()) return fail(ErrorKind::kCorrupt, "a CycloneDX document does not say its version");
  if (std::ranges::find(kVersions, version) == kVersions.end()) {
    return fail(ErrorKind::kUnsupported, "CycloneDX {:.20} is not known: 1.2 to 1.7 are", version);
  }
  const Json& components = field(document, "components");
  if (!components.is_null() && !components.is_array()) {
    return fail(ErrorKind::kCorrupt, "the components of a CycloneDX document are not a list");
  }
  const Json& artifact = field(field(document, "metadata"), "component");
  SbomInventory inventory;
  add_artifact(artifact, inventory);
  add_components(artifact, inventory);
  add_components(document, inventory);
  add_edges(document, inventory);
  if (is_complete(document, text_field(artifact, "bom-ref"))) inventory.set_complete();
  return inventory.take();
}

}  // namespace slipway::scan
