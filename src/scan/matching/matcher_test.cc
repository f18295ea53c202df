#include "scan/matching/matcher.h"

#include <stop_token>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "feeds/query/feed_reader.h"
#include "feeds/testing/small_feeds.h"
#include "sys/testing/manual_clock.h"
#include "sys/testing/temp_dir.h"

namespace slipway::scan {
namespace {

using feeds::Affected;
using feeds::Record;
using feeds::urn_of;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

std::string ranges(const std::string& fixed) {
  return R"({"ranges":[{"type":"ECOSYSTEM","events":[{"introduced":"0"},{"fixed":")" + fixed + R"("}]}]})";
}

Record osv(const std::string& id, const std::vector<std::string>& aliases, Affected affected,
           const std::string& body = "{}") {
  Record made{.urn = urn_of("osv::advisory::" + id), .title = id + "'s title"};
  for (const auto& alias : aliases) {
    made.links.push_back({"alias", urn_of((alias.starts_with("CVE") ? "nvd::cve::" : "osv::advisory::") + alias)});
  }
  affected.status = "affected";
  made.details = feeds::Advisory{.body = body, .affected = {std::move(affected)}};
  return made;
}

Record debian(const std::string& package, const std::string& cve, Affected affected) {
  affected.package = package;
  if (affected.ecosystem.empty()) affected.ecosystem = "Debian:12";
  return {.urn = urn_of("debian::advisory::" + package + "/" + cve),
          .title = cve + " in " + package,
          .links = {{"alias", urn_of("nvd::cve::" + cve)}},
          .details = feeds::Advisory{.body = "{}", .affected = {std::move(affected)}}};
}

Record cve(const std::string& id, double score, const std::string& vector) {
  return {.urn = urn_of("nvd::cve::" + id),
          .description = "What " + id + " is.",
          .links = {{"weakness", urn_of("mitre::cwe::CWE-79")}},
          .details = feeds::Cve{
              .score = score, .vector = vector, .body = R"({"references":[{"url":"https://example.org/1"}]})"}};
}

class MatcherTest : public testing::Test {
 protected:
  void load(const std::string& provider, const std::vector<Record>& records) {
    feeds::sync_records(*feeds::FeedStore::open(path_, clock_).value(), provider, records);
  }
  Result<Matches> match_by(Matcher::Options options, const Inventory& inventory) {
    auto reader = feeds::FeedReader::open(path_, clock_).value();
    auto advisories = reader->advisories().value();
    return Matcher(advisories, std::move(options)).match(inventory);
  }
  Matches match(std::vector<Package> packages, Distribution distribution = {.id = "debian", .version = "12"}) {
    auto matches = match_by({}, {.distribution = std::move(distribution), .packages = std::move(packages)});
    EXPECT_TRUE(matches) << matches.error().describe();
    return std::move(*matches);
  }
  static std::vector<std::string> ids(const Matches& matches) {
    std::vector<std::string> all;
    for (const auto& finding : matches.findings) all.push_back(finding.id);
    return all;
  }

  sys::TempDir folder_;
  const std::string path_ = folder_.file("feeds.db");
  sys::ManualClock clock_;
};

const Package kSsl{.type = PackageType::kDeb,
                   .name = "libssl3",
                   .version = "3.0.11-1",
                   .source = "openssl",
                   .path = "var/lib/dpkg/status"};

TEST_F(MatcherTest, ADistributionsPackageIsFoundByItsSourceAndItsReleasesWordCounts) {
  load("debian", {debian("openssl", "CVE-2024-1", {.status = "fixed", .fixed = "3.0.11-1~deb12u2"}),
                  debian("openssl", "CVE-2024-2", {.status = "fixed", .fixed = "3.0.13-1", .urgency = "high"}),
                  debian("openssl", "CVE-2024-3", {.ecosystem = "Debian:11", .status = "open"}),
                  debian("openssl", "CVE-2024-4", {.status = "not-affected"})});
  load("cve", {cve("CVE-2024-2", 9.8, "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H")});
  const auto found = match({kSsl});
  ASSERT_THAT(ids(found), ElementsAre("CVE-2024-2"));
  const auto& finding = found.findings[0];
  EXPECT_EQ(finding.severity, Severity::kHigh) << "the distribution's own word goes before the CVE's score";
  EXPECT_EQ(finding.severity_source, "debian");
  EXPECT_EQ(finding.fixed_version, "3.0.13-1");
  EXPECT_EQ(finding.score, 9.8);
  EXPECT_EQ(finding.description, "What CVE-2024-2 is.");
  EXPECT_THAT(finding.weaknesses, ElementsAre("CWE-79"));
  EXPECT_THAT(finding.references, ElementsAre("https://example.org/1"));
  EXPECT_EQ(finding.advisory, "v2e::debian::advisory::openssl/CVE-2024-2");
  EXPECT_THAT(found.feeds, ElementsAre("debian"));
}

TEST_F(MatcherTest, NobodyElseIsAskedAboutWhatADistributionSpeaksFor) {
  load("debian", {debian("openssl", "CVE-2024-4", {.status = "not-affected"})});
  load("osv", {osv("DSA-1", {"CVE-2024-4"}, {.ecosystem = "Debian:12", .package = "openssl", .ranges = ranges("9")}),
               osv("GHSA-1", {"CVE-2024-5"}, {.ecosystem = "PyPI", .package = "six", .ranges = ranges("2")})});
  EXPECT_THAT(match({kSsl}).findings, IsEmpty());
  EXPECT_THAT(match({kSsl}).feeds, ElementsAre("debian"));
}

TEST_F(MatcherTest, WhatADistributionsPackageBroughtIsLeftToTheDistributionWhereItSpeaksForThat) {
  load("debian", {debian("six", "CVE-2020-1", {.status = "not-affected"})});
  load("osv", {osv("GHSA-1", {"CVE-2024-5"}, {.ecosystem = "PyPI", .package = "six", .ranges = ranges("2")})});
  const Package six{
      .type = PackageType::kPypi, .name = "six", .version = "1.16", .path = "x/METADATA", .owner = "python3-six"};
  const Package owner{.type = PackageType::kDeb, .name = "python3-six", .version = "1.16-4", .source = "six"};
  EXPECT_THAT(match({owner, six}).findings, IsEmpty());
  EXPECT_THAT(ids(match({six})), ElementsAre("CVE-2024-5")) << "nobody has installed its owner";
  auto vendors = owner;
  vendors.source = "our-six";
  EXPECT_THAT(ids(match({vendors, six})), ElementsAre("CVE-2024-5")) << "the distribution does not know its owner";
}

TEST_F(MatcherTest, TheFeedsAreThoseThatHadAWord) {
  load("debian", {debian("openssl", "CVE-2024-4", {.status = "open"})});
  load("osv", {osv("DSA-1", {"CVE-2024-5"}, {.ecosystem = "Debian:12", .package = "bash", .ranges = ranges("9")})});
  const Package bash{.type = PackageType::kDeb, .name = "bash", .version = "5"};
  EXPECT_THAT(match({bash}).feeds, ElementsAre("cve", "osv")) << "nobody but the CVE could have rated it";
  EXPECT_THAT(match({kSsl}).feeds, ElementsAre("cve", "debian"));
  EXPECT_THAT(match({{.type = PackageType::kDeb, .name = "unknown", .version = "1"}}).feeds, ElementsAre("debian"));
}

TEST_F(MatcherTest, PackagesOfAnotherKindThanTheDistributionsAreNotJudgedByIt) {
  load("debian", {debian("xen", "CVE-2024-4", {.status = "open"})});
  const auto found = match({{.type = PackageType::kApk, .name = "xen", .version = "4"}});
  EXPECT_THAT(found.findings, IsEmpty());
  EXPECT_THAT(found.not_judged, ElementsAre(Pair("no feed is about apk packages of debian 12", 1)));
}

TEST_F(MatcherTest, AnAdvisoryOfAllReleasesCounts) {
  load("osv", {osv("DSA-1", {"CVE-2024-5"}, {.ecosystem = "Debian", .package = "bash", .ranges = ranges("9")})});
  EXPECT_THAT(ids(match({{.type = PackageType::kDeb, .name = "bash", .version = "5"}})), ElementsAre("CVE-2024-5"));
}

TEST_F(MatcherTest, AJarWithoutAGroupIsNotJudged) {
  load("osv", {osv("GHSA-1", {}, {.ecosystem = "Maven", .package = "g:a", .ranges = ranges("2")})});
  const auto found = match({{.type = PackageType::kMaven, .name = "a", .version = "1"}});
  EXPECT_THAT(found.not_judged, ElementsAre(Pair("a jar that does not say which group it is of", 1)));
}

TEST_F(MatcherTest, WhatIsOnlyRelatedIsAnotherVulnerability) {
  auto record =
      osv("RUSTSEC-2020-0159", {}, {.ecosystem = "crates.io", .package = "chrono", .ranges = ranges("2.0.0")});
  record.links = {{"related", urn_of("nvd::cve::CVE-2020-26235")}};
  load("osv", {record});
  EXPECT_THAT(ids(match({{.type = PackageType::kCargo, .name = "chrono", .version = "1.0.0"}})),
              ElementsAre("RUSTSEC-2020-0159"));
}

TEST_F(MatcherTest, ADistributionsRecordOfACveIsThatCve) {
  auto usn = osv("USN-1", {}, {.ecosystem = "Debian:12", .package = "openssl", .ranges = ranges("9")});
  usn.links = {{"upstream", urn_of("nvd::cve::CVE-2023-1")}, {"upstream", urn_of("osv::advisory::UBUNTU-CVE-2023-1")}};
  auto alsa = osv("ALSA-1", {}, {.ecosystem = "Debian:12", .package = "openssl", .ranges = ranges("9")});
  alsa.links = {{"related", urn_of("nvd::cve::CVE-2023-2")}};
  load("osv", {usn, alsa});
  const auto found = match({kSsl});
  ASSERT_THAT(ids(found), ElementsAre("CVE-2023-1", "CVE-2023-2"));
  EXPECT_THAT(found.findings[0].aliases, ElementsAre("USN-1")) << "people ignore by it";
  EXPECT_THAT(found.findings[1].aliases, ElementsAre("ALSA-1"));
}

TEST_F(MatcherTest, TheFixIsAVersionThatNoAdvisorySaysToBeAffected) {
  load("osv", {osv("GHSA-1", {"CVE-2024-1"}, {.ecosystem = "npm", .package = "a", .ranges = ranges("2.0.0")},
                   R"({"severity":"LOW"})"),
               osv("GHSA-2", {"CVE-2024-1"}, {.ecosystem = "npm", .package = "a", .ranges = ranges("3.0.0")},
                   R"({"severity":"CRITICAL"})")});
  const auto found = match({{.type = PackageType::kNpm, .name = "a", .version = "1.0.0"}});
  ASSERT_THAT(ids(found), ElementsAre("CVE-2024-1"));
  EXPECT_EQ(found.findings[0].fixed_version, "3.0.0");
  EXPECT_EQ(found.findings[0].severity, Severity::kCritical) << "of several words the worst";
}

TEST_F(MatcherTest, AliasesOfOneVulnerabilityAreOneFinding) {
  load("osv", {osv("GHSA-1", {"CVE-2024-1"}, {.ecosystem = "PyPI", .package = "django", .ranges = ranges("4.2")},
                   R"({"severity":"MODERATE"})"),
               osv("PYSEC-1", {"GHSA-1"}, {.ecosystem = "PyPI", .package = "django", .ranges = ranges("4.2")}),
               osv("GHSA-2", {}, {.ecosystem = "PyPI", .package = "django", .ranges = ranges("5")})});
  const auto found = match({{.type = PackageType::kPypi, .name = "Django", .version = "4.1", .path = "p"}});
  ASSERT_THAT(ids(found), ElementsAre("CVE-2024-1", "GHSA-2"));
  EXPECT_THAT(found.findings[0].aliases, ElementsAre("GHSA-1", "PYSEC-1"));
  EXPECT_EQ(found.findings[0].severity, Severity::kMedium);
  EXPECT_EQ(found.findings[1].severity, Severity::kUnknown);
}

TEST_F(MatcherTest, AnAdvisoryOfSeveralVulnerabilitiesIsAFindingForEach) {
  auto both = osv("RLSA-1", {}, {.ecosystem = "Debian:12", .package = "openssl", .ranges = ranges("9")});
  both.links = {{"upstream", urn_of("nvd::cve::CVE-2024-1")}, {"upstream", urn_of("nvd::cve::CVE-2024-2")}};
  load("osv", {both});
  EXPECT_THAT(ids(match({kSsl})), ElementsAre("CVE-2024-1", "CVE-2024-2"));
}

TEST_F(MatcherTest, TheWorstComesFirst) {
  load("osv",
       {osv("GHSA-1", {}, {.ecosystem = "npm", .package = "a", .ranges = ranges("9.0.0")}, R"({"severity":"LOW"})"),
        osv("GHSA-2", {}, {.ecosystem = "npm", .package = "a", .ranges = ranges("9.0.0")},
            R"({"severity":"CRITICAL"})")});
  EXPECT_THAT(ids(match({{.type = PackageType::kNpm, .name = "a", .version = "1.0.0"}})),
              ElementsAre("GHSA-2", "GHSA-1"));
}

TEST_F(MatcherTest, WhatNothingIsKnownOfIsCountedAndNotTakenForClean) {
  load("osv", {osv("GHSA-1", {}, {.ecosystem = "npm", .package = "a", .ranges = ranges("9.0.0")})});
  const auto found = match({kSsl,
                            {.type = PackageType::kNpm, .name = "a", .version = "no version"},
                            {.type = PackageType::kOther, .name = "x", .version = "1"}});
  EXPECT_THAT(found.findings, IsEmpty());
  EXPECT_THAT(found.not_judged,
              ElementsAre(Pair("a version that cannot be compared", 1), Pair("no feed is about other", 1),
                          Pair("the feeds have nothing about Debian:12", 1)));
  EXPECT_THAT(found.feeds, ElementsAre("osv"));
}

TEST_F(MatcherTest, OfTooManyFindingsTheWorstAreKeptAndItIsSaid) {
  load("osv",
       {osv("GHSA-1", {}, {.ecosystem = "npm", .package = "a", .ranges = ranges("9.0.0")}, R"({"severity":"LOW"})"),
        osv("GHSA-2", {}, {.ecosystem = "npm", .package = "z", .ranges = ranges("9.0.0")}, R"({"severity":"HIGH"})")});
  Inventory inventory;
  for (int i = 0; i < 50; ++i) {
    inventory.packages.push_back({.type = PackageType::kNpm, .name = "a", .version = fmt::format("1.0.{}", i)});
  }
  inventory.packages.push_back({.type = PackageType::kNpm, .name = "z", .version = "1.0.0"});
  const auto some = match_by({.most_findings = 10}, inventory).value();
  EXPECT_THAT(some.findings, SizeIs(10));
  EXPECT_EQ(some.findings[0].id, "GHSA-2");
  EXPECT_THAT(some.not_judged, ElementsAre(Pair("of 51 findings only the worst 10 are kept", 1)));
  const auto few = match_by({.most_findings = 4}, inventory).value();
  EXPECT_THAT(few.findings, SizeIs(4));
  EXPECT_THAT(few.not_judged, ElementsAre(Pair("of 41 findings only the worst 4 are kept", 1),
                                          Pair("there are more than 40 findings", 10)));
  EXPECT_THAT(match_by({.most_findings = 51}, inventory).value().not_judged, IsEmpty());
}

TEST_F(MatcherTest, WhatIsMaliciousIsCriticalThoughNobodyRatesIt) {
  load("osv", {osv("MAL-2024-1", {}, {.ecosystem = "npm", .package = "a", .ranges = ranges("9.0.0")})});
  const auto found = match({{.type = PackageType::kNpm, .name = "a", .version = "1.0.0"}});
  ASSERT_THAT(ids(found), ElementsAre("MAL-2024-1"));
  EXPECT_EQ(found.findings[0].severity, Severity::kCritical);
  EXPECT_EQ(found.findings[0].severity_source, "osv");
}

TEST_F(MatcherTest, AStopEndsIt) {
  load("osv", {osv("GHSA-1", {}, {.ecosystem = "npm", .package = "a", .ranges = ranges("9.0.0")})});
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = match_by({.stop = stop.get_token()},
                                {.packages = {{.type = PackageType::kNpm, .name = "a", .version = "1.0.0"}}});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind(), ErrorKind::kCancelled);
}

TEST_F(MatcherTest, AnRpmFoundByItsSourceIsComparedByThatsVersion) {
  load("osv",
       {osv("RLSA-1", {"CVE-2024-1"}, {.ecosystem = "Rocky Linux:9", .package = "ruby", .ranges = ranges("0:1.5-3")})});
  const auto gem = [&](const std::string& version, const std::string& source_version) {
    return ids(match({{.type = PackageType::kRpm,
                       .name = "rubygem-x",
                       .version = version,
                       .source = "ruby",
                       .source_version = source_version}},
                     {.id = "rocky", .version = "9.3"}));
  };
  EXPECT_THAT(gem("9.0-1", "1.2-1"), ElementsAre("CVE-2024-1"));
  EXPECT_THAT(gem("1.0-9", "1.5-9"), IsEmpty());
  EXPECT_THAT(gem("1.0-9", ""), ElementsAre("CVE-2024-1"));
}

TEST_F(MatcherTest, AFixThatAnotherAdvisoryCallsAffectedIsNone) {
  load("osv", {osv("GHSA-1", {"CVE-2024-1"}, {.ecosystem = "npm", .package = "a", .ranges = ranges("1.5.0")}),
               osv("GHSA-2", {"CVE-2024-1"},
                   {.ecosystem = "npm",
                    .package = "a",
                    .ranges = R"({"ranges":[{"events":[{"introduced":"0"},{"last_affected":"1.6.0"}]}]})"})});
  const auto found = match({{.type = PackageType::kNpm, .name = "a", .version = "1.2.0"}});
  ASSERT_THAT(found.findings, SizeIs(1));
  EXPECT_EQ(found.findings[0].fixed_version, "");
  EXPECT_EQ(found.findings[0].status, FixStatus::kAffected);
}

TEST_F(MatcherTest, TheSamePackageInTwoPlacesIsTwoFindings) {
  load("osv", {osv("GHSA-1", {}, {.ecosystem = "npm", .package = "a", .ranges = ranges("9.0.0")})});
  EXPECT_THAT(match({{.type = PackageType::kNpm, .name = "a", .version = "1.0.0", .path = "x"},
                     {.type = PackageType::kNpm, .name = "a", .version = "1.0.0", .path = "y"}})
                  .findings,
              SizeIs(2));
}

}  // namespace
}  // namespace slipway::scan
