#include "pipeline/scan_image.h"

#include <atomic>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/testing/tar_builder.h"
#include "base/digest.h"
#include "feeds/testing/small_feeds.h"
#include "fsm/testing/manager_harness.h"
#include "pipeline/activate_image.h"
#include "pipeline/rescan.h"
#include "scan/testing/taker_program.h"
#include "sys/fault.h"
#include "sys/testing/temp_dir.h"
#include "volumes/testing/memory_pool.h"

namespace slipway::pipeline {
namespace {

using feeds::urn_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

feeds::Record problem(const std::string& cve, const std::string& fixed, const std::string& urgency) {
  return {
      .urn = urn_of("debian::advisory::bash/" + cve),
      .links = {{"alias", urn_of("nvd::cve::" + cve)}},
      .details = feeds::Advisory{
          .body = "{}",
          .affected = {
              {.ecosystem = "Debian:12", .package = "bash", .status = "fixed", .fixed = fixed, .urgency = urgency}}}};
}

class ScanImageTest : public testing::Test {
 protected:
  ScanImageTest() : catalog_(*catalog::Catalog::open(folder_.file("catalog.db"), sys::system_clock())) {
    auto tar = archive::small_rootfs();
    tar.file("etc/os-release", "ID=debian\nVERSION_ID=12\n");
    tar.file("var/lib/dpkg/status",
             "Package: bash\nStatus: install ok installed\nVersion: 5.2-1\nArchitecture: all\n\n");
    const auto bytes = tar.finish();
    request_.image_id = "the-image";
    request_.local_path = folder_.file("the-image.tar");
    request_.checksum = sha256_hex(bytes);
    request_.size = bytes.size();
    request_.scan = {.engine = "builtin"};
    std::ofstream(request_.local_path, std::ios::binary) << bytes;
    EXPECT_TRUE(catalog_->store_image({.source = {.image_id = "the-image", .bucket = "b", .key = "the.tar"},
                                       .local_path = request_.local_path,
                                       .checksum = request_.checksum,
                                       .size_bytes = bytes.size()}));
    harness_.options().queues = {{kScanningQueue, 2}};
    open();
  }

  void open() {
    harness_.open([this](fsm::Manager& manager) {
      machine_ = *add_scan_image(manager, {.catalog = catalog_,
                                           .taker = std::make_shared<const scan::InventoryTaker>(scan::test_taker()),
                                           .feeds = feeds_,
                                           .version = "1",
                                           .trivy = {.program = folder_.file("trivy")}});
    });
  }
  void load(const std::vector<feeds::Record>& records) {
    feeds::sync_records(*feeds::FeedStore::open(feeds_, harness_.clock).value(), "debian", records);
  }
  Result<ScanImageResponse> scan() { return machine_->wait(*machine_->start("the-image", request_)); }
  catalog::ScanVerdict verdict() { return catalog_->find_scan("the-image").value().value(); }
  catalog::Status status() { return catalog_->image_status("the-image").value()->status; }
  Result<RescanReport> rescan_all() {
    auto reader = feeds::FeedReader::open(feeds_, harness_.clock).value();
    return rescan(*catalog_, *reader, "1", request_.scan, harness_.clock.now(), {});
  }
  void forget_file() { std::filesystem::remove(request_.local_path); }

  sys::TempDir folder_;
  const std::string feeds_ = folder_.file("feeds.db");
  std::shared_ptr<catalog::Catalog> catalog_;
  fsm::ManagerHarness harness_;
  std::optional<ScanImageMachine> machine_;
  ScanImageRequest request_;
};

TEST_F(ScanImageTest, AVulnerableImageIsBlockedAndTheVerdictSaysWhatItRestsOn) {
  load({problem("CVE-2024-1", "5.2-2", "high"), problem("CVE-2024-2", "5.2-1", "high")});
  const auto scanned = scan();
  ASSERT_TRUE(scanned) << scanned.error().describe();
  EXPECT_TRUE(scanned->scanned);
  EXPECT_TRUE(scanned->blocked);
  EXPECT_THAT(scanned->note, HasSubstr("CVE-2024-1 in bash"));
  EXPECT_EQ(status(), catalog::Status::kVulnerable);
  EXPECT_TRUE(verdict().has_high);
  EXPECT_EQ(verdict().vuln_count, 1U);
  EXPECT_EQ(verdict().engine, "slipway 1");
  EXPECT_EQ(verdict().policy, "blocks at HIGH");
  EXPECT_EQ(verdict().database_date, harness_.clock.now());
  const auto findings = catalog_->findings("the-image").value();
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].fixed_version, "5.2-2");
  EXPECT_EQ(findings[0].location, "var/lib/dpkg/status");
}

TEST_F(ScanImageTest, WhatIsBelowTheThresholdBlocksNothing) {
  load({problem("CVE-2024-1", "5.2-2", "medium")});
  EXPECT_FALSE(scan()->blocked);
  EXPECT_EQ(status(), catalog::Status::kScanned);
  request_.scan.block = "MEDIUM";
  EXPECT_TRUE(scan()->blocked) << "by other rules it is judged anew";
  request_.scan.block = "never";
  EXPECT_FALSE(scan()->blocked);
}

