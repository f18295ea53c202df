#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "scan/reports/distribution_names.h"
#include "scan/reports/formats.h"
#include "scan/reports/report_json.h"
#include "scan/reports/sbom_properties.h"
#include "scan/reports/spdx_licences.h"

namespace slipway::scan {
namespace {

constexpr const char* kDocument = "SPDXRef-DOCUMENT";
constexpr const char* kRoot = "SPDXRef-Artifact";
constexpr const char* kSystem = "SPDXRef-OperatingSystem";
constexpr const char* kUnstated = "NOASSERTION";

std::string tool_name(const Report& report) {
  const auto tool = tool_of(report);
  return fmt::format("Tool: {}{}{}", tool.name, tool.version.empty() ? "" : "-", tool.version);
}

// One document in the making.
class Document {
 public:
  explicit Document(const Report& report) : report_(report) {
    add_root();
    if (report_.inventory.distribution) add_system(*report_.inventory.distribution);
    for (const auto& package : report_.inventory.packages) add_package(package);
    if (count_ == 0 && report_.complete()) relate(kRoot, "DEPENDS_ON", "NONE");
  }

  [[nodiscard]] OrderedJson take() {
    OrderedJson document;
    document["spdxVersion"] = "SPDX-2.3";
    document["dataLicense"] = "CC0-1.0";
    document["SPDXID"] = kDocument;
    document["name"] = artifact_name(report_);
    document["documentNamespace"] = "urn:uuid:" + report_uuid(report_, "spdx");
    document["creationInfo"]["created"] = to_seconds(report_.scanned_at);
    document["creationInfo"]["creators"] = {tool_name(report_)};
    if (!report_.complete())
      document["comment"] = "Not all files could be read: there may be packages that are missing.";
    document["packages"] = std::move(packages_);
    put_json(document, "hasExtractedLicensingInfos", std::move(licences_));
    document["relationships"] = std::move(relationships_);
    return document;
  }

 private:
  static OrderedJson element(std::string_view id, std::string_view name, std::string_view version) {
    OrderedJson json;
    json["name"] = name;
    json["SPDXID"] = id;
    put(json, "versionInfo", version);
    json["downloadLocation"] = kUnstated;
    json["filesAnalyzed"] = false;
    return json;
  }

  void relate(const char* from, const char* how, std::string_view to) {
    OrderedJson relationship;
    relationship["spdxElementId"] = from;
    relationship["relationshipType"] = how;
    relationship["relatedSpdxElement"] = to;
    relationships_.push_back(std::move(relationship));
  }

  void annotate(OrderedJson& json, const std::vector<Property>& properties) const {
    OrderedJson annotations = OrderedJson::array();
    for (const auto& [name, value] : properties) {
      OrderedJson annotation;
      annotation["annotator"] = tool_name(report_);
      annotation["annotationDate"] = to_seconds(report_.scanned_at);
      annotation["annotationType"] = "OTHER";
      annotation["comment"] = fmt::format("{}: {}", name, value);
      annotations.push_back(std::move(annotation));
    }
    put_json(json, "annotations", std::move(annotations));
  }

  void add_root() {
    OrderedJson json = element(kRoot, artifact_name(report_), {});
    if (report_.checksum.size() == 64) {
      OrderedJson checksum;
      checksum["algorithm"] = "SHA256";
      checksum["checksumValue"] = report_.checksum;
      json["checksums"] = OrderedJson::array({std::move(checksum)});
    }
    json["primaryPackagePurpose"] = report_.artifact_type == "container_image" ? "CONTAINER" : "APPLICATION";
    annotate(json, properties_of(report_.inventory, report_.warnings));
    packages_.push_back(std::move(json));
    relate(kDocument, "DESCRIBES", kRoot);
  }

  void add_system(const Distribution& distribution) {
    OrderedJson json = element(kSystem, family_of(distribution.id), distribution.version);
    json["primaryPackagePurpose"] = "OPERATING_SYSTEM";
    annotate(json, properties_of(distribution));
    packages_.push_back(std::move(json));
    relate(kRoot, "CONTAINS", kSystem);
  }

  void add_package(const Package& package) {
    const Inventory& inventory = report_.inventory;
    const auto id = fmt::format("SPDXRef-Package-{}", ++count_);
    OrderedJson json = element(id, package.name, package.version);
    if (!package.source.empty()) {
      const auto& version = package.source_version.empty() ? package.version : package.source_version;
      json["sourceInfo"] = fmt::format("built package from: {} {}", package.source, version);
    }
    json["licenseConcluded"] = kUnstated;
    json["licenseDeclared"] = declared(package.licence);
    json["copyrightText"] = kUnstated;
    OrderedJson reference;
    reference["referenceCategory"] = "PACKAGE-MANAGER";
    reference["referenceType"] = "purl";
    reference["referenceLocator"] = package_url(package, inventory.distribution);
    json["externalRefs"] = OrderedJson::array({std::move(reference)});
    json["primaryPackagePurpose"] = "LIBRARY";
    annotate(json, properties_of(package, inventory));
    packages_.push_back(std::move(json));
    relate(inventory.distribution && is_of_distribution(package.type) ? kSystem : kRoot, "CONTAINS", id);
  }

  // What is no expression gets a name of its own, by its content, and its text stands in the document.
  std::string declared(const std::string& licence) {
    if (licence.empty()) return kUnstated;
    if (is_spdx_expression(licence)) return licence;
    auto id = "LicenseRef-" + sha256_hex(licence).substr(0, 16);
    if (stated_.try_emplace(licence, id).second) {
      OrderedJson json;
      json["licenseId"] = id;
      json["name"] = licence;
      json["extractedText"] = licence;
      licences_.push_back(std::move(json));
    }
    return id;
  }

  const Report& report_;
  std::size_t count_ = 0;
  std::map<std::string, std::string> stated_{};
  OrderedJson packages_ = OrderedJson::array();
  OrderedJson licences_ = OrderedJson::array();
  OrderedJson relationships_ = OrderedJson::array();
};

}  // namespace

std::string spdx_json(const Report& report) { return write_report(Document(report).take()); }

}  // namespace slipway::scan
