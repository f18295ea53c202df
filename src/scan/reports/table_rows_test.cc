#include "scan/reports/table_rows.h"

#include <gtest/gtest.h>

#include "scan/testing/sample_report.h"

namespace slipway::scan {
namespace {

TEST(TableRowsTest, FindingsAreGroupedByWhereTheyAre) {
  const auto groups = table_groups(debian_report());
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].target, debian_report().artifact + " (debian 12)");
  EXPECT_EQ(groups[0].rows.size(), 4U);
  EXPECT_EQ(groups[1].target, "usr/bin/tool");
  EXPECT_EQ(groups[2].type, "yarn");
}

TEST(TableRowsTest, TheWorstIsFirst) {
  const auto rows = table_groups(debian_report())[0].rows;
  EXPECT_EQ(rows[0], (TableRow{.package = "libidn2-0",
                               .id = "CVE-2019-18224",
                               .severity = Severity::kCritical,
                               .installed = "2.0.5-1",
                               .fixed = "2.0.5-1+deb10u1",
                               .status = FixStatus::kFixed,
                               .title = "libidn2: heap-based buffer overflow"}));
  EXPECT_EQ(rows[3].severity, Severity::kUnknown);
}

TEST(TableRowsTest, PathsTellTheSamePackageInSeveralPlacesApart) {
  Report report = debian_report();
  Finding here = report.findings[0];
  here.package = {.type = PackageType::kNpm, .name = "a", .version = "1", .path = "x/node_modules/a/package.json"};
  Finding there = here;
  there.package.path = "y/node_modules/a/package.json";
  Finding alone = here;
  alone.package.name = "b";
  report.findings = {there, here, alone};
  const auto groups = table_groups(report);
  ASSERT_EQ(groups.size(), 1U);
  ASSERT_EQ(groups[0].rows.size(), 3U);
  EXPECT_EQ(groups[0].rows[0].path, "x/node_modules/a/package.json");
  EXPECT_EQ(groups[0].rows[1].path, "y/node_modules/a/package.json");
  EXPECT_EQ(groups[0].rows[2].path, "");
}

TEST(TableRowsTest, SeveritiesAreCounted) {
  const auto counts = count_severities(debian_report().findings);
  EXPECT_EQ(counts.total(), 6U);
  EXPECT_EQ(counts.of(Severity::kCritical), 1U);
  EXPECT_EQ(counts.of(Severity::kLow), 1U);
  EXPECT_EQ(counts.of(Severity::kUnknown), 1U);
  EXPECT_EQ(table_groups(debian_report())[0].counts.of(Severity::kNegligible), 1U);
  EXPECT_EQ(table_groups(empty_report()).size(), 0U);
}

}  // namespace
}  // namespace slipway::scan
