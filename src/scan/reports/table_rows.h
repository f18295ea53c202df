// Findings arranged for a table, for whoever draws it. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "base/severity.h"
#include "scan/finding.h"

namespace slipway::scan {

// Texts are as they came: whoever shows them makes them safe for a terminal.
struct TableRow {
  std::string package{};
  std::string path{};  // where it is, of a group in which the same package is in several places; else empty
  std::string id{};
  Severity severity = Severity::kUnknown;
  std::string installed{};
  std::string fixed{};  // empty: none is known
  FixStatus status = FixStatus::kAffected;
  std::string title{};  // one line; empty where nothing is known

  friend bool operator==(const TableRow&, const TableRow&) = default;
};

// How many findings there are of each severity.
class SeverityCounts {
 public:
  void add(Severity severity);
  [[nodiscard]] std::size_t of(Severity severity) const;
  [[nodiscard]] std::size_t total() const;

  friend bool operator==(const SeverityCounts&, const SeverityCounts&) = default;

 private:
  std::array<std::size_t, 6> counts_{};
};

// What was found in one place: the distribution's packages, a lock file, a program, all packages of a kind.
struct TableGroup {
  std::string target{};  // "app.tar (debian 12)", "app/yarn.lock", "Node.js"
  std::string type{};    // "debian", "yarn", "node-pkg"
  SeverityCounts counts{};
  std::vector<TableRow> rows{};  // worst first, then by package and id
};

// The distribution's first; a place in which nothing was found is not listed.
[[nodiscard]] std::vector<TableGroup> table_groups(const Report& report);
[[nodiscard]] SeverityCounts count_severities(const std::vector<Finding>& findings);

}  // namespace slipway::scan
