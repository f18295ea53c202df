#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "feeds/providers/advisory_record.h"

namespace slipway::feeds {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kCritical = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H";
constexpr std::string_view kLow = "CVSS:3.1/AV:L/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N";

std::string severity(std::string_view type, std::string_view score) {
  return fmt::format(R"({{"type": "{}", "score": "{}"}})", type, score);
}

std::string package(std::string_view ecosystem, std::string_view name, std::string_view more = {}) {
  return fmt::format(R"({{"package": {{"ecosystem": "{}", "name": "{}"}}{}}})", ecosystem, name, more);
}

std::string with_severity(std::string_view list) { return fmt::format(R"(, "severity": [{}])", list); }

Record read(std::string_view packages, std::string_view more = {}) {
  JsonDocument document;
  const auto root = document.parse(fmt::format(R"({{"id": "GHSA-1", "affected": [{}]{}}})", packages, more));
  EXPECT_TRUE(root);
  auto record = read_osv(*root);
  EXPECT_TRUE(record) << record.error().describe();
  EXPECT_FALSE(document.fault());
  return record.value_or(Record{.details = Advisory()});
}

Advisory advisory(std::string_view packages, std::string_view more = {}) {
  return std::get<Advisory>(read(packages, more).details);
}

std::vector<std::string> urgencies(const Advisory& advisory) {
  std::vector<std::string> all;
  for (const auto& one : advisory.affected) all.push_back(one.urgency);
  return all;
}

TEST(OsvAdvisoryTest, PackagesAreKeptUnderTheNamesThatAreAskedFor) {
  const auto read = advisory(package("PyPI", "jw.util") + "," + package("Packagist", "Drupal/Core") + "," +
                             package("Packagist:https://packages.drupal.org/8", "drupal/X6") + "," +
                             package("Maven:https://repo.example.org/", "com.ex:A") + "," + package("Debian", "x"));
  std::vector<std::string> names;
  for (const auto& one : read.affected) names.push_back(one.ecosystem + " " + one.package);
  EXPECT_THAT(
      names, ElementsAre("PyPI jw-util", "Packagist drupal/core", "Packagist drupal/x6", "Maven com.ex:A", "Debian x"));
}

TEST(OsvAdvisoryTest, AnEmptyAliasIsPassedOver) {
  const auto record = read(package("npm", "a"), R"(, "aliases": ["", "CVE-2024-1000"], "related": [""])");
  ASSERT_THAT(record.links, SizeIs(1));
  EXPECT_EQ(record.links[0], (Link{"alias", Urn::make("nvd", "cve", "CVE-2024-1000").value()}));
}

TEST(OsvAdvisoryTest, AVectorThatCannotBeScoredHidesNoOther) {
  const auto read = advisory(package("npm", "a"), with_severity(severity("CVSS_V3", kCritical) + "," +
                                                                severity("CVSS_V4", "CVSS:4.0/AV:N/AC:L")));
  EXPECT_EQ(read.vector, kCritical);
  EXPECT_EQ(read.score, 9.8);
}

TEST(OsvAdvisoryTest, TheNewestVersionOfCvssCounts) {
  const std::string v4 = "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N";
  const auto read =
      advisory(package("npm", "a"), with_severity(severity("CVSS_V4", v4) + "," + severity("CVSS_V3", kLow)));
  EXPECT_EQ(read.vector, v4);
}

TEST(OsvAdvisoryTest, UbuntusPriorityIsTheUrgencyOfItsPackages) {
  const auto read = advisory(package("Ubuntu:22.04:LTS", "curl") + "," + package("Ubuntu:24.04:LTS", "curl"),
                             with_severity(severity("CVSS_V3", kCritical) + "," + severity("Ubuntu", "low")));
  EXPECT_THAT(urgencies(read), ElementsAre("low", "low"));
  EXPECT_EQ(read.vector, kCritical);
}

TEST(OsvAdvisoryTest, AScoreOfOnePackageCountsForNoOther) {
  const auto read =
      advisory(package("npm", "a", with_severity(severity("CVSS_V3", kLow))) + "," +
               package("npm", "b", with_severity(severity("CVSS_V3", kCritical))) + "," + package("npm", "c"));
  EXPECT_THAT(urgencies(read), ElementsAre("low", "critical", ""));
  EXPECT_THAT(read.vector, IsEmpty());
  EXPECT_EQ(read.score, std::nullopt);
}

TEST(OsvAdvisoryTest, AScoreThatAllPackagesShareIsTheAdvisorys) {
  const auto low = with_severity(severity("CVSS_V3", kLow));
  const auto read = advisory(package("npm", "a", low) + "," + package("npm", "b", low));
  EXPECT_EQ(read.vector, kLow);
  EXPECT_THAT(urgencies(read), ElementsAre("low", "low"));
}

TEST(OsvAdvisoryTest, TheScoreOfAllGoesBeforeThatOfOne) {
  const auto read = advisory(package("npm", "a", with_severity(severity("CVSS_V3", kLow))),
                             with_severity(severity("CVSS_V3", kCritical)));
  EXPECT_EQ(read.vector, kCritical);
  EXPECT_THAT(urgencies(read), ElementsAre(""));
}

TEST(OsvAdvisoryTest, ThePublishersWordForAPackageGoesBeforeItsScore) {
  const auto read = advisory(
      package("Debian:12", "a",
              with_severity(severity("CVSS_V3", kCritical)) + R"(, "ecosystem_specific": {"urgency": "unimportant"})"));
  EXPECT_THAT(urgencies(read), ElementsAre("unimportant"));
}

}  // namespace
}  // namespace slipway::feeds
