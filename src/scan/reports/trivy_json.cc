#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "scan/reports/data_sources.h"
#include "scan/reports/distribution_names.h"
#include "scan/reports/formats.h"
#include "scan/reports/report_json.h"
#include "scan/reports/trivy_target.h"

namespace slipway::scan {
namespace {

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::kCritical: return "CRITICAL";
    case Severity::kHigh: return "HIGH";
    case Severity::kMedium: return "MEDIUM";
    case Severity::kLow:
    case Severity::kNegligible: return "LOW";
    case Severity::kUnknown: break;
  }
  return "UNKNOWN";
}

// Its number in Trivy: 1 is LOW, 4 CRITICAL.
int severity_number(Severity severity) {
  if (severity == Severity::kUnknown) return 0;
  return std::max(1, std::to_underlying(severity) - std::to_underlying(Severity::kLow) + 1);
}

// Trivy's versions of Go modules have their v.
std::string shown_version(const Package& package) {
  const bool numbered = !package.version.empty() && package.version[0] >= '0' && package.version[0] <= '9';
  return package.type == PackageType::kGolang && numbered ? "v" + package.version : package.version;
}

std::string package_id(const Package& package) {
  if (package.type == PackageType::kMaven) return fmt::format("{}:{}", package.name, package.version);
  if (package.type != PackageType::kRpm) return fmt::format("{}@{}", package.name, shown_version(package));
  const auto split = split_version(package.type, package.version);
  return fmt::format("{}@{}{}{}{}{}", package.name, split.version, split.release.empty() ? "" : "-", split.release,
                     package.architecture.empty() ? "" : ".", package.architecture);
}

OrderedJson layer_of(const Report& report, const Package& package) {
  OrderedJson layer = OrderedJson::object();
  if (package.layer >= report.inventory.layers.size()) return layer;
  const Layer& at = report.inventory.layers[package.layer];
  put(layer, "Digest", at.digest);
  put(layer, "DiffID", at.diff_id);
  return layer;
}

OrderedJson identifier_of(const Report& report, const Package& package) {
  OrderedJson identifier = OrderedJson::object();
  put(identifier, "PURL", package_url(package, report.inventory.distribution));
  return identifier;
}

void put_versions(OrderedJson& json, const Package& package) {
  const auto split = split_version(package.type, package.version);
  json["Version"] = package.type == PackageType::kGolang ? shown_version(package) : split.version;
  put(json, "Release", split.release);
  if (split.epoch != 0) json["Epoch"] = split.epoch;
  put(json, "Arch", package.architecture);
  if (!is_of_distribution(package.type)) return;
  const auto source =
      split_version(package.type, package.source_version.empty() ? package.version : package.source_version);
  json["SrcName"] = package.source.empty() ? package.name : package.source;
  json["SrcVersion"] = source.version;
  put(json, "SrcRelease", source.release);
  if (source.epoch != 0) json["SrcEpoch"] = source.epoch;
}

OrderedJson package_json(const Report& report, const TrivyTarget& target, const Package& package) {
  OrderedJson json;
  json["ID"] = package_id(package);
  json["Name"] = package.name;
  put_json(json, "Identifier", identifier_of(report, package));
  put_versions(json, package);
  if (!package.licence.empty()) json["Licenses"] = {package.licence};
  put_json(json, "Layer", layer_of(report, package));
  if (target.gathers_files) put(json, "FilePath", package.path);
  json["AnalyzedBy"] = target.of_language ? std::string_view(target.type) : to_string(package.type);
  return json;
}

// What we have of a CVE is its publisher's and NVD's together: who reads Trivy's reports looks for it there.
std::string_view source_name(std::string_view source) { return source == "cve" ? "nvd" : source; }

std::string_view score_source(const Finding& finding) {
  const auto name = source_name(finding.score_source.empty() ? finding.source : finding.score_source);
  return name.empty() ? "unknown" : name;
}

OrderedJson cvss_of(const Finding& finding) {
  const char* const version = [&] {
    switch (cvss_kind(finding.vector)) {
      case CvssKind::k2: return "V2";
      case CvssKind::k30:
      case CvssKind::k31: return "V3";
      case CvssKind::k40: return "V40";
      case CvssKind::kNone: break;
    }
    return "";
  }();
  OrderedJson by_source = OrderedJson::object();
  if (*version == '\0') return by_source;
  OrderedJson& cvss = by_source[std::string(score_source(finding))];
  cvss[fmt::format("{}Vector", version)] = finding.vector;
  if (finding.score) cvss[fmt::format("{}Score", version)] = *finding.score;
  return by_source;
}

OrderedJson data_source_json(const Finding& finding) {
  OrderedJson json = OrderedJson::object();
  if (finding.source.empty()) return json;
  const auto known = data_source(finding.source);
  json["ID"] = source_name(finding.source);
  json["Name"] = known.name;
  put(json, "URL", known.url);
  return json;
}

