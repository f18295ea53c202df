// Every row about ranges of npm's and packaging's own tests that a scanner's question can be made of.
//
// Not used, because they ask what no advisory and no manifest does here: semver/range-intersection and
// comparator-intersection (whether two ranges meet), version-not-gt-range and version-not-lt-range (whether a version
// is not above or below a range, which says nothing of whether it is in it). Of version-gt-range and version-lt-range
// it is used that what is above or below a range is not in it. Of filter_exclusionary_bridges those rows are left out
// that leave the choice of prereleases to the whole list.
#include <algorithm>

#include <gtest/gtest.h>

#include "scan/testing/version_tables.h"
#include "scan/versions/ranges.h"

namespace slipway::scan {
namespace {

using namespace testing;  // of this folder

class RangeTablesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_tables()) GTEST_SKIP() << "there is no " << tables_folder();
  }
};

// As JavaScript takes it for a condition.
bool is_truthy(const Json& value) { return !value.is_null() && value != false && value != 0 && value != ""; }

// The third element: {"loose": ...}, or only whether it is loose.
NpmRangeOptions options_of(const Json& row) {
  if (row.size() < 3) return {};
  if (!row[2].is_object()) return {.loose = is_truthy(row[2])};
  return {.loose = is_truthy(row[2].value("loose", Json())),
          .include_prerelease = is_truthy(row[2].value("includePrerelease", Json()))};
}

void expect_npm(const std::string& file, std::size_t expected_rows, bool expected) {
  std::size_t rows = 0;
  for (const auto& row : table_json(file)) {
    ++rows;
    if (!row[1].is_string()) continue;  // not even text
    const auto contains = npm_range_contains(row[0].get<std::string>(), row[1].get<std::string>(), options_of(row));
    EXPECT_EQ(contains.value_or(false), expected) << file << ": " << row;
  }
  EXPECT_GE(rows, expected_rows) << file;
}

TEST_F(RangeTablesTest, NpmRangesIncludeWhatItsFixturesInclude) { expect_npm("semver/range-include.json", 126, true); }

TEST_F(RangeTablesTest, NpmRangesExcludeWhatItsFixturesExclude) { expect_npm("semver/range-exclude.json", 98, false); }

TEST_F(RangeTablesTest, WhatIsAboveOrBelowAnNpmRangeIsNotInIt) {
  expect_npm("semver/version-gt-range.json", 56, false);
  expect_npm("semver/version-lt-range.json", 58, false);
}

TEST_F(RangeTablesTest, SpecifiersContainWhatPackagingSays) {
  const auto lines = table_lines("pep440/specifier-contains.tsv");
  EXPECT_GE(lines.size(), 188U);
  for (const auto& line : lines) {
    const auto first = line.find('\t');
    const auto second = line.find('\t', first + 1);
    ASSERT_NE(second, std::string::npos) << line;
    const auto contains = pep440_contains(line.substr(first + 1, second - first - 1), line.substr(0, first));
    EXPECT_EQ(contains, line.substr(second + 1) == "true") << line;
  }
}

Json specifier_cases(const std::string& name, std::size_t expected_rows) {
  auto rows = table_json("pep440/specifier-cases.json")[name][0][1];
  EXPECT_GE(rows.size(), expected_rows) << name;
  return rows;
}

// What is asked for at the call goes before what the set was made with; without either, prereleases are in.
bool prereleases_of(const Json& call, const Json& set) {
  return call.is_null() ? set.is_null() || set == true : call == true;
}

TEST_F(RangeTablesTest, SpecifiersThatPackagingRefusesAreNone) {
  for (const auto& specifier : specifier_cases("test_specifiers_invalid", 31)) {
    EXPECT_EQ(pep440_contains(specifier.get<std::string>(), "1.0"), std::nullopt) << specifier;
  }
}

TEST_F(RangeTablesTest, SpecifiersOfVersionsInAnySpellingContainThem) {
  for (const auto& row : specifier_cases("test_specifiers_normalized", 94)) {
    const auto version = row.get<std::string>();
    EXPECT_EQ(pep440_contains("==" + version, version), true) << row;
    EXPECT_EQ(pep440_contains("!=" + version, version), false) << row;
    if (version.find('+') != std::string::npos) continue;
    for (const auto* op : {"~=", "<=", ">="}) EXPECT_EQ(pep440_contains(op + version, version), true) << op << row;
    for (const auto* op : {"<", ">"}) EXPECT_EQ(pep440_contains(op + version, version), false) << op << row;
  }
}

// packaging answers false for what is no version; here that is "none".
TEST_F(RangeTablesTest, WhatIsNoVersionIsInNoSpecifierButTheArbitraryOne) {
  for (const auto& row : specifier_cases("test_invalid_version", 11)) {
    const auto contains = pep440_contains(row[0].get<std::string>(), row[1].get<std::string>());
    EXPECT_EQ(contains.value_or(false), row[2].get<bool>()) << row;
    EXPECT_EQ(contains.has_value(), row[0].get<std::string>().starts_with("===")) << row;
  }
}

TEST_F(RangeTablesTest, ArbitraryEqualityIsOfTheText) {
  for (const auto& row : specifier_cases("test_arbitrary_equality", 47)) {
    EXPECT_EQ(pep440_contains(row[1].get<std::string>(), row[0].get<std::string>()), row[2].get<bool>()) << row;
  }
}

TEST_F(RangeTablesTest, PrereleasesAreInUnlessTheyAreLeftOut) {
  for (const auto& row : specifier_cases("test_specifiers_prereleases", 58)) {
    const bool prereleases = prereleases_of(row[3], row[2]);
    EXPECT_EQ(pep440_contains(row[0].get<std::string>(), row[1].get<std::string>(), prereleases), row[4].get<bool>())
        << row;
  }
  for (const auto& row : specifier_cases("test_specifier_contains_installed_prereleases", 41)) {
    const bool prereleases = row[4] == true || prereleases_of(row[3], row[2]);
    EXPECT_EQ(pep440_contains(row[0].get<std::string>(), row[1].get<std::string>(), prereleases), row[5].get<bool>())
        << row;
  }
}

TEST_F(RangeTablesTest, SetsOfSpecifiersContainWhatAllOfThemDo) {
  for (const auto& row : specifier_cases("test_contains_exclusionary_bridges", 101)) {
    const bool prereleases = prereleases_of(row[1], {});
    EXPECT_EQ(pep440_contains(row[0].get<std::string>(), row[2].get<std::string>(), prereleases), row[3].get<bool>())
        << row;
  }
  std::size_t used = 0;
  for (const auto& row : specifier_cases("test_filter_exclusionary_bridges", 32)) {
    if (row[1].is_null()) continue;
    ++used;
    for (const auto& version : row[2]) {
      const bool expected = std::ranges::find(row[3], version) != row[3].end();
      EXPECT_EQ(pep440_contains(row[0].get<std::string>(), version.get<std::string>(), row[1].get<bool>()), expected)
          << row << ": " << version;
    }
  }
  EXPECT_GE(used, 15U);
}

}  // namespace
}  // namespace slipway::scan
