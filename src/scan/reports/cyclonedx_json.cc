#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "scan/reports/cyclonedx_vulnerabilities.h"
#include "scan/reports/distribution_names.h"
#include "scan/reports/formats.h"
#include "scan/reports/report_json.h"
#include "scan/reports/sbom_properties.h"
#include "scan/reports/spdx_licences.h"

namespace slipway::scan {
namespace {

constexpr const char* kRootRef = "artifact";
constexpr const char* kSystemRef = "operating-system";

OrderedJson properties_json(const std::vector<Property>& properties) {
  OrderedJson list = OrderedJson::array();
  for (const auto& [name, value] : properties) {
    OrderedJson property;
    property["name"] = name;
    property["value"] = value;
    list.push_back(std::move(property));
  }
  return list;
}

OrderedJson licences_json(const std::string& licence) {
  OrderedJson entry;
  if (is_spdx_licence(licence)) {
    entry["license"]["id"] = licence;
  } else if (is_spdx_expression(licence)) {
    entry["expression"] = licence;
  } else {
    entry["license"]["name"] = licence;
  }
  return OrderedJson::array({std::move(entry)});
}

OrderedJson component_json(const Inventory& inventory, const Package& package, const std::string& ref) {
  OrderedJson component;
  component["bom-ref"] = ref;
  component["type"] = "library";
  std::string_view name = package.name;
  const auto divider = package.type == PackageType::kMaven                                  ? name.find(':')
                       : package.type == PackageType::kNpm && package.name.starts_with('@') ? name.find('/')
                                                                                            : std::string_view::npos;
  if (divider != std::string_view::npos && divider > 0 && divider + 1 < name.size()) {
    component["group"] = name.substr(0, divider);
    name.remove_prefix(divider + 1);
  }
  component["name"] = name;
  put(component, "version", package.version);
  if (!package.licence.empty()) component["licenses"] = licences_json(package.licence);
  put(component, "purl", package_url(package, inventory.distribution));
  auto properties = properties_of(package, inventory);
  for (auto& property : trivy_properties_of(package, inventory)) properties.push_back(std::move(property));
  put_json(component, "properties", properties_json(properties));
  return component;
}

OrderedJson system_json(const Distribution& distribution) {
  OrderedJson component;
  component["bom-ref"] = kSystemRef;
  component["type"] = "operating-system";
  component["name"] = family_of(distribution.id);  // as Trivy calls it: by another name it does not know it
  put(component, "version", distribution.version);
  put(component, "description", distribution.name);
  put_json(component, "properties", properties_json(properties_of(distribution)));
  return component;
}

OrderedJson root_json(const Report& report) {
  OrderedJson component;
  component["bom-ref"] = kRootRef;
  component["type"] = report.artifact_type == "container_image" ? "container" : "application";
  component["name"] = artifact_name(report);
  if (report.checksum.size() == 64) {
    OrderedJson hash;
    hash["alg"] = "SHA-256";
    hash["content"] = report.checksum;
    component["hashes"] = OrderedJson::array({std::move(hash)});
  }
  put_json(component, "properties", properties_json(properties_of(report.inventory, report.warnings)));
  return component;
}

OrderedJson metadata_json(const Report& report) {
  const auto tool = tool_of(report);
  OrderedJson program;
  program["type"] = "application";
  program["name"] = tool.name;
  put(program, "version", tool.version);
  OrderedJson metadata;
  metadata["timestamp"] = to_seconds(report.scanned_at);
  metadata["tools"]["components"] = OrderedJson::array({std::move(program)});
  metadata["component"] = root_json(report);
  return metadata;
}

// The packages of the inventory, then those that only findings tell of; each with its own reference.
class Components {
 public:
  explicit Components(const Report& report) : inventory_(report.inventory) {
    if (inventory_.distribution) {
      json_.push_back(system_json(*inventory_.distribution));
      system_depends_ = OrderedJson::array();
      root_depends_.push_back(kSystemRef);
    }
    for (const auto& package : inventory_.packages) add(package);
  }

  // What is known already keeps its reference.
  const std::string& ref_of(const Package& package) {
    const auto found = refs_.find(package_key(package));
    return found == refs_.end() ? add(package) : found->second;
  }

  OrderedJson take_json() { return std::move(json_); }

  OrderedJson dependencies() const {
    OrderedJson list = OrderedJson::array();
    const auto depend = [&](const char* ref, const OrderedJson& on) {
      OrderedJson dependency;
      dependency["ref"] = ref;
      put_json(dependency, "dependsOn", on);
      list.push_back(std::move(dependency));
    };
    depend(kRootRef, root_depends_);
    if (inventory_.distribution) depend(kSystemRef, system_depends_);
    return list;
  }

 private:
  const std::string& add(const Package& package) {
    const auto url = package_url(package, inventory_.distribution);
    const auto count = ++counts_[url];
    std::string ref = count == 1 && !url.empty() ? url : fmt::format("{}|{}", url, count);
    json_.push_back(component_json(inventory_, package, ref));
    const bool of_system = inventory_.distribution && is_of_distribution(package.type);
    (of_system ? system_depends_ : root_depends_).push_back(ref);
    return refs_.insert_or_assign(package_key(package), std::move(ref)).first->second;
  }

  const Inventory& inventory_;
  OrderedJson json_ = OrderedJson::array();
  OrderedJson root_depends_ = OrderedJson::array();
  OrderedJson system_depends_ = OrderedJson::array();
  std::map<std::string, int> counts_{};
  std::map<std::string, std::string> refs_{};
};

// Says so when there may be more in the artifact than is listed.
OrderedJson compositions_json(const Report& report) {
  OrderedJson composition;
  composition["aggregate"] = report.complete() ? "complete" : "incomplete";
  composition["assemblies"] = {kRootRef};
  return OrderedJson::array({std::move(composition)});
}

}  // namespace

std::string cyclonedx_json(const Report& report, Vulnerabilities vulnerabilities) {
  Components components(report);
  OrderedJson known = OrderedJson::array();
  if (vulnerabilities == Vulnerabilities::kListed) {
    known = cyclonedx_vulnerabilities(report,
                                      [&](const Package& package) { return std::string(components.ref_of(package)); });
  }
  OrderedJson document;
  document["$schema"] = "http://cyclonedx.org/schema/bom-1.5.schema.json";
  document["bomFormat"] = "CycloneDX";
  document["specVersion"] = "1.5";
  document["serialNumber"] = "urn:uuid:" + report_uuid(report, "cyclonedx");
  document["version"] = 1;
  document["metadata"] = metadata_json(report);
  document["components"] = components.take_json();
  document["dependencies"] = components.dependencies();
  document["compositions"] = compositions_json(report);
  if (vulnerabilities == Vulnerabilities::kListed) document["vulnerabilities"] = std::move(known);
  return write_report(document);
}

}  // namespace slipway::scan
