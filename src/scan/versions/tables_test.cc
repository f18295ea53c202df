// Every row of the tables that the ecosystems and OSV have published.
#include <algorithm>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "scan/testing/version_tables.h"
#include "scan/versions/order.h"

namespace slipway::scan {
namespace {

using namespace testing;  // of this folder

std::string_view name_of(VersionScheme scheme) {
  switch (scheme) {
    case VersionScheme::kDpkg: return "Dpkg";
    case VersionScheme::kApk: return "Apk";
    case VersionScheme::kRpm: return "Rpm";
    case VersionScheme::kSemver: return "Semver";
    case VersionScheme::kPep440: return "Pep440";
    case VersionScheme::kMaven: return "Maven";
    case VersionScheme::kGo: return "Go";
    case VersionScheme::kRubyGems: return "RubyGems";
    case VersionScheme::kPackagist: break;
  }
  return "Packagist";
}

struct Table {
  VersionScheme scheme;
  std::string file;
  std::size_t rows;  // at least so many are in it
  std::vector<std::string> circular{};
};

// Rows that no order can satisfy together with others of the same table.
//   Maven: the release is newer than its "RC" and older than its "-1", so the "RC" is older than the "-1".
//   Packagist: "1.2.3.#" is stated to equal both "1.2.3" and "1.2.3.1", of which one is newer; version_compare takes
//   "#" for a dot.
const std::vector<Table> kTables = {
    {VersionScheme::kDpkg, "debian-versions.txt", 30},
    {VersionScheme::kDpkg, "debian-versions-generated.txt", 14442},
    {VersionScheme::kApk, "alpine-versions.txt", 778},
    {VersionScheme::kApk, "alpine-versions-generated.txt", 13979},
    // Its rows of "~" are of an operator of dependencies, which no advisory uses; the rest of it is tested below.
    {VersionScheme::kApk, "apk/version.data", 738},
    {VersionScheme::kRpm, "redhat-versions.txt", 165},
    {VersionScheme::kSemver, "semver-versions.txt", 86},
    {VersionScheme::kPep440, "pypi-versions.txt", 37},
    {VersionScheme::kPep440, "pypi-versions-generated.txt", 12375},
    {VersionScheme::kMaven, "maven-versions.txt", 102},
    {VersionScheme::kMaven,
     "maven-versions-generated.txt",
     14752,
     {"1.0.0-gradle-rework-beta3 < 1.0.0.RC7-3", "2.9.0-1 < 2.9.0.RC1", "1.1.0-01-glassfish < 1.1.0.Beta1"}},
    {VersionScheme::kRubyGems, "rubygems-versions.txt", 25},
    {VersionScheme::kRubyGems, "rubygems-versions-generated.txt", 4098},
    {VersionScheme::kPackagist, "packagist-versions.txt", 95, {"1.2.3.# = 1.2.3.1"}},
    {VersionScheme::kPackagist, "packagist-versions-generated.txt", 10630},
};

bool is_circular(const Table& table, const Row& row) {
  return std::ranges::find(table.circular, ::testing::PrintToString(row)) != table.circular.end();
}

void expect_rows(VersionScheme scheme, const std::vector<Row>& rows) {
  for (const auto& row : rows) {
    EXPECT_EQ(symbol(compare_versions(scheme, row.a, row.b)), symbol(row.order)) << row;
    EXPECT_EQ(symbol(compare_versions(scheme, row.b, row.a)), symbol(0 <=> row.order)) << row << ", turned round";
  }
}

class VersionTablesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_tables()) GTEST_SKIP() << "there is no " << tables_folder();
  }
};

TEST_F(VersionTablesTest, EveryComparisonIsAsPublished) {
  for (const auto& table : kTables) {
    auto rows = comparison_rows(table.file);
    EXPECT_GE(rows.size(), table.rows) << table.file;
    const auto left_out = std::erase_if(rows, [&](const Row& row) { return is_circular(table, row); });
    EXPECT_EQ(left_out, table.circular.size()) << table.file;
    expect_rows(table.scheme, rows);
  }
}

TEST_F(VersionTablesTest, EveryComparisonOfRpmAndDpkgThemselvesIsAsPublished) {
  const auto rpm = numbered_rows("rpm/rpmvercmp.tsv", '\t');
  EXPECT_GE(rpm.size(), 91U);
  expect_rows(VersionScheme::kRpm, rpm);
  const auto dpkg = numbered_rows("dpkg/dpkg_version_cmp.txt", ' ');
  EXPECT_GE(dpkg.size(), 43U);
  expect_rows(VersionScheme::kDpkg, dpkg);
}

// Lines of one version; a "!" in front of those that apk refuses.
TEST_F(VersionTablesTest, ApkAcceptsAndRefusesWhatItSays) {
  std::size_t rows = 0;
  for (const auto& line : table_lines("apk/version.data")) {
    if (line.find(' ') != std::string::npos) continue;
    ++rows;
    const bool valid = !line.starts_with('!');
    EXPECT_EQ(is_version(VersionScheme::kApk, std::string_view(line).substr(valid ? 0 : 1)), valid) << line;
  }
  EXPECT_GE(rows, 31U);
}

