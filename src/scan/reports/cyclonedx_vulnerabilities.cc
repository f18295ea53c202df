#include "scan/reports/cyclonedx_vulnerabilities.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

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
  std::set<int> known;
  for (const std::string_view weakness : weaknesses) {
    if (!weakness.starts_with("CWE-")) continue;
    const auto number = parse_number<int>(weakness.substr(4));
    if (number && *number > 0 && known.insert(*number).second) numbers.push_back(*number);
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

// One vulnerability, to which each finding of it adds what it affects. One package may be in very many places.
class Vulnerability {
 public:
  explicit Vulnerability(const Finding& first) : json_(vulnerability_json(first)) {}

  void add(const Finding& finding, const std::string& ref) {
    OrderedJson rating = rating_json(finding);
    if (ratings_.insert(rating.dump(-1, ' ', false, OrderedJson::error_handler_t::replace)).second) {
      json_["ratings"].push_back(std::move(rating));
    }
    if (const auto advice = recommendation(finding); !advice.empty() && advice_.insert(advice).second) {
      auto& all = json_["recommendation"].get_ref<std::string&>();
      all += (all.empty() ? "" : "; ") + advice;
    }
    if (!refs_.insert(ref).second) return;
    OrderedJson version;
    version["version"] = finding.package.version;
    version["status"] = "affected";
    OrderedJson affected;
    affected["ref"] = ref;
    affected["versions"] = OrderedJson::array({std::move(version)});
    json_["affects"].push_back(std::move(affected));
  }

  OrderedJson take() {
    if (advice_.empty()) json_.erase("recommendation");
    return std::move(json_);
  }

 private:
  OrderedJson json_;
  std::set<std::string> ratings_{};
  std::set<std::string> advice_{};
  std::set<std::string> refs_{};
};

}  // namespace

OrderedJson cyclonedx_vulnerabilities(const Report& report, const std::function<std::string(const Package&)>& ref_of) {
  std::vector<Vulnerability> all;
  std::map<std::string_view, std::size_t> places;
  for (const auto& finding : report.findings) {
    const auto [place, added] = places.try_emplace(finding.id, all.size());
    if (added) all.emplace_back(finding);
    all[place->second].add(finding, ref_of(finding.package));
  }
  OrderedJson list = OrderedJson::array();
  for (auto& vulnerability : all) list.push_back(vulnerability.take());
  return list;
}

}  // namespace slipway::scan
