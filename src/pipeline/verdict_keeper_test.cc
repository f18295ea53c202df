#include "pipeline/verdict_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "feeds/testing/small_feeds.h"
#include "scan/inventory_json.h"
#include "sys/testing/manual_clock.h"
#include "sys/testing/temp_dir.h"

namespace slipway::pipeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Images of a Debian with one package, and a keeper that has those scanned that are not listed.
class VerdictKeeperTest : public testing::Test {
 protected:
  void load(const std::string& release, const std::string& fixed) {
    clock_.advance(std::chrono::hours(1));
    feeds::sync_records(*feeds::FeedStore::open(feeds_, clock_).value(), "debian",
                        {{.urn = feeds::urn_of("debian::advisory::bash/CVE-2024-1"),
                          .links = {{"alias", feeds::urn_of("nvd::cve::CVE-2024-1")}},
                          .details = feeds::Advisory{.body = "{}",
                                                     .affected = {{.ecosystem = "Debian:" + release,
                                                                   .package = "bash",
                                                                   .status = "fixed",
                                                                   .fixed = fixed,
                                                                   .urgency = "high"}}}}});
  }
  void add(const std::string& id) {
    ASSERT_TRUE(catalog_->store_image(
        {.source = {.image_id = id, .bucket = "b", .key = id}, .local_path = "/x", .checksum = sha256_hex(id)}));
  }
  void add_listed(const std::string& id) {
    add(id);
    const scan::Inventory inventory{
        .distribution = scan::Distribution{.id = "debian", .version = "12"},
        .packages = {{.type = scan::PackageType::kDeb, .name = "bash", .version = "5.2-1"}}};
    ASSERT_TRUE(catalog_->store_inventory(
        {.image_id = id, .checksum = sha256_hex(id), .packages = 1, .body = scan::to_json(inventory)}));
  }
  VerdictKeeper keeper_by(ScanRules rules) {
    return VerdictKeeper({.catalog = *catalog_,
                          .clock = clock_,
                          .feeds = feeds_,
                          .version = "1",
                          .rules = std::move(rules),
                          .scan_first =
                              [this](const std::vector<std::string>& ids) {
                                first_.push_back(ids);
                                return started_;
                              },
                          .log = Logger([this](LogLevel level, std::string_view message, std::span<const LogField>) {
                            (level == LogLevel::kWarn ? warnings_ : infos_).emplace_back(message);
                          })});
  }
  std::vector<std::string> warnings() { return std::exchange(warnings_, {}); }
  std::vector<std::string> infos() { return std::exchange(infos_, {}); }

  sys::TempDir folder_;
  const std::string feeds_ = folder_.file("feeds.db");
  sys::ManualClock clock_;
  std::unique_ptr<catalog::Catalog> catalog_ = catalog::Catalog::open(folder_.file("catalog.db"), clock_).value();
  std::vector<std::string> warnings_;
  std::vector<std::string> infos_;
  std::vector<std::vector<std::string>> first_;  // what was to be scanned, at each time
  Result<std::uint64_t> started_ = 1;
  VerdictKeeper keeper_ = keeper_by({.engine = "builtin"});
};

TEST_F(VerdictKeeperTest, WithoutFeedsNoImageIsJudgedOrScannedAndNothingIsSaid) {
  add_listed("a");
  add("b");
  keeper_.look({});
  EXPECT_THAT(warnings(), IsEmpty());
  EXPECT_THAT(infos(), IsEmpty());
  EXPECT_THAT(first_, IsEmpty());
  EXPECT_FALSE(catalog_->find_scan("a").value().has_value());
}

TEST_F(VerdictKeeperTest, ByAnotherEngineNothingIsJudgedAgain) {
  add_listed("a");
  load("12", "5.2-9");
  keeper_by({.engine = "trivy"}).look({});
  EXPECT_FALSE(catalog_->find_scan("a").value().has_value());
  EXPECT_THAT(infos(), IsEmpty());
}

TEST_F(VerdictKeeperTest, WhatKeepsImagesFromBeingJudgedIsAWarning) {
  add_listed("a");
  load("12", "5.2-9");
  keeper_by({.engine = "builtin", .ignore = {{"ours", "CVE-2024-1\n"}}}).look({});
  EXPECT_THAT(warnings(), ElementsAre(testing::AllOf(HasSubstr("images are not scanned again"), HasSubstr("ours"))));
}

TEST_F(VerdictKeeperTest, WhatBlocksNowAndWhatNoLongerDoesIsAWarningAndSaidOnce) {
  add_listed("a");
  load("12", "5.2-1");
  keeper_.look({});
  EXPECT_THAT(warnings(), IsEmpty());
  load("12", "5.2-9");
  keeper_.look({});
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("image a is vulnerable now: 1 high: CVE-2024-1 in bash")));
  EXPECT_THAT(infos(), testing::Contains("1 images scanned again, 1 verdicts changed"));
  keeper_.look({});
  EXPECT_THAT(infos(), IsEmpty());
  load("12", "5.2-1");
  keeper_.look({});
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("image a is no longer blocked")));
}

TEST_F(VerdictKeeperTest, AnImageThatWasNeverListedIsScannedOnceAlsoWhenThatFails) {
  add("a");
  load("12", "5.2-9");
  started_ = fail(ErrorKind::kUnavailable, "no room");
  keeper_.look({});
  keeper_.look({});
  EXPECT_THAT(first_, ElementsAre(ElementsAre("a")));
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("images are not scanned: no room")));
  add("b");
  started_ = 1;
  keeper_.look({});
  EXPECT_THAT(first_, ElementsAre(ElementsAre("a"), ElementsAre("b")));
  EXPECT_THAT(infos(), ElementsAre("1 images are scanned for the first time"));
}

TEST_F(VerdictKeeperTest, ImagesThatNoAdvisoriesAreAboutAreSaidWhenTheirNumberChanges) {
  add_listed("a");
  load("11", "5.2-9");
  keeper_.look({});
  keeper_.look({});
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("1 images are not judged")));
  add_listed("b");
  keeper_.look({});
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("2 images are not judged")));
  EXPECT_THAT(first_, IsEmpty());
}

TEST_F(VerdictKeeperTest, ManyImagesAreRecordedToTheLast) {
  constexpr std::size_t kImages = 150;  // more than are recorded at a time
  for (std::size_t i = 0; i < kImages; ++i) add_listed(fmt::format("image-{}", i));
  load("12", "5.2-9");
  keeper_.look({});
  EXPECT_THAT(warnings(), SizeIs(kImages));
  const auto all = catalog_->list_status(catalog::Status::kVulnerable).value();
  EXPECT_EQ(all.size(), kImages);
}

TEST_F(VerdictKeeperTest, AStopIsNoComplaint) {
  add_listed("a");
  load("12", "5.2-9");
  std::stop_source stop;
  stop.request_stop();
  keeper_.look(stop.get_token());
  EXPECT_THAT(warnings(), IsEmpty());
  EXPECT_FALSE(catalog_->find_scan("a").value().has_value());
}

}  // namespace
}  // namespace slipway::pipeline
