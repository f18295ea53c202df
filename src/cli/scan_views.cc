#include "cli/scan_views.h"

#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "cli/table.h"
#include "cli/text.h"
#include "cli/views.h"
#include "scan/reports/table_rows.h"

namespace slipway::cli {
namespace {

std::string upper(std::string_view text) {
  std::string out(text);
  for (auto& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  }
  return out;
}

std::string fix_text(const scan::TableRow& row) {
  if (!row.fixed.empty()) return row.fixed;
  return row.status == scan::FixStatus::kAffected ? "-" : std::string(scan::to_string(row.status));
}

Table table_of(const scan::TableGroup& group) {
  Table table({{.title = "PACKAGE", .importance = 90, .least = 12},
               {.title = "VULNERABILITY", .least = kWhole},
               {.title = "SEVERITY", .least = kWhole},
               {.title = "INSTALLED", .importance = 70, .least = 8},
               {.title = "FIXED", .importance = 80, .least = 8},
               {.title = "TITLE", .importance = 20, .least = 16, .optional = true}});
  for (const auto& row : group.rows) {
    table.add({Cell(row.package), Cell(row.id), Cell(upper(slipway::to_string(row.severity)), style_of(row.severity)),
               Cell(row.installed), Cell(fix_text(row)), Cell(row.title.empty() ? "-" : row.title)});
  }
  return table;
}

void write_explained(Output& output, const scan::Report& report, const Explain& explain) {
  std::set<std::string> told;
  for (const auto& finding : report.findings) {
    if (!told.insert(finding.id).second) continue;
    const auto lines = explain(finding);
    if (lines.empty()) continue;
    output.line(output.paint(printable(finding.id), Style::kBold));
    for (const auto& line : lines) output.line(line);
    output.line("");
  }
}

}  // namespace

std::string count_line(const scan::Report& report) {
  const auto counts = scan::count_severities(report.findings);
  const auto packages = report.inventory.packages.size();
  std::string text;
  if (report.findings.empty()) {
    text = fmt::format("nothing is known against {} package{}", packages, packages == 1 ? "" : "s");
  } else {
    std::vector<std::string> parts;
    for (const auto severity : {Severity::kCritical, Severity::kHigh, Severity::kMedium, Severity::kLow,
                                Severity::kNegligible, Severity::kUnknown}) {
      const auto count = counts.of(severity);
      if (count > 0) parts.push_back(fmt::format("{} {}", count, slipway::to_string(severity)));
    }
    text = fmt::format("{} vulnerabilit{} in {} package{}: {}", counts.total(), counts.total() == 1 ? "y" : "ies",
                       packages, packages == 1 ? "" : "s", fmt::join(parts, ", "));
  }
  if (!report.suppressed.empty()) text += fmt::format("; {} more do not count", report.suppressed.size());
  return report.complete() ? text : text + "; INCOMPLETE";
}

void write_report(Output& output, const scan::Report& report, const Explain& explain) {
  for (const auto& group : scan::table_groups(report)) {
    output.line(output.paint(printable(group.target), Style::kBold));
    output.write_table(table_of(group));
    output.line("");
  }
  if (explain) write_explained(output, report, explain);
  for (const auto& warning : report.warnings) {
    output.line(output.paint("warning: ", Style::kYellow) + printable(warning));
  }
  output.line(fmt::format("{}: {}", printable(report.artifact), count_line(report)));
}

}  // namespace slipway::cli
