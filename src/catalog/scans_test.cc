#include "catalog/scans.h"

#include <set>

#include <gtest/gtest.h>

#include "catalog/testing/catalog_fixture.h"

namespace slipway::catalog {
namespace {

class ScansTest : public CatalogTest {
 protected:
  ScanVerdict verdict(const std::string& content = "one") {
    return {.image_id = "a",
            .checksum = sha256_hex(content),
            .scanned_at = clock_.now(),
            .has_high = true,
            .vuln_count = 2,
            .blocked = true,
            .engine = "builtin 1",
            .database_date = clock_.now() - std::chrono::hours(5),
            .policy = "block at HIGH",
            .complete = false,
            .warnings = R"(["old"])",
            .data_dates = R"({"osv": 1})",
            .suppressed = 3,
            .allowed_by = "alice",
            .allowed_at = clock_.now(),
            .allowed = R"([["CVE-2","openssl"]])"};
  }
};

TEST_F(ScansTest, AVerdictAndItsFindingsComeBackTheWorstFirst) {
  ASSERT_TRUE(catalog_->store_image(downloaded("a")));
  const Finding low{.package = "zlib", .version = "1.2", .vulnerability = "CVE-1", .severity = Severity::kLow};
  const Finding high{.package = "openssl",
                     .version = "3.0",
                     .vulnerability = "CVE-2",
                     .severity = Severity::kHigh,
                     .fixed_version = "3.1",
                     .source = "debian",
                     .location = "var/lib/dpkg/status",
                     .title = "a hole",
                     .aliases = "GHSA-1 PYSEC-2",
                     .status = "fixed",
                     .score = 7.5};
  ASSERT_TRUE(catalog_->record_scan(verdict(), std::vector{low, high}));
  const ScanVerdict found = catalog_->find_scan("a").value().value();
  EXPECT_TRUE(found.has_high);
  EXPECT_FALSE(found.has_critical);
  EXPECT_TRUE(found.blocked);
  EXPECT_TRUE(found.current);
  EXPECT_EQ(found.vuln_count, 2U);
  EXPECT_EQ(found.engine, "builtin 1");
  EXPECT_EQ(found.scanned_at, clock_.now());
  EXPECT_EQ(found.database_date, clock_.now() - std::chrono::hours(5));
  EXPECT_EQ(found.policy, "block at HIGH");
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(found.warnings, R"(["old"])");
  EXPECT_EQ(found.data_dates, R"({"osv": 1})");
  EXPECT_EQ(found.suppressed, 3U);
  EXPECT_EQ(found.allowed_by, "alice");
  EXPECT_EQ(found.allowed_at, clock_.now());
  EXPECT_EQ(found.allowed, R"([["CVE-2","openssl"]])");
  EXPECT_EQ(found.findings_digest, digest_of(std::vector{low, high}));
  EXPECT_EQ(catalog_->findings("a").value(), (std::vector{high, low}));
}

TEST_F(ScansTest, AnInventoryIsKeptBesideItsImageAndGoesWithIt) {
  const StoredInventory taken{.image_id = "a", .checksum = sha256_hex("one"), .packages = 2, .body = "{}"};
  EXPECT_FAILS(catalog_->store_inventory(taken), ErrorKind::kNotFound, "no image a");
  ASSERT_TRUE(catalog_->store_image(downloaded("a")));
  EXPECT_FALSE(catalog_->find_inventory("a").value().has_value());
  ASSERT_TRUE(catalog_->store_inventory(taken));
  auto later = taken;
  later.body = R"({"later": 1})";
  ASSERT_TRUE(catalog_->store_inventory(later));
  const auto found = catalog_->find_inventory("a").value().value();
  EXPECT_EQ(found.body, later.body);
  EXPECT_EQ(found.checksum, sha256_hex("one"));
  EXPECT_EQ(found.packages, 2U);
  ASSERT_TRUE(catalog_->delete_image("a", DeviceFate::kGone));
  EXPECT_FALSE(catalog_->find_inventory("a").value().has_value());
}

TEST_F(ScansTest, TheDigestOfFindingsTellsWhateverDiffers) {
  const Finding one{.package = "a", .version = "1", .vulnerability = "CVE-1", .severity = Severity::kLow, .score = 1.0};
  std::vector<Finding> others(10, one);
  others[0].package = "b";
  others[1].version = "2";
  others[2].vulnerability = "CVE-2";
  others[3].severity = Severity::kHigh;
  others[4].fixed_version = "3";
  others[5].location = "x";
  others[6].aliases = "GHSA-1";
  others[7].status = "fixed";
  others[8].score = 1.1;
  others[9].score = std::nullopt;
  std::set<std::string> digests{digest_of({}), digest_of(std::vector{one}), digest_of(std::vector{one, one})};
  for (const auto& other : others) digests.insert(digest_of(std::vector{other}));
  EXPECT_EQ(digests.size(), 13U);
  auto run_on = one;
  run_on.package = "a1";
  run_on.version = "";
  EXPECT_FALSE(digests.contains(digest_of(std::vector{run_on})));
}

TEST_F(ScansTest, ANewScanTakesThePlaceOfTheOldOne) {
  ASSERT_TRUE(catalog_->store_image(downloaded("a")));
  ASSERT_TRUE(catalog_->record_scan(verdict(), std::vector<Finding>(5)));
  ASSERT_TRUE(catalog_->record_scan(verdict(), std::vector<Finding>(2)));
  EXPECT_EQ(catalog_->findings("a")->size(), 2U);
}

TEST_F(ScansTest, ManyAreRecordedAtOnceAndWhatIsGoneIsPassedOver) {
  ASSERT_TRUE(catalog_->store_image(downloaded("a")));
  ASSERT_TRUE(catalog_->store_image(downloaded("b")));
  ASSERT_TRUE(catalog_->add_image(source_of("waiting")));
  std::vector<Scan> scans;
  for (const char* id : {"a", "gone", "waiting", "b"}) {
    scans.push_back({verdict(), std::vector<Finding>(2)});
    scans.back().verdict.image_id = id;
  }
  using enum Recorded;
  EXPECT_EQ(catalog_->record_scans(scans).value(), (std::vector{kChanged, kNot, kNot, kChanged}));
  EXPECT_EQ(catalog_->findings("b")->size(), 2U);
  scans[3].findings.pop_back();
  EXPECT_EQ(catalog_->record_scans(scans).value(), (std::vector{kSame, kNot, kNot, kChanged}));
  EXPECT_EQ(catalog_->findings("b")->size(), 1U);
}

TEST_F(ScansTest, OfManyThoseAreLeftOutThatSomebodyElseHasOvertaken) {
  ASSERT_TRUE(catalog_->store_image(downloaded("a", "two")));
  EXPECT_EQ(catalog_->record_scans(std::vector{Scan{verdict(), {}}}).value(), std::vector{Recorded::kNot});
  EXPECT_FALSE(catalog_->find_scan("a").value().has_value());
  const Scan made{verdict("two"), {}};
  clock_.advance(std::chrono::seconds(1));
  auto later = verdict("two");
  later.allowed_by = "bob";
  ASSERT_TRUE(catalog_->record_scan(later, {}));
  EXPECT_EQ(catalog_->record_scans(std::vector{made}).value(), std::vector{Recorded::kNot});
  EXPECT_EQ(catalog_->find_scan("a").value()->allowed_by, "bob");
}

TEST_F(ScansTest, OfManyABadOneIsNamedAndNoneIsRecorded) {
  ASSERT_TRUE(catalog_->store_image(downloaded("a")));
  ASSERT_TRUE(catalog_->store_image(downloaded("b")));
  std::vector<Scan> scans(2, {verdict(), {}});
  scans[1].verdict.image_id = "b";
  scans[1].verdict.engine = "";
  EXPECT_FAILS(catalog_->record_scans(scans), ErrorKind::kInvalid, "image b");
  EXPECT_FALSE(catalog_->find_scan("a").value().has_value());
}

TEST_F(ScansTest, AVerdictOverEarlierContentIsNotCurrent) {
  ASSERT_TRUE(catalog_->store_image(downloaded("a")));
  ASSERT_TRUE(catalog_->record_scan(verdict(), {}));
  ASSERT_TRUE(catalog_->store_image(downloaded("a", "two")));
  EXPECT_FALSE(catalog_->find_scan("a").value().value().current);
}

TEST_F(ScansTest, OnlyWhatIsDownloadedIsScanned) {
  EXPECT_FAILS(catalog_->record_scan(verdict(), {}), ErrorKind::kNotFound, "no image a");
  ASSERT_TRUE(catalog_->add_image(source_of("a")));
  EXPECT_FAILS(catalog_->record_scan(verdict(), {}), ErrorKind::kConflict, "no completed download");
  EXPECT_FALSE(catalog_->find_scan("a").value().has_value());
}

}  // namespace
}  // namespace slipway::catalog