TEST_F(ScanImageTest, TheSecondTimeNothingIsDoneAndNewDataNeedNoFile) {
  load({problem("CVE-2024-1", "5.2-1", "high")});
  EXPECT_TRUE(scan()->scanned);
  forget_file();
  const auto again = scan().value();
  EXPECT_FALSE(again.scanned);
  EXPECT_TRUE(again.judged);
  harness_.clock.advance(std::chrono::hours(1));
  load({problem("CVE-2024-1", "5.2-9", "high")});
  EXPECT_TRUE(scan()->blocked);
}

TEST_F(ScanImageTest, WithoutAdvisoriesItIsNotScannedOrRefusedAndNeverClean) {
  const auto unscanned = scan();
  ASSERT_TRUE(unscanned);
  EXPECT_FALSE(unscanned->judged);
  EXPECT_THAT(unscanned->note, HasSubstr("no feeds' database"));
  EXPECT_EQ(status(), catalog::Status::kDownloaded);
  EXPECT_FALSE(catalog_->find_scan("the-image").value().has_value());
  request_.scan.refuse_stale = true;
  EXPECT_FALSE(scan());
}

TEST_F(ScanImageTest, ScanningMayBeOff) {
  request_.scan.engine = "off";
  const auto off = scan().value();
  EXPECT_FALSE(off.judged);
  EXPECT_THAT(off.note, HasSubstr("switched off"));
}

TEST_F(ScanImageTest, WhoAllowsItIsRecordedAndHoldsUntilSomethingNewBlocks) {
  load({problem("CVE-2024-1", "5.2-2", "high")});
  ASSERT_TRUE(scan()->blocked);
  request_.scan.allowed_by = "alice";
  EXPECT_FALSE(scan()->blocked);
  EXPECT_EQ(verdict().allowed_by, "alice");
  EXPECT_EQ(verdict().allowed_at, harness_.clock.now());
  EXPECT_EQ(status(), catalog::Status::kScanned);

  request_.scan.allowed_by.clear();
  harness_.clock.advance(std::chrono::hours(1));
  load({problem("CVE-2024-1", "5.2-3", "high")});
  EXPECT_FALSE(scan()->blocked) << "the same vulnerability";
  EXPECT_EQ(verdict().allowed_by, "alice");
  harness_.clock.advance(std::chrono::hours(1));
  load({problem("CVE-2024-1", "5.2-3", "high"), problem("CVE-2024-2", "5.2-3", "high")});
  EXPECT_TRUE(scan()->blocked) << "nobody has allowed the new one";
}

TEST_F(ScanImageTest, WhatWasAllowedStaysSoWhenItIsAwayForAWhile) {
  load({problem("CVE-2024-1", "5.2-2", "high")});
  request_.scan.allowed_by = "alice";
  ASSERT_FALSE(scan()->blocked);
  request_.scan.allowed_by.clear();
  for (const auto* fixed : {"5.2-1", "5.2-2"}) {  // no longer there, and back
    harness_.clock.advance(std::chrono::hours(1));
    load({problem("CVE-2024-1", fixed, "high")});
    ASSERT_TRUE(rescan_all());
    EXPECT_FALSE(verdict().blocked);
    EXPECT_EQ(verdict().allowed_by, "alice");
  }
}

TEST_F(ScanImageTest, AnImageThatWasNeverListedIsNamedByARescan) {
  load({problem("CVE-2024-1", "5.2-2", "high")});
  const auto report = rescan_all().value();
  EXPECT_THAT(report.unlisted, ElementsAre("the-image"));
  EXPECT_EQ(report.judged, 0U);
}

TEST_F(ScanImageTest, AnIgnoreFileIsPartOfTheRequestAndABadOneIsRefused) {
  load({problem("CVE-2024-1", "5.2-2", "high")});
  request_.scan.ignore = {{"ours", "CVE-2024-1 not reachable\n"}};
  EXPECT_FALSE(scan()->blocked);
  EXPECT_EQ(verdict().suppressed, 1U);
  request_.scan.ignore = {{"ours", "CVE-2024-1\n"}};
  const auto bad = scan();
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error().message(), HasSubstr("ours"));
}

TEST_F(ScanImageTest, ARuleThatHasExpiredNoLongerOpensTheGate) {
  load({problem("CVE-2024-1", "5.2-2", "high")});
  const auto today = std::chrono::floor<std::chrono::days>(harness_.clock.now());
  const std::chrono::year_month_day day(today);
  request_.scan.ignore = {{"ours", fmt::format("CVE-2024-1 until={:04}-{:02}-{:02} for today\n", int(day.year()),
                                               unsigned(day.month()), unsigned(day.day()))}};
  EXPECT_FALSE(scan()->blocked);
  EXPECT_FALSE(scan()->scanned) << "nothing has changed";
  harness_.clock.advance(std::chrono::hours(48));
  const auto report = rescan_all().value();
  EXPECT_THAT(report.changed, SizeIs(1));
  EXPECT_EQ(status(), catalog::Status::kVulnerable);
  EXPECT_TRUE(scan()->blocked);
}

