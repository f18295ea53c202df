#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "scan/reports/formats.h"
#include "scan/testing/sample_report.h"

namespace slipway::scan {
namespace {

Json run_of(const Report& report) { return parse_json(sarif_json(report)).value().at("runs").at(0); }

TEST(SarifJsonTest, EachVulnerabilityIsOneRule) {
  const auto run = run_of(debian_report());
  const auto& rules = run["tool"]["driver"]["rules"];
  EXPECT_EQ(rules.size(), 5);
  EXPECT_EQ(run["results"].size(), 7);  // one of them suppressed
  for (const auto& result : run["results"]) {
    EXPECT_EQ(rules.at(result["ruleIndex"].get<std::size_t>())["id"], result["ruleId"]);
  }
}

TEST(SarifJsonTest, LevelsAndNumbersFollowTheSeverity) {
  const auto rules = run_of(debian_report())["tool"]["driver"]["rules"];
  EXPECT_EQ(rules[0]["defaultConfiguration"]["level"], "error");
  EXPECT_EQ(rules[0]["properties"]["security-severity"], "9.8");
  EXPECT_EQ(rules[2]["defaultConfiguration"]["level"], "warning");
  EXPECT_EQ(rules[2]["properties"]["security-severity"], "4.3");
  EXPECT_EQ(rules[3]["defaultConfiguration"]["level"], "note");
  // A score that says otherwise than the severity does not count.
  EXPECT_EQ(run_of(alma_report())["tool"]["driver"]["rules"][0]["properties"]["security-severity"], "5.5");
}

TEST(SarifJsonTest, AResultPointsAtTheFileInTheImage) {
  const auto run = run_of(odd_report());
  EXPECT_EQ(run["originalUriBaseIds"]["ROOTPATH"]["uri"], "file:///");
  std::vector<std::string> uris;
  for (const auto& result : run["results"]) {
    uris.push_back(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]);
  }
  EXPECT_THAT(uris, testing::IsSupersetOf({"a%20b/%01%1B%5B31m/package.json", "C%3A%5Cx", "double//slash.jar"}));
}

TEST(SarifJsonTest, FingerprintsTellFindingsApartAndStay) {
  Report later = debian_report();
  later.scanned_at += std::chrono::hours(24);
  const auto first = run_of(debian_report())["results"];
  const auto second = run_of(later)["results"];
  std::set<std::string> all;
  for (std::size_t at = 0; at < first.size(); ++at) {
    EXPECT_EQ(first[at]["fingerprints"], second[at]["fingerprints"]);
    if (!first[at].contains("suppressions")) all.insert(first[at]["fingerprints"]["slipway/v1"]);
  }
  EXPECT_EQ(all.size(), 6);
}

TEST(SarifJsonTest, WhatIsSuppressedIsListedWithItsReason) {
  const auto results = run_of(debian_report())["results"];
  EXPECT_EQ(results.back()["suppressions"][0]["justification"], "not reachable (.slipwayignore)");
}

TEST(SarifJsonTest, FilesThatWereNotReadAreToldOf) {
  const auto notes = run_of(alma_report())["invocations"][0]["toolExecutionNotifications"];
  ASSERT_EQ(notes.size(), 3);
  EXPECT_EQ(notes[1]["message"]["text"], "usr/lib/broken.jar could not be read: no end of central directory");
  EXPECT_FALSE(run_of(debian_report())["invocations"][0].contains("toolExecutionNotifications"));
}

TEST(SarifJsonTest, AFileThatAWarningTellsOfIsNotToldOfAgain) {
  Report report = alma_report();
  report.warnings.push_back("usr/lib/broken.jar could not be read: no end of central directory");
  EXPECT_EQ(run_of(report)["invocations"][0]["toolExecutionNotifications"].size(), 3);
}

TEST(SarifJsonTest, ATagIsThereOnce) {
  const auto tags = run_of(debian_report())["tool"]["driver"]["rules"][0]["properties"]["tags"];
  EXPECT_EQ(tags,
            Json({"vulnerability", "security", "CRITICAL", "external/cwe/CWE-787", "external/cwe/NVD-CWE-noinfo"}));
}

TEST(SarifJsonTest, AnExplanationIsAPropertyOfItsRule) {
  const auto text = sarif_json(debian_report(), {{"CVE-2019-18224", {{"name", "CVE-2019-18224"}}}});
  const auto rules = parse_json(text).value()["runs"][0]["tool"]["driver"]["rules"];
  EXPECT_EQ(rules[0]["properties"]["explanation"]["name"], "CVE-2019-18224");
  EXPECT_FALSE(rules[1]["properties"].contains("explanation"));
}

TEST(SarifJsonTest, OnlyAddressesOfTheWebAreLinked) {
  const auto rules = run_of(odd_report())["tool"]["driver"]["rules"];
  ASSERT_FALSE(rules.empty());
  for (const auto& rule : rules) EXPECT_FALSE(rule.contains("helpUri"));
}

TEST(SarifJsonTest, AnEmptyReportIsARunWithoutResults) { EXPECT_EQ(run_of(empty_report())["results"], Json::array()); }

}  // namespace
}  // namespace slipway::scan
