#include "feeds/query/feed_reader.h"

#include <atomic>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "feeds/testing/small_feeds.h"
#include "sys/testing/manual_clock.h"
#include "sys/testing/temp_dir.h"

namespace slipway::feeds {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class FeedReaderTest : public testing::Test {
 protected:
  FeedReaderTest() {
    make_small_feeds(path_, clock_);
    reader_ = FeedReader::open(path_, clock_).value();
  }
  std::vector<std::string> found(std::string_view text) {
    const auto all = reader_->find(text);
    if (!all) return {all.error().describe()};
    std::vector<std::string> urns;
    for (const auto& one : *all) urns.push_back(one.urn);
    return urns;
  }
  Entry entry(std::string_view name) { return reader_->entry(reader_->find(name).value().at(0).node).value(); }

  sys::TempDir folder_;
  const std::string path_ = folder_.file("feeds.db");
  sys::ManualClock clock_;
  std::unique_ptr<FeedReader> reader_;
};

TEST_F(FeedReaderTest, AThingIsFoundByItsUrnAndByItsIdInAnyCase) {
  EXPECT_THAT(found("v2e::mitre::cwe::CWE-79"), ElementsAre("v2e::mitre::cwe::CWE-79"));
  EXPECT_THAT(found("cwe-79"), ElementsAre("v2e::mitre::cwe::CWE-79"));
  EXPECT_THAT(found("cVe-2021-44228"), ElementsAre("v2e::nvd::cve::CVE-2021-44228"));
  EXPECT_THAT(found("ghsa-JFH8-c2jp-5V3Q"), ElementsAre("v2e::osv::advisory::GHSA-jfh8-c2jp-5v3q"));
  EXPECT_THAT(found("RHEL8/rule/Package_Aide_Installed"),
              ElementsAre("v2e::nist::ssg::rhel8/rule/package_aide_installed"));
}

TEST_F(FeedReaderTest, WhatIsOnlyLinkedToIsFoundAsWell) {
  EXPECT_THAT(found("si-3"), ElementsAre("v2e::nist::control::SI-3"));
  EXPECT_THAT(found("CWE-9999"), ElementsAre("v2e::mitre::cwe::CWE-9999"));
  const auto control = entry("SI-3");
  EXPECT_FALSE(control.what.known);
  EXPECT_FALSE(control.details);
  ASSERT_EQ(control.links.size(), 1);
  EXPECT_TRUE(control.links[0].inward);
  EXPECT_EQ(control.links[0].count, 2);
}

TEST_F(FeedReaderTest, AllThingsOfOneIdAreGiven) {
  {
    const auto store = FeedStore::open(path_, clock_).value();
    sync_records(*store, "debian",
                 {{.urn = urn_of("debian::advisory::CVE-2021-44228"),
                   .title = "log4j",
                   .details = Advisory{.vector = "", .body = "{}"}}});
  }
  EXPECT_THAT(found("CVE-2021-44228"),
              ElementsAre("v2e::nvd::cve::CVE-2021-44228", "v2e::debian::advisory::CVE-2021-44228"));
}

TEST_F(FeedReaderTest, WhatIsNotThereIsAnErrorThatNamesNearOnes) {
  const auto none = reader_->find("CVE-2021-4422");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind(), ErrorKind::kNotFound);
  EXPECT_THAT(none.error().message(), HasSubstr("CVE-2021-4422"));
  EXPECT_THAT(none.error().hint(), HasSubstr("CVE-2021-44228"));
  EXPECT_THAT(reader_->find("v2e::mitre::cwe::CWE-7").error().hint(), HasSubstr("CWE-74, CWE-79"));
  EXPECT_THAT(reader_->find("xyzzy").error().hint(), HasSubstr("feeds search"));
  EXPECT_EQ(reader_->find("").error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(reader_->find(std::string(10'000, 'x')).error().kind(), ErrorKind::kInvalid);
  for (const std::string hostile : {"' OR 1=1 --", "\"", "%", "*", "v2e::", "::", "\xff\xfe", "-"}) {
    EXPECT_EQ(reader_->find(hostile).error().kind(), ErrorKind::kNotFound) << hostile;
  }
}

TEST_F(FeedReaderTest, AnEntryHasItsColumnsAndItsLinksBothWays) {
  const auto cve = entry("CVE-2021-44228");
  EXPECT_EQ(cve.provider, "cve");
  EXPECT_THAT(cve.description, HasSubstr("JNDI"));
  EXPECT_THAT(cve.what.title, HasSubstr("Apache Log4j2"));  // it has no title of its own
  EXPECT_EQ(cve.title, "");
  ASSERT_TRUE(cve.details);
  const auto& details = std::get<Cve>(*cve.details);
  EXPECT_EQ(details.score, 10.0);
  EXPECT_THAT(details.body, HasSubstr("logging.apache.org"));
  ASSERT_EQ(cve.links.size(), 2);
  EXPECT_EQ(cve.links[0].relation, "weakness");
  EXPECT_FALSE(cve.links[0].inward);
  EXPECT_EQ(cve.links[0].count, 3);
  std::vector<std::string> weaknesses;
  for (const auto& one : cve.links[0].some) weaknesses.push_back(one.name + (one.known ? ": " + one.title : ""));
  EXPECT_THAT(weaknesses, ElementsAre("CWE-20: Improper Input Validation", "CWE-502: Deserialization of Untrusted Data",
                                      "CWE-9999"));
  EXPECT_EQ(cve.links[1].relation, "alias");
  EXPECT_TRUE(cve.links[1].inward);
}

TEST_F(FeedReaderTest, EachKindHasItsOwnColumns) {
  EXPECT_EQ(std::get<Cwe>(*entry("CWE-79").details).category, "weakness");
  EXPECT_EQ(std::get<Capec>(*entry("CAPEC-586").details).severity, "High");
  EXPECT_EQ(std::get<Attack>(*entry("G0007").details).category, "group");
  EXPECT_EQ(std::get<Ssg>(*entry("rhel8/rule/package_aide_installed").details).severity, "medium");
  EXPECT_EQ(std::get<Asvs>(*entry("5.5.3").details).level, 1);
  EXPECT_EQ(std::get<Cce>(*entry("CCE-80787-1").details).platform, "rhel8");
  const auto advisory = std::get<Advisory>(*entry("GHSA-jfh8-c2jp-5v3q").details);
  ASSERT_EQ(advisory.affected.size(), 1);
  EXPECT_EQ(advisory.affected[0].fixed, "2.15.0");
}

TEST_F(FeedReaderTest, TheLinksOfAHubAreCountedAndSomeAreShown) {
  {
    const auto store = FeedStore::open(path_, clock_).value();
    std::vector<Record> many;
    for (int i = 0; i < 100; ++i) {
      many.push_back({.urn = urn_of(fmt::format("nvd::cve::CVE-2022-{:04}", i)),
                      .links = {{"weakness", urn_of("mitre::cwe::CWE-79")}},
                      .details = Cve{.body = "{}"}});
    }
    sync_records(*store, "cve", many);
  }
  const auto hub = entry("CWE-79");
  const auto& group = hub.links.back();
  EXPECT_EQ(group.relation, "weakness");
  EXPECT_EQ(group.count, 101);
  EXPECT_EQ(group.some.size(), FeedReader::kLinksShown);
}

TEST_F(FeedReaderTest, ProvidersHaveTheirCountsAndTheAgeOfTheirData) {
  clock_.advance(std::chrono::hours(3));
  const auto providers = reader_->providers().value();
  ASSERT_EQ(providers.size(), 8);
  EXPECT_EQ(providers[4].row.id, "cve");
  EXPECT_EQ(providers[4].live, 3);  // one of them is rejected, but there
  EXPECT_EQ(providers[4].gone, 1);
  EXPECT_EQ(providers[4].age, Duration(std::chrono::hours(3)));
  EXPECT_FALSE(reader_->macro().value());
}

TEST_F(FeedReaderTest, WithoutADatabaseTheErrorSaysHowToGetOne) {
  const auto none = FeedReader::open(folder_.file("none.db"), clock_);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind(), ErrorKind::kNotFound);
  EXPECT_THAT(none.error().hint(), HasSubstr("slipway feeds sync"));
  EXPECT_FALSE(std::filesystem::exists(folder_.file("none.db")));
  const auto store = FeedStore::open(folder_.file("empty.db"), clock_).value();
  const auto empty = FeedReader::open(folder_.file("empty.db"), clock_).value();
  EXPECT_THAT(empty->find("CVE-2021-44228").error().hint(), HasSubstr("slipway feeds sync"));
  EXPECT_TRUE(empty->providers().value().empty());
}

TEST_F(FeedReaderTest, ReadersNeitherWaitForASyncNorSeeHalfOfABatch) {
  const auto store = FeedStore::open(path_, clock_).value();
  (void)store->begin_sync("cve").value();
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int round = 0; round < 50; ++round) {
      std::vector<Record> pair;
      for (const char* id : {"CVE-2030-0001", "CVE-2030-0002"}) {
        pair.push_back({.urn = urn_of(std::string("nvd::cve::") + id),
                        .description = fmt::format("round{}", round),
                        .details = Cve{.body = "{}"}});
      }
      EXPECT_TRUE(store->write("cve", {.records = pair, .checkpoint = {.urn = "u", .source_tag = "t"}}));
    }
    done = true;
  });
  int seen = 0;
  do {
    const auto hits = reader_->search("round*");
    ASSERT_TRUE(hits) << hits.error().describe();
    ASSERT_THAT(hits->size(), testing::AnyOf(0, 2));
    if (hits->size() == 2) {
      EXPECT_EQ(hits->at(0).what.title, hits->at(1).what.title);
    }
    seen += static_cast<int>(hits->size());
  } while (!done || seen == 0);
  writer.join();
}

}  // namespace
}  // namespace slipway::feeds