TEST_F(ScanImageTest, AnExpiredRuleIsSeenByTheNextRunToo) {
  load({problem("CVE-2024-1", "5.2-2", "high")});
  request_.scan.ignore = {{"ours", "CVE-2024-1 until=2100-01-01 for long\n"}};
  EXPECT_FALSE(scan()->blocked);
  harness_.clock.advance(std::chrono::days(365 * 100));
  EXPECT_TRUE(scan()->blocked);
}

TEST_F(ScanImageTest, HowOldDataMayBeIsAskedAgainThoughTheVerdictIsThere) {
  load({problem("CVE-2024-1", "5.2-1", "high")});
  request_.scan.refuse_stale = true;
  request_.scan.max_age_s = 3600;
  ASSERT_TRUE(scan());
  harness_.clock.advance(std::chrono::hours(2));
  const auto refused = scan();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("old"));
}

TEST_F(ScanImageTest, AnotherFileThanTheOneThatWasDownloadedIsNotListed) {
  load({problem("CVE-2024-1", "5.2-2", "high")});
  std::ofstream(request_.local_path, std::ios::binary) << archive::small_rootfs().finish();
  const auto other = scan();
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind(), ErrorKind::kCorrupt);
  EXPECT_FALSE(catalog_->find_inventory("the-image").value().has_value());
}

TEST_F(ScanImageTest, AfterACrashBetweenMatchAndRecordItIsMatchedAgain) {
  load({problem("CVE-2024-1", "5.2-2", "high")});
  fsm::Gate gate;
  std::atomic<bool> cut = false;
  harness_.options().interceptors.push_back(
      [&](const fsm::RunContext& run, const std::function<fsm::EncodedOutcome()>& go_on) -> fsm::EncodedOutcome {
        if (run.transition() != "record" || cut.exchange(true)) return go_on();
        gate.pass(run.stop());
        return fsm::error(Error(ErrorKind::kCancelled, "cut off"));
      });
  harness_.crash();
  open();
  const auto run = *machine_->start("the-image", request_);
  gate.await_arrivals(1);
  harness_.crash();
  open();
  const auto done = machine_->wait(run);
  ASSERT_TRUE(done) << done.error().describe();
  EXPECT_TRUE(done->scanned);
  EXPECT_EQ(verdict().vuln_count, 1U);
}

TEST_F(ScanImageTest, TrivyThatIsNotThereIsAnErrorAndOneThatIsGivesTheVerdict) {
  request_.scan.engine = "trivy";
  const auto missing = scan();
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().hint(), HasSubstr("scan_engine"));

  std::ofstream(folder_.file("trivy")) << R"(#!/bin/sh
case "$1" in
  --version) echo '{"Version":"0.99.0"}' ;;
  *) echo "$*" >"$(dirname "$0")/asked"; echo '{"SchemaVersion":2,"Results":[{"Target":"x","Class":"os-pkgs","Type":"debian","Vulnerabilities":[
     {"VulnerabilityID":"CVE-2024-7","PkgName":"bash","InstalledVersion":"5.2-1","Severity":"CRITICAL"}]}]}' ;;
esac
)";
  std::filesystem::permissions(folder_.file("trivy"), std::filesystem::perms::owner_all);
  const auto scanned = scan();
  ASSERT_TRUE(scanned) << scanned.error().describe();
  EXPECT_TRUE(scanned->blocked);
  EXPECT_TRUE(verdict().has_critical);
  EXPECT_THAT(verdict().engine, testing::StartsWith("trivy"));

  request_.scan.block = "MEDIUM";
  ASSERT_TRUE(scan());
  std::string asked;
  std::getline(std::ifstream(folder_.file("asked")) >> std::ws, asked);
  EXPECT_THAT(asked, HasSubstr("--severity MEDIUM,HIGH,CRITICAL")) << "what blocks is asked for";
}

TEST_F(ScanImageTest, ARescanJudgesWhatOlderDataJudgedAndTellsWhatChanged) {
  load({problem("CVE-2024-1", "5.2-1", "high")});
  ASSERT_FALSE(scan()->blocked);
  forget_file();
  auto report = rescan_all().value();
  EXPECT_EQ(report.up_to_date, 1U);
  EXPECT_EQ(report.judged, 0U);

  harness_.clock.advance(std::chrono::hours(1));
  load({problem("CVE-2024-1", "5.2-9", "high")});
  report = rescan_all().value();
  EXPECT_EQ(report.judged, 1U);
  ASSERT_THAT(report.changed, SizeIs(1));
  EXPECT_TRUE(report.changed[0].is_blocked);
  EXPECT_FALSE(report.changed[0].was_blocked);
  EXPECT_EQ(status(), catalog::Status::kVulnerable);

  harness_.clock.advance(std::chrono::hours(1));
  load({problem("CVE-2024-1", "5.2-9", "high")});
  EXPECT_THAT(rescan_all()->changed, IsEmpty()) << "newer data that says the same";
}

}  // namespace
}  // namespace slipway::pipeline
