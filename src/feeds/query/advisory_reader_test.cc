#include "feeds/query/advisory_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "feeds/query/feed_reader.h"
#include "feeds/testing/small_feeds.h"
#include "sys/testing/manual_clock.h"
#include "sys/testing/temp_dir.h"

namespace slipway::feeds {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Record advisory(const std::string& urn, const Affected& affected, Standing standing = Standing::kLive) {
  return {.urn = urn_of(urn),
          .title = "A title",
          .description = "What it is.",
          .standing = standing,
          .links = {{"alias", urn_of("nvd::cve::CVE-2024-1")}, {"weakness", urn_of("mitre::cwe::CWE-79")}},
          .details = Advisory{.score = 7.5, .vector = "CVSS:3.1/X", .body = "{}", .affected = {affected}}};
}

class AdvisoryReaderTest : public testing::Test {
 protected:
  AdvisoryReaderTest() {
    auto store = FeedStore::open(path_, clock_).value();
    sync_records(*store, "osv",
                 {advisory("osv::advisory::GHSA-1", {.ecosystem = "PyPI",
                                                     .package = "django",
                                                     .status = "affected",
                                                     .fixed = "4.2.1",
                                                     .ranges = R"({"ranges": []})"}),
                  advisory("osv::advisory::GHSA-2", {.ecosystem = "PyPI", .package = "django", .status = "affected"},
                           Standing::kWithdrawn)});
    sync_records(*store, "cve",
                 {{.urn = urn_of("nvd::cve::CVE-2024-1"),
                   .description = "Known.",
                   .details = Cve{.score = 9.8, .vector = "CVSS:3.1/Y", .body = "{}"}}});
    reader_ = FeedReader::open(path_, clock_).value();
  }

  AdvisoryReader advisories() { return reader_->advisories().value(); }

  sys::TempDir folder_;
  const std::string path_ = folder_.file("feeds.db");
  sys::ManualClock clock_;
  std::unique_ptr<FeedReader> reader_;
};

TEST_F(AdvisoryReaderTest, LiveAdvisoriesOfAPackageAreFoundByItsNameAndEcosystem) {
  auto found = advisories();
  const auto rows = found.about("PyPI", "django").value();
  ASSERT_THAT(rows, SizeIs(1)) << "one is withdrawn";
  EXPECT_EQ(rows[0].provider, "osv");
  EXPECT_EQ(rows[0].said.fixed, "4.2.1");
  EXPECT_EQ(rows[0].said.ranges, R"({"ranges": []})");
  EXPECT_THAT(found.about("PyPI", "Django").value(), IsEmpty());
  EXPECT_THAT(found.about("npm", "django").value(), IsEmpty());
  EXPECT_TRUE(found.covers("PyPI").value());
  EXPECT_FALSE(found.covers("npm").value());
}

TEST_F(AdvisoryReaderTest, FactsHaveWhatTheAdvisoryLinksTo) {
  auto found = advisories();
  const auto facts = found.facts(found.about("PyPI", "django").value().at(0).advisory).value();
  EXPECT_EQ(facts.name, "GHSA-1");
  EXPECT_EQ(facts.score, 7.5);
  EXPECT_THAT(facts.aliases, ElementsAre("CVE-2024-1"));
  EXPECT_THAT(facts.weaknesses, ElementsAre("CWE-79"));
  EXPECT_EQ(found.facts(NodeId{4711}).error().kind(), ErrorKind::kNotFound);
}

TEST_F(AdvisoryReaderTest, ACveIsFoundByItsIdWhereThereIsOne) {
  auto found = advisories();
  EXPECT_EQ(found.cve("CVE-2024-1").value()->score, 9.8);
  EXPECT_EQ(found.cve("CVE-2024-2").value(), std::nullopt);
  EXPECT_EQ(found.cve("no id at all").value(), std::nullopt);
}

TEST_F(AdvisoryReaderTest, WhatIsGoneFromItsSourceSaysNothing) {
  auto store = FeedStore::open(path_, clock_).value();
  auto before = advisories();
  sync_records(*store, "osv",
               {advisory("osv::advisory::GHSA-3", {.ecosystem = "Go", .package = "x", .status = "affected"})});
  EXPECT_THAT(before.about("PyPI", "django").value(), SizeIs(1)) << "it is of one instant";
  EXPECT_THAT(advisories().about("PyPI", "django").value(), IsEmpty());
  EXPECT_TRUE(before.covers("PyPI").value());
  EXPECT_FALSE(advisories().covers("PyPI").value()) << "that nothing is said is no clean bill";
  EXPECT_TRUE(advisories().covers("Go").value());
}

TEST_F(AdvisoryReaderTest, AnEcosystemOfWithdrawnAdvisoriesAloneIsNotCovered) {
  auto store = FeedStore::open(path_, clock_).value();
  sync_records(*store, "osv",
               {advisory("osv::advisory::GHSA-2", {.ecosystem = "PyPI", .package = "django", .status = "affected"},
                         Standing::kWithdrawn)});
  EXPECT_FALSE(advisories().covers("PyPI").value());
}

TEST_F(AdvisoryReaderTest, WhatIsOnlyRelatedIsNotWhatItIsAbout) {
  auto store = FeedStore::open(path_, clock_).value();
  auto record = advisory("osv::advisory::GHSA-4", {.ecosystem = "npm", .package = "x", .status = "affected"});
  record.links = {{"upstream", urn_of("nvd::cve::CVE-2024-2")}, {"related", urn_of("nvd::cve::CVE-2024-3")}};
  sync_records(*store, "osv", {record});
  auto found = advisories();
  const auto facts = found.facts(found.about("npm", "x").value().at(0).advisory).value();
  EXPECT_THAT(facts.aliases, IsEmpty());
  EXPECT_THAT(facts.upstream, ElementsAre("CVE-2024-2"));
  EXPECT_THAT(facts.related, ElementsAre("CVE-2024-3"));
}

TEST_F(AdvisoryReaderTest, TheAgesOfAllProvidersAreTold) {
  const auto ages = advisories().ages().value();
  ASSERT_THAT(ages, SizeIs(2));
  EXPECT_EQ(ages[0].provider, "cve");
  EXPECT_EQ(ages[1].completed_at, clock_.now());
}

}  // namespace
}  // namespace slipway::feeds
