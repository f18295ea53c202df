#include "cli/scan_views.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

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

// With a column for paths only where rows would be the same without it.
Table table_of(const scan::TableGroup& group) {
  const bool paths = std::ranges::any_of(group.rows, [](const auto& row) { return !row.path.empty(); });
  std::vector<Column> columns{{.title = "PACKAGE", .importance = 90, .least = 12},
                              {.title = "VULNERABILITY", .least = kWhole},
                              {.title = "SEVERITY", .least = kWhole},
                              {.title = "INSTALLED", .importance = 70, .least = 8},
                              {.title = "FIXED", .importance = 80, .least = 8},
                              {.title = "TITLE", .importance = 20, .least = 16, .optional = true}};
  if (paths) columns.insert(columns.begin() + 1, {.title = "PATH", .importance = 60, .least = 12});
  Table table(std::move(columns));
  for (const auto& row : group.rows) {
    std::vector<Cell> cells{
        Cell(row.package),   Cell(row.id),        Cell(upper(slipway::to_string(row.severity)), style_of(row.severity)),
        Cell(row.installed), Cell(fix_text(row)), Cell(row.title.empty() ? "-" : row.title)};
    if (paths) cells.insert(cells.begin() + 1, Cell(row.path.empty() ? "-" : row.path));
    table.add(std::move(cells));
  }
  return table;
}

// What there is nothing of: all, or only what was asked for.
std::string nothing_of(const scan::Report& report) {
  std::string text = "nothing";
  if (report.of_other_severity > 0) {
    text += " of the chosen severities";
  } else if (report.asked_from) {
    text += fmt::format(" as bad as {}", upper(slipway::to_string(*report.asked_from)));
  }
  if (report.unfixed > 0) text += " that is fixed";
  return text;
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
    text = fmt::format("{} is known against {} package{}", nothing_of(report), packages, packages == 1 ? "" : "s");
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
  if (const auto left = report.of_other_severity + report.unfixed; left > 0) text += fmt::format("; {} left out", left);
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
