#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "scan/reports/formats.h"
#include "scan/reports/percent.h"
#include "scan/reports/report_json.h"

namespace slipway::scan {
namespace {

constexpr const char* kRoot = "ROOTPATH";

struct Band {
  const char* level;  // SARIF's
  const char* name;
  double lowest;  // of the CVSS scores that are called so
  double highest;
  double usual;  // where there is no score, or one that says otherwise than the severity
};

// Those who show SARIF go by the number ("security-severity") alone: it must not contradict the severity.
constexpr Band band_of(Severity severity) {
  switch (severity) {
    case Severity::kCritical: return {"error", "CRITICAL", 9.0, 10.0, 9.5};
    case Severity::kHigh: return {"error", "HIGH", 7.0, 8.9, 8.0};
    case Severity::kMedium: return {"warning", "MEDIUM", 4.0, 6.9, 5.5};
    case Severity::kLow: return {"note", "LOW", 0.1, 3.9, 2.0};
    case Severity::kNegligible: return {"note", "NEGLIGIBLE", 0.1, 1.9, 1.0};
    case Severity::kUnknown: break;
  }
  return {"note", "UNKNOWN", 0.0, 0.0, 0.0};
}

double security_severity(const Finding& finding) {
  const Band band = band_of(finding.severity);
  const double score = finding.score.value_or(-1);
  return score >= band.lowest && score <= band.highest ? score : band.usual;
}

std::string title_of(const Finding& finding) {
  return finding.title.empty() ? fmt::format("{} in {}", finding.id, finding.package.name) : finding.title;
}

std::string fixed_of(const Finding& finding) {
  return finding.fixed_version.empty() ? std::string("none is known") : finding.fixed_version;
}

OrderedJson text_json(std::string_view text) {
  OrderedJson json;
  json["text"] = text;
  return json;
}

OrderedJson help_json(const Finding& finding) {
  const auto& about = finding.description.empty() ? finding.title : finding.description;
  std::string help = fmt::format("Vulnerability {}\nSeverity: {}\nPackage: {}\nFixed version: {}\n", finding.id,
                                 band_of(finding.severity).name, finding.package.name, fixed_of(finding));
  for (const auto& alias : finding.aliases) help += fmt::format("Also known as: {}\n", alias);
  for (const auto& reference : finding.references) help += fmt::format("See: {}\n", reference);
  return text_json(about.empty() ? help : help + about);
}

OrderedJson rule_json(const Finding& finding, const Explanations& explanations) {
  const Band band = band_of(finding.severity);
  OrderedJson rule;
  rule["id"] = finding.id;
  rule["name"] = is_of_distribution(finding.package.type) ? "OsPackageVulnerability" : "LanguagePackageVulnerability";
  rule["shortDescription"] = text_json(title_of(finding));
  rule["fullDescription"] = text_json(finding.description.empty() ? title_of(finding) : finding.description);
  rule["defaultConfiguration"]["level"] = band.level;
  const auto uri = std::ranges::find_if(finding.references, is_web_url);
  if (uri != finding.references.end()) rule["helpUri"] = *uri;
  rule["help"] = help_json(finding);
  OrderedJson& properties = rule["properties"];
  properties["precision"] = "very-high";
  properties["security-severity"] = fmt::format("{:.1f}", security_severity(finding));
  properties["tags"] = {"vulnerability", "security", band.name};
  std::set<std::string_view> tagged;  // a tag may be there only once
  for (const auto& weakness : finding.weaknesses) {
    if (tagged.insert(weakness).second) properties["tags"].push_back("external/cwe/" + weakness);
  }
  if (const auto found = explanations.find(finding.id); found != explanations.end()) {
    properties["explanation"] = found->second;
  }
  return rule;
}

// Whatever it is called, it is a path: a colon in its first part is no scheme.
std::string path_uri(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  return percent_encode(path, "/");
}

OrderedJson location_json(const Report& report, const Package& package) {
  OrderedJson location;
  OrderedJson& physical = location["physicalLocation"];
  const auto path = path_uri(package.path);
  physical["artifactLocation"]["uri"] = path.empty() ? path_uri(artifact_name(report)) : path;
  physical["artifactLocation"]["uriBaseId"] = kRoot;
  physical["region"]["startLine"] = 1;
  location["message"] = text_json(fmt::format("{}: {}@{}", package.path.empty() ? artifact_name(report) : package.path,
                                              package.name, package.version));
  return location;
}

OrderedJson result_json(const Report& report, const Finding& finding, std::size_t rule) {
  const Package& package = finding.package;
  OrderedJson result;
  result["ruleId"] = finding.id;
  result["ruleIndex"] = rule;
  result["level"] = band_of(finding.severity).level;
  result["message"] =
      text_json(fmt::format("Package: {}\nInstalled version: {}\nVulnerability: {}\nSeverity: {}\n"
                            "Fixed version: {}\nStatus: {}",
                            package.name, package.version, finding.id, band_of(finding.severity).name,
                            fixed_of(finding), to_string(finding.status)));
  result["locations"] = OrderedJson::array({location_json(report, package)});
  // The same in the next scan, so that what is new stands out.
  result["fingerprints"]["slipway/v1"] = sha256_hex(fmt::format("{}\n{}", finding.id, package_key(package)));
  return result;
}

// The rules, each once, and the results that refer to them.
class Results {
 public:
  Results(const Report& report, const Explanations& explanations) : report_(report), explanations_(explanations) {
    for (const auto& finding : report.findings) results_.push_back(result_json(report_, finding, rule_of(finding)));
    for (const auto& suppressed : report.suppressed) {
      OrderedJson result = result_json(report_, suppressed.finding, rule_of(suppressed.finding));
      OrderedJson suppression;
      suppression["kind"] = "external";
      suppression["justification"] = fmt::format("{} ({})", suppressed.reason, suppressed.by);
      result["suppressions"] = OrderedJson::array({std::move(suppression)});
      results_.push_back(std::move(result));
    }
  }