// Who it is, and of which package.
OrderedJson identity_json(const Report& report, const TrivyTarget& target, const Finding& finding) {
  const Package& package = finding.package;
  OrderedJson json;
  json["VulnerabilityID"] = finding.id;
  put(json, "VendorIDs", finding.aliases);
  json["PkgID"] = package_id(package);
  json["PkgName"] = package.name;
  if (target.gathers_files) put(json, "PkgPath", package.path);
  put_json(json, "PkgIdentifier", identifier_of(report, package));
  json["InstalledVersion"] = shown_version(package);
  put(json, "FixedVersion", finding.fixed_version);
  json["Status"] = to_string(finding.status);
  put_json(json, "Layer", layer_of(report, package));
  return json;
}

OrderedJson vulnerability_json(const Report& report, const TrivyTarget& target, const Finding& finding) {
  OrderedJson json = identity_json(report, target, finding);
  put(json, "SeveritySource", source_name(finding.severity_source));
  if (!finding.references.empty()) json["PrimaryURL"] = finding.references.front();
  put_json(json, "DataSource", data_source_json(finding));
  put(json, "Title", finding.title);
  put(json, "Description", finding.description);
  json["Severity"] = severity_name(finding.severity);
  put(json, "CweIDs", finding.weaknesses);
  if (!finding.severity_source.empty() && finding.severity != Severity::kUnknown) {
    json["VendorSeverity"][std::string(source_name(finding.severity_source))] = severity_number(finding.severity);
  }
  put_json(json, "CVSS", cvss_of(finding));
  put(json, "References", finding.references);
  if (finding.published) json["PublishedDate"] = to_seconds(*finding.published);
  if (finding.modified) json["LastModifiedDate"] = to_seconds(*finding.modified);
  return json;
}

OrderedJson results_json(const Report& report, const Explanations& explanations) {
  struct Group {
    OrderedJson packages = OrderedJson::array();
    OrderedJson vulnerabilities = OrderedJson::array();
  };
  std::map<TrivyTarget, Group> groups;
  for (const auto& package : report.inventory.packages) {
    const auto target = trivy_target(report, package);
    groups[target].packages.push_back(package_json(report, target, package));
  }
  for (const auto& finding : report.findings) {
    const auto target = trivy_target(report, finding.package);
    auto json = vulnerability_json(report, target, finding);
    if (const auto found = explanations.find(finding.id); found != explanations.end()) {
      json["Explanation"] = found->second;
    }
    groups[target].vulnerabilities.push_back(std::move(json));
  }
  OrderedJson results = OrderedJson::array();
  for (auto& [target, group] : groups) {
    OrderedJson result;
    result["Target"] = target.target;
    result["Class"] = target.of_language ? "lang-pkgs" : "os-pkgs";
    result["Type"] = target.type;
    put_json(result, "Packages", std::move(group.packages));
    put_json(result, "Vulnerabilities", std::move(group.vulnerabilities));
    results.push_back(std::move(result));
  }
  return results;
}

OrderedJson metadata_json(const Report& report) {
  OrderedJson metadata = OrderedJson::object();
  if (report.size > 0) metadata["Size"] = report.size;
  if (const auto& distribution = report.inventory.distribution) {
    metadata["OS"]["Family"] = family_of(distribution->id);
    metadata["OS"]["Name"] = distribution->version.empty() ? distribution->codename : distribution->version;
  }
  if (report.artifact.starts_with("sha256:")) metadata["ImageID"] = report.artifact;
  OrderedJson diff_ids = OrderedJson::array();
  OrderedJson layers = OrderedJson::array();
  for (const auto& layer : report.inventory.layers) {
    if (!layer.diff_id.empty()) diff_ids.push_back(layer.diff_id);
    OrderedJson json = OrderedJson::object();
    put(json, "Digest", layer.digest);
    put(json, "DiffID", layer.diff_id);
    layers.push_back(std::move(json));
  }
  put_json(metadata, "DiffIDs", std::move(diff_ids));
  put_json(metadata, "Layers", std::move(layers));
  return metadata;
}

}  // namespace

std::string trivy_json(const Report& report, const Explanations& explanations) {
  OrderedJson document;
  document["SchemaVersion"] = 2;
  if (const auto tool = tool_of(report); tool.name == "trivy") document["Trivy"]["Version"] = tool.version;
  document["ReportID"] = report_uuid(report, "trivy");
  document["CreatedAt"] = to_iso8601(report.scanned_at);
  if (!report.checksum.empty()) document["ArtifactID"] = "sha256:" + report.checksum;
  document["ArtifactName"] = report.artifact;
  document["ArtifactType"] = report.artifact_type;
  put_json(document, "Metadata", metadata_json(report));
  put_json(document, "Results", results_json(report, explanations));
  return write_report(document);
}

}  // namespace slipway::scan