TEST_F(VersionTablesTest, NpmComparesAsItsFixturesDo) {
  std::size_t rows = 0;
  for (const auto& row : table_json("semver/comparisons.json")) {
    ++rows;
    expect_rows(VersionScheme::kSemver, {{row[0], std::strong_ordering::greater, row[1]}});
  }
  EXPECT_GE(rows, 31U);
  rows = 0;
  for (const auto& row : table_json("semver/equality.json")) {
    ++rows;
    expect_rows(VersionScheme::kSemver, {{row[0], std::strong_ordering::equal, row[1]}});
  }
  EXPECT_GE(rows, 37U);
  rows = 0;
  for (const auto& row : table_json("semver/valid-versions.json")) {
    ++rows;
    EXPECT_TRUE(is_version(VersionScheme::kSemver, row[0].get<std::string>())) << row;
  }
  EXPECT_GE(rows, 22U);
}

TEST_F(VersionTablesTest, PythonVersionsStandInTheOrderOfPackaging) {
  const auto sorted = table_lines("pep440/sorted-versions.txt");
  ASSERT_GE(sorted.size(), 92U);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    EXPECT_TRUE(is_version(VersionScheme::kPep440, sorted[i])) << sorted[i];
    for (std::size_t j = 0; j < sorted.size(); ++j)
      expect_rows(VersionScheme::kPep440, {{sorted[i], i <=> j, sorted[j]}});
  }
}

// The rows about parts of a version (is_postrelease, public, local, epoch) ask for what nobody here needs; they must be
// versions, and those of normalized_versions equal.
TEST_F(VersionTablesTest, PythonVersionsAreValidAsPackagingSays) {
  const auto cases = table_json("pep440/version-cases.json");
  std::size_t rows = 0;
  for (const auto& [name, groups] : cases.items()) {
    for (const auto& row : groups[0][1]) {
      ++rows;
      const std::string version = row.is_string() ? row : row[0];
      EXPECT_EQ(is_version(VersionScheme::kPep440, version), name != "test_invalid_versions") << version;
      if (name != "test_normalized_versions") continue;
      expect_rows(VersionScheme::kPep440, {{version, std::strong_ordering::equal, row[1]}});
    }
  }
  EXPECT_GE(rows, 265U);
}

class VersionOrderTest : public VersionTablesTest, public ::testing::WithParamInterface<VersionScheme> {
 protected:
  // All the versions in the tables of the scheme; Go's are those of SemVer.
  static std::vector<std::string> versions() {
    std::set<std::string> all;
    const auto scheme = GetParam() == VersionScheme::kGo ? VersionScheme::kSemver : GetParam();
    for (const auto& table : kTables) {
      if (table.scheme != scheme) continue;
      for (const auto& row : comparison_rows(table.file)) all.insert({row.a, row.b});
    }
    if (GetParam() == VersionScheme::kGo) all.insert({"go1.21rc2", "go1.21", "go1.20.4b7", "1.21rc2", "1.21.0-rc.2"});
    return {all.begin(), all.end()};
  }
  static std::strong_ordering compare(std::string_view a, std::string_view b) {
    const auto order = compare_versions(GetParam(), a, b);
    EXPECT_TRUE(order) << a << ", " << b;
    return order.value_or(std::strong_ordering::equal);
  }
};

TEST_P(VersionOrderTest, IsAntisymmetricAndTransitive) {
  const auto all = versions();
  ASSERT_GE(all.size(), 30U);
  std::mt19937 random(20240229);
  std::uniform_int_distribution<std::size_t> any(0, all.size() - 1);
  for (int i = 0; i < 30'000; ++i) {
    std::string_view triple[] = {all[any(random)], all[any(random)], all[any(random)]};
    const auto& [a, b, c] = triple;
    ASSERT_EQ(symbol(compare(a, b)), symbol(0 <=> compare(b, a))) << a << ", " << b;
    ASSERT_EQ(symbol(compare(a, a)), "=") << a;
    const auto ab = compare(a, b);
    const auto bc = compare(b, c);
    if (ab <= 0 && bc <= 0) {
      ASSERT_EQ(symbol(compare(a, c)), ab == 0 ? symbol(bc) : "<") << a << ", " << b << ", " << c;
    }
  }
}

// Triples at random are seldom close to each other; neighbours are.
TEST_P(VersionOrderTest, SortedVersionsKeepTheirOrderWithinEveryNeighbourhood) {
  auto all = versions();
  ASSERT_GE(all.size(), 30U);
  std::ranges::sort(all, [](const auto& a, const auto& b) { return compare(a, b) < 0; });
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < std::min(all.size(), i + 8); ++j) {
      ASSERT_TRUE(compare(all[i], all[j]) <= 0) << all[i] << ", " << all[j];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, VersionOrderTest,
                         ::testing::Values(VersionScheme::kDpkg, VersionScheme::kApk, VersionScheme::kRpm,
                                           VersionScheme::kSemver, VersionScheme::kPep440, VersionScheme::kMaven,
                                           VersionScheme::kGo, VersionScheme::kRubyGems, VersionScheme::kPackagist),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

}  // namespace
}  // namespace slipway::scan
