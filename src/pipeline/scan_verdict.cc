#include "pipeline/scan_verdict.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "base/json.h"

namespace slipway::pipeline {
namespace {

constexpr std::array<std::string_view, 4> kFeeds{"alpine", "cve", "debian", "osv"};

using Name = std::pair<std::string, std::string>;

// What makes the image blocked, each by vulnerability and package.
std::set<Name> blocking(const std::vector<catalog::Finding>& findings, std::optional<Severity> at) {
  std::set<Name> names;
  for (const auto& finding : findings) {
    if (at && finding.severity >= *at) names.emplace(finding.vulnerability, finding.package);
  }
  return names;
}

std::vector<catalog::Finding> rows_of(const scan::Report& report) {
  std::vector<catalog::Finding> rows;
  for (const auto& finding : report.findings) {
    rows.push_back({.package = finding.package.name,
                    .version = finding.package.version,
                    .vulnerability = finding.id,
                    .severity = finding.severity,
                    .fixed_version = finding.fixed_version,
                    .source = finding.source,
                    .location = finding.package.path,
                    .title = finding.title,
                    .aliases = fmt::format("{}", fmt::join(finding.aliases, " ")),
                    .status = std::string(scan::to_string(finding.status)),
                    .score = finding.score});
  }
  return rows;
}

std::optional<TimePoint> oldest(const std::vector<scan::DataDate>& dates) {
  std::optional<TimePoint> found;
  for (const auto& date : dates) {
    if (date.loaded_at && (!found || *date.loaded_at < *found)) found = date.loaded_at;
  }
  return found;
}

std::string json_of(const std::set<Name>& names) {
  auto written = encode_json(names);
  return written ? std::move(*written) : "[]";
}

std::set<Name> names_in(const std::string& json) {
  auto read = decode_json<std::set<Name>>(json);
  return read ? std::move(*read) : std::set<Name>{};
}

void allow(catalog::Scan& judged, const ScanRules& rules, std::optional<Severity> at,
           const std::optional<catalog::ScanVerdict>& before) {
  auto& verdict = judged.verdict;
  const auto now = blocking(judged.findings, at);
  if (verdict.blocked && !rules.allowed_by.empty()) {
    verdict.allowed_by = rules.allowed_by;
    verdict.allowed_at = verdict.scanned_at;
    verdict.allowed = json_of(now);
  } else if (before && !before->allowed_by.empty()) {
    verdict.allowed_by = before->allowed_by;
    verdict.allowed_at = before->allowed_at;
    verdict.allowed = before->allowed;
  } else {
    return;
  }
  if (std::ranges::includes(names_in(verdict.allowed), now)) verdict.blocked = false;
}

std::string json_of(const std::vector<std::string>& texts) {
  auto written = encode_json(texts);
  return written ? std::move(*written) : "[]";
}

}  // namespace

std::string dates_json(const scan::DataDates& dates) {
  Json json = Json::object();
  for (const auto feed : kFeeds) {
    if (const auto known = dates.find(std::string(feed)); known != dates.end()) {
      json[std::string(feed)] = to_micros(known->second);
    }
  }
  return json.dump();
}

catalog::Scan judge(const std::string& image_id, const scan::Report& report, const ScanRules& rules,
                    const scan::DataDates& dates, const std::optional<catalog::ScanVerdict>& before) {
  const auto at = block_at(rules).value_or(std::nullopt);
  const auto worst = [&](Severity severity) {
    return std::ranges::any_of(report.findings, [&](const auto& finding) { return finding.severity == severity; });
  };
  catalog::Scan judged{.verdict = {.image_id = image_id,
                                   .checksum = report.checksum,
                                   .scanned_at = report.scanned_at,
                                   .has_critical = worst(Severity::kCritical),
                                   .has_high = worst(Severity::kHigh),
                                   .vuln_count = report.findings.size(),
                                   .blocked = scan::blocks(report.findings, at),
                                   .engine = report.engine,
                                   .database_date = oldest(report.data),
                                   .policy = report.policy,
                                   .complete = report.complete(),
                                   .warnings = json_of(report.warnings),
                                   .data_dates = dates_json(dates),
                                   .suppressed = report.suppressed.size()},
                       .findings = rows_of(report)};
  allow(judged, rules, at, before);
  return judged;
}

std::string summary(const catalog::Scan& scan) {
  constexpr std::size_t kNamed = 3;
  std::array<std::size_t, 6> counts{};
  for (const auto& finding : scan.findings) ++counts.at(std::to_underlying(finding.severity));
  std::vector<std::string> parts;
  for (const auto severity : {Severity::kCritical, Severity::kHigh, Severity::kMedium, Severity::kLow}) {
    const auto count = counts.at(std::to_underlying(severity));
    if (count > 0) parts.push_back(fmt::format("{} {}", count, slipway::to_string(severity)));
  }
  if (parts.empty()) return scan.findings.empty() ? "nothing is known against it" : "nothing serious";
  std::vector<std::string> named;
  for (const auto& finding : scan.findings) {
    if (named.size() < kNamed) named.push_back(fmt::format("{} in {}", finding.vulnerability, finding.package));
  }
  return fmt::format("{}: {}{}", fmt::join(parts, ", "), fmt::join(named, ", "),
                     scan.findings.size() > kNamed ? ", ..." : "");
}

}  // namespace slipway::pipeline
