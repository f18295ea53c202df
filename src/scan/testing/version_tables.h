// The published tables of version comparisons, for tests. They are not part of this repository: SLIPWAY_DATA names the
// folder that they are in, else they lie where the build says; a test without them skips itself.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/json.h"
#include "scan/versions/order.h"

namespace slipway::scan::testing {

inline std::filesystem::path tables_folder() {
  const char* given = std::getenv("SLIPWAY_DATA");
  return std::filesystem::path(given != nullptr ? given : SLIPWAY_TEST_DATA) / "versions";
}

inline bool has_tables() { return std::filesystem::is_directory(tables_folder()); }

// Empty when it is not there: what counts the rows then fails.
inline std::vector<std::string> table_lines(const std::string& name) {
  std::ifstream file(tables_folder() / name);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

inline Json table_json(const std::string& name) {
  std::ifstream file(tables_folder() / name);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  auto json = parse_json(text);
  EXPECT_TRUE(json) << name;
  return json ? *json : Json::array();
}

struct Row {
  std::string a;
  std::strong_ordering order = std::strong_ordering::equal;
  std::string b;
};

inline std::string_view symbol(std::optional<std::strong_ordering> order) {
  if (!order) return "?";
  if (*order == 0) return "=";
  return *order < 0 ? "<" : ">";
}

inline std::ostream& operator<<(std::ostream& out, const Row& row) {
  return out << row.a << ' ' << symbol(row.order) << ' ' << row.b;
}

// Lines "A < B", with remarks as lines of "#" or "//", and behind "\t#". Lines of another kind are left out.
inline std::vector<Row> comparison_rows(const std::string& name) {
  std::vector<Row> rows;
  for (auto line : table_lines(name)) {
    if (line.starts_with("# ") || line.starts_with("//")) continue;
    line.resize(std::min(line.size(), line.find("\t")));
    const auto first = line.find(' ');
    const auto second = line.find(' ', first + 1);
    if (second != first + 2 || std::string_view("<=>").find(line[first + 1]) == std::string_view::npos) continue;
    const char sign = line[first + 1];
    const auto order = sign == '<'   ? std::strong_ordering::less
                       : sign == '>' ? std::strong_ordering::greater
                                     : std::strong_ordering::equal;
    rows.push_back({line.substr(0, first), order, line.substr(second + 1)});
  }
  return rows;
}

// Lines of two versions and -1, 0 or 1, with `separator` between.
inline std::vector<Row> numbered_rows(const std::string& name, char separator) {
  std::vector<Row> rows;
  for (const auto& line : table_lines(name)) {
    const auto first = line.find(separator);
    const auto second = line.find(separator, first + 1);
    if (second == std::string::npos) continue;
    rows.push_back(
        {line.substr(0, first), std::stoi(line.substr(second + 1)) <=> 0, line.substr(first + 1, second - first - 1)});
  }
  return rows;
}

}  // namespace slipway::scan::testing
