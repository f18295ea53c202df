#include "scan/reports/table_rows.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "scan/reports/trivy_target.h"

namespace slipway::scan {
namespace {

// The title, or else the first line of what is known.
std::string title_of(const Finding& finding) {
  const std::string_view text = finding.title.empty() ? finding.description : finding.title;
  return std::string(text.substr(0, text.find_first_of("\r\n")));
}

TableRow row_of(const Finding& finding) {
  return {.package = finding.package.name,
          .path = finding.package.path,
          .id = finding.id,
          .severity = finding.severity,
          .installed = finding.package.version,
          .fixed = finding.fixed_version,
          .status = finding.status,
          .title = title_of(finding)};
}

// Paths stay only with packages that are there more than once, where nothing else tells them apart.
void drop_needless_paths(std::vector<TableRow>& rows) {
  std::map<std::pair<std::string, std::string>, std::set<std::string>> places;
  for (const auto& row : rows) places[{row.package, row.installed}].insert(row.path);
  for (auto& row : rows) {
    if (places[{row.package, row.installed}].size() == 1) row.path.clear();
  }
}

}  // namespace

void SeverityCounts::add(Severity severity) {
  const auto at = std::to_underlying(severity);
  ++counts_[at < counts_.size() ? at : 0];
}

std::size_t SeverityCounts::of(Severity severity) const {
  const auto at = std::to_underlying(severity);
  return at < counts_.size() ? counts_[at] : 0;
}

std::size_t SeverityCounts::total() const { return std::accumulate(counts_.begin(), counts_.end(), std::size_t{0}); }

std::vector<TableGroup> table_groups(const Report& report) {
  std::map<TrivyTarget, TableGroup> groups;
  for (const auto& finding : report.findings) {
    TableGroup& group = groups[trivy_target(report, finding.package)];
    group.counts.add(finding.severity);
    group.rows.push_back(row_of(finding));
  }
  std::vector<TableGroup> all;
  for (auto& [target, group] : groups) {
    group.target = target.target;
    group.type = target.type;
    drop_needless_paths(group.rows);
    std::ranges::sort(group.rows, [](const TableRow& a, const TableRow& b) {
      return std::tie(b.severity, a.package, a.id, a.installed, a.path, a.fixed, a.title) <
             std::tie(a.severity, b.package, b.id, b.installed, b.path, b.fixed, b.title);
    });
    all.push_back(std::move(group));
  }
  return all;
}

SeverityCounts count_severities(const std::vector<Finding>& findings) {
  SeverityCounts counts;
  for (const auto& finding : findings) counts.add(finding.severity);
  return counts;
}

}  // namespace slipway::scan
