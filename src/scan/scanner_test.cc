#include "scan/scanner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "feeds/testing/small_feeds.h"
#include "store/database.h"
#include "sys/testing/manual_clock.h"
#include "sys/testing/temp_dir.h"

namespace slipway::scan {
namespace {

using feeds::urn_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

class ScannerTest : public testing::Test {
 protected:
  ScannerTest() {
    auto store = feeds::FeedStore::open(path_, clock_).value();
    feeds::sync_records(
        *store, "debian",
        {{.urn = urn_of("debian::advisory::bash/CVE-2024-1"),
          .links = {{"alias", urn_of("nvd::cve::CVE-2024-1")}},
          .details = feeds::Advisory{
              .body = "{}",
              .affected = {{.ecosystem = "Debian:12", .package = "bash", .status = "open", .urgency = "high"}}}}});
    reader_ = feeds::FeedReader::open(path_, clock_).value();
  }

  static Artifact artifact(const std::string& version_id = "12") {
    return {.name = "the-image",
            .checksum = std::string(64, 'a'),
            .inventory = {.distribution = Distribution{.id = "debian", .version = version_id},
                          .packages = {{.type = PackageType::kDeb, .name = "bash", .version = "5"}}}};
  }
  Result<Report> judge(Artifact what, const Rules& rules = {}, const DataRules& data = {}) {
    return Scanner::open(*reader_, "1.2")->judge(std::move(what), rules, data, clock_.now());
  }

  sys::TempDir folder_;
  const std::string path_ = folder_.file("feeds.db");
  sys::ManualClock clock_;
  std::unique_ptr<feeds::FeedReader> reader_;
};

TEST_F(ScannerTest, AReportSaysWhatItRestsOn) {
  const auto report = judge(artifact()).value();
  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_EQ(report.findings[0].id, "CVE-2024-1");
  EXPECT_EQ(report.engine, "slipway 1.2");
  EXPECT_EQ(report.artifact, "the-image");
  EXPECT_THAT(report.data, ElementsAre(DataDate{"debian", clock_.now()}));
  EXPECT_THAT(report.warnings, IsEmpty());
  EXPECT_TRUE(report.complete());
}

TEST_F(ScannerTest, OldDataIsAWarningOrARefusalNeverSilent) {
  clock_.advance(48h);
  const auto warned = judge(artifact(), {}, {.max_age = 24h}).value();
  EXPECT_THAT(warned.warnings, ElementsAre(HasSubstr("debian is 2 days old")));
  const auto refused = judge(artifact(), {}, {.max_age = 24h, .stale = StaleData::kRefuse});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kUnavailable);
  EXPECT_THAT(refused.error().hint(), HasSubstr("feeds sync"));
}

TEST_F(ScannerTest, ScansSideBySideWaitNeitherForEachOtherNorForASync) {
  auto sync = store::Database::open({.path = path_}).value();
  ASSERT_TRUE(sync.execute("BEGIN IMMEDIATE; DELETE FROM affected"));  // in the middle of its work
  std::vector<std::unique_ptr<feeds::FeedReader>> readers;
  std::vector<Scanner> scanners;
  for (int i = 0; i < 8; ++i) {
    readers.push_back(feeds::FeedReader::open(path_, clock_).value());
    auto scanner = Scanner::open(*readers.back(), "1");
    ASSERT_TRUE(scanner) << scanner.error().describe();
    scanners.push_back(std::move(*scanner));
  }
  EXPECT_THAT(scanners.front().judge(artifact(), {}, {}, clock_.now())->findings, SizeIs(1));
  ASSERT_TRUE(sync.execute("COMMIT"));
  EXPECT_THAT(scanners.back().judge(artifact(), {}, {}, clock_.now())->findings, SizeIs(1)) << "of its own instant";
  EXPECT_FALSE(judge(artifact())) << "and of the next";
}

TEST_F(ScannerTest, AnImageThatNoFeedIsAboutGetsNoCleanBill) {
  const auto unknown = judge(artifact("99"));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind(), ErrorKind::kUnavailable);
  EXPECT_THAT(unknown.error().message(), HasSubstr("nothing about Debian:99"));
}

TEST_F(ScannerTest, WhatWasNotJudgedOrNotReadMakesItIncomplete) {
  auto mixed = artifact();
  mixed.inventory.packages.push_back({.type = PackageType::kNpm, .name = "a", .version = "1.0.0"});
  const auto unjudged = judge(mixed).value();
  EXPECT_FALSE(unjudged.complete());
  EXPECT_EQ(unjudged.unjudged, 1U);
  EXPECT_THAT(unjudged.warnings, ElementsAre(HasSubstr("nothing about npm")));

  auto unread = artifact();
  unread.inventory.unread.push_back({"var/lib/rpm/Packages", "broken"});
  const auto partly = judge(unread).value();
  EXPECT_FALSE(partly.complete());
  EXPECT_THAT(partly.warnings, ElementsAre(HasSubstr("var/lib/rpm/Packages could not be read: broken")));
}

TEST_F(ScannerTest, FilesThatCouldNotBeReadAreCountedOnceEach) {
  auto unread = artifact();
  for (int i = 0; i < 23; ++i) unread.inventory.unread.push_back({fmt::format("{}.jar", i), "broken"});
  unread.inventory.unread.push_back({"22.jar", "and too large"});
  unread.inventory.unread.push_back({"0.jar", "and too large"});
  const auto warnings = judge(unread)->warnings;
  ASSERT_THAT(warnings, SizeIs(21));
  EXPECT_EQ(warnings.back(), "3 more files could not be read");
}

TEST_F(ScannerTest, WhatNobodyAskedForIsCounted) {
  const auto critical = judge(artifact(), {.severities = {Severity::kCritical}}).value();
  EXPECT_THAT(critical.findings, IsEmpty());
  EXPECT_EQ(critical.of_other_severity, 1U);
  EXPECT_EQ(judge(artifact(), {.only_fixed = true})->unfixed, 1U);
}

TEST_F(ScannerTest, RulesLeaveOutWhatDoesNotCount) {
  Rules rules;
  rules.ignore.push_back(parse_ignore_file("CVE-2024-1 package=bash nobody calls it", "x").value());
  const auto report = judge(artifact(), rules).value();
  EXPECT_THAT(report.findings, IsEmpty());
  ASSERT_THAT(report.suppressed, SizeIs(1));
  EXPECT_THAT(report.suppressed[0].reason, HasSubstr("nobody calls it"));
}

}  // namespace
}  // namespace slipway::scan
