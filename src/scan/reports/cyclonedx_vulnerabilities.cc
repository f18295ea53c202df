#include "scan/reports/cyclonedx_vulnerabilities.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/number.h"
#include "scan/reports/data_sources.h"

namespace slipway::scan {
namespace {

const char* severity_name(Severity severity) {
  switch (severity) {
    case Severity::kCritical: return "critical";
    case Severity::kHigh: return "high";
    case Severity::kMedium: return "medium";
    case Severity::kLow: return "low";
    case Severity::kNegligible: return "info";
    case Severity::kUnknown: break;
  }
  return "unknown";
}

const char* method_name(CvssKind kind) {
  switch (kind) {
    case CvssKind::k2: return "CVSSv2";
    case CvssKind::k30: return "CVSSv3";
    case CvssKind::k31: return "CVSSv31";
    case CvssKind::k40: return "CVSSv4";
    case CvssKind::kNone: break;
  }
  return "other";
}

OrderedJson source_json(std::string_view id) {
  const auto known = data_source(id);
  OrderedJson source;
  source["name"] = known.name;
  put(source, "url", known.url);
  return source;
}

OrderedJson rating_json(const Finding& finding) {
  OrderedJson rating;
  if (!finding.severity_source.empty()) rating["source"]["name"] = finding.severity_source;
  if (finding.score) rating["score"] = *finding.score;
  rating["severity"] = severity_name(finding.severity);
  if (finding.score || !finding.vector.empty()) rating["method"] = method_name(cvss_kind(finding.vector));
  put(rating, "vector", finding.vector);
  return rating;
}

OrderedJson cwes_json(const std::vector<std::string>& weaknesses) {
  OrderedJson numbers = OrderedJson::array();
  for (const std::string_view weakness : weaknesses) {
    if (!weakness.starts_with("CWE-")) continue;
    const auto number = parse_number<int>(weakness.substr(4));
    if (number && *number > 0) numbers.push_back(*number);
  }
  return numbers;
}

OrderedJson advisories_json(const std::vector<std::string>& references) {
  OrderedJson list = OrderedJson::array();
  for (const auto& reference : references) {
    if (!is_web_url(reference)) continue;
    OrderedJson advisory;
    advisory["url"] = reference;
    list.push_back(std::move(advisory));
  }
  return list;
}

// Its other names; whose they are is what they begin with: "GHSA".
OrderedJson aliases_json(const Finding& finding) {
  OrderedJson list = OrderedJson::array();
  for (const auto& alias : finding.aliases) {
    OrderedJson reference;
    reference["id"] = alias;
    reference["source"]["name"] = alias.substr(0, alias.find('-'));
    list.push_back(std::move(reference));
  }
  return list;
}

OrderedJson vulnerability_json(const Finding& finding) {
  OrderedJson json;
  json["id"] = finding.id;
  if (!finding.source.empty()) json["source"] = source_json(finding.source);
  put_json(json, "references", aliases_json(finding));
  json["ratings"] = OrderedJson::array();
  put_json(json, "cwes", cwes_json(finding.weaknesses));
  put(json, "description", finding.title.empty() ? finding.description : finding.title);
  if (!finding.title.empty()) put(json, "detail", finding.description);
  json["recommendation"] = "";
  put_json(json, "advisories", advisories_json(finding.references));
  if (finding.published) json["published"] = to_seconds(*finding.published);
  if (finding.modified) json["updated"] = to_seconds(*finding.modified);
  json["affects"] = OrderedJson::array();
  return json;
}

std::string recommendation(const Finding& finding) {
  if (finding.fixed_version.empty()) return {};
  return fmt::format("Upgrade {} to version {}", finding.package.name, finding.fixed_version);
}

void add_affected(OrderedJson& json, const Finding& finding, std::string ref) {
  OrderedJson& ratings = json["ratings"];
  OrderedJson rating = rating_json(finding);
  if (std::ranges::find(ratings, rating) == ratings.end()) ratings.push_back(std::move(rating));

  auto& advice = json["recommendation"].get_ref<std::string&>();
  const auto add = recommendation(finding);
  const bool is_new = !(advice + ";").contains(add + ";");
  if (!add.empty() && is_new) advice += (advice.empty() ? "" : "; ") + add;

  OrderedJson& affects = json["affects"];
  const auto is_same = [&](const OrderedJson& affected) { return affected["ref"] == ref; };
  if (std::ranges::any_of(affects, is_same)) return;
  OrderedJson affected;
  affected["ref"] = std::move(ref);
  OrderedJson version;
  version["version"] = finding.package.version;
  version["status"] = "affected";
  affected["versions"] = OrderedJson::array({std::move(version)});
  affects.push_back(std::move(affected));
}

}  // namespace

OrderedJson cyclonedx_vulnerabilities(const Report& report, const std::function<std::string(const Package&)>& ref_of) {
  OrderedJson list = OrderedJson::array();
  std::map<std::string_view, std::size_t> places;
  for (const auto& finding : report.findings) {
    const auto [place, added] = places.try_emplace(finding.id, list.size());
    if (added) list.push_back(vulnerability_json(finding));
    add_affected(list[place->second], finding, ref_of(finding.package));
  }
  for (auto& json : list) {
    if (json["recommendation"] == "") json.erase("recommendation");
  }
  return list;
}

}  // namespace slipway::scan