  OrderedJson take_rules() { return std::move(rules_); }
  OrderedJson take_results() { return std::move(results_); }

 private:
  std::size_t rule_of(const Finding& finding) {
    const auto [at, added] = places_.try_emplace(finding.id, rules_.size());
    if (added) rules_.push_back(rule_json(finding, explanations_));
    return at->second;
  }

  const Report& report_;
  const Explanations& explanations_;
  std::map<std::string, std::size_t> places_{};
  OrderedJson rules_ = OrderedJson::array();
  OrderedJson results_ = OrderedJson::array();
};

OrderedJson invocation_json(const Report& report) {
  OrderedJson invocation;
  invocation["executionSuccessful"] = true;
  invocation["endTimeUtc"] = to_seconds(report.scanned_at);
  OrderedJson notes = OrderedJson::array();
  const auto add = [&](std::string_view text) {
    OrderedJson note;
    note["level"] = "warning";
    note["message"] = text_json(text);
    notes.push_back(std::move(note));
  };
  for (const auto& warning : report.warnings) add(warning);
  // Those that no warning is about; it has the same words.
  const std::set<std::string_view> told(report.warnings.begin(), report.warnings.end());
  for (const auto& [path, reason] : report.inventory.unread) {
    if (const auto text = fmt::format("{} could not be read: {}", path, reason); !told.contains(text)) add(text);
  }
  put_json(invocation, "toolExecutionNotifications", std::move(notes));
  return invocation;
}

}  // namespace

std::string sarif_json(const Report& report, const Explanations& explanations) {
  Results results(report, explanations);
  const auto tool = tool_of(report);
  OrderedJson run;
  OrderedJson& driver = run["tool"]["driver"];
  driver["name"] = tool.name;
  put(driver, "version", tool.version);
  driver["rules"] = results.take_rules();
  run["invocations"] = OrderedJson::array({invocation_json(report)});
  run["originalUriBaseIds"][kRoot]["uri"] = "file:///";
  run["columnKind"] = "utf16CodeUnits";
  run["results"] = results.take_results();
  OrderedJson& properties = run["properties"];
  properties["artifact"] = artifact_name(report);
  put(properties, "artifactType", report.artifact_type);
  put(properties, "checksum", report.checksum);
  put(properties, "policy", report.policy);

  OrderedJson document;
  document["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  document["version"] = "2.1.0";
  document["runs"] = OrderedJson::array({std::move(run)});
  return write_report(document);
}

}  // namespace slipway::scan
