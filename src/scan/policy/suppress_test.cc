#include "scan/policy/suppress.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "feeds/formats/feed_time.h"

namespace slipway::scan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Finding finding(const std::string& id, Severity severity, const std::string& fixed = "2.0") {
  Finding made{.id = id, .fixed_version = fixed, .severity = severity};
  made.package = {.type = PackageType::kNpm, .name = "a", .version = "1.0"};
  return made;
}

std::string npm_purl(const Package& package) { return "pkg:npm/" + package.name + "@" + package.version; }

class SuppressTest : public ::testing::Test {
 protected:
  Judged judge(std::vector<Finding> findings) {
    return apply(std::move(findings), rules_, {.names = {"app.tar"}}, npm_purl, now_);
  }
  static std::vector<std::string> ids(const std::vector<Finding>& findings) {
    std::vector<std::string> all;
    for (const auto& one : findings) all.push_back(one.id);
    return all;
  }
  void ignore(const std::string& text) { rules_.ignore.push_back(parse_ignore_file(text, ".slipwayignore").value()); }
  void vex(const std::string& products, const std::string& status) {
    rules_.vex.push_back(parse_openvex(R"({"@context": "https://openvex.dev/ns", "timestamp": "2024-01-01T00:00:00Z",
        "statements": [{"vulnerability": {"name": "CVE-1-1"}, "products": [)" +
                                           products + R"(], "status": ")" + status +
                                           R"(", "impact_statement": "not called"}]})",
                                       "vex.json")
                             .value());
  }

  Rules rules_;
  TimePoint now_ = feeds::parse_feed_time("2025-01-01").value();
};

TEST_F(SuppressTest, WithoutRulesEverythingCounts) {
  const auto judged = judge({finding("CVE-1-1", Severity::kUnknown, ""), finding("CVE-1-2", Severity::kCritical)});
  EXPECT_THAT(ids(judged.findings), ElementsAre("CVE-1-1", "CVE-1-2"));
  EXPECT_THAT(judged.suppressed, IsEmpty());
  EXPECT_THAT(judged.warnings, IsEmpty());
}

TEST_F(SuppressTest, OtherSeveritiesAreLeftOutAndCounted) {
  rules_.severities = {Severity::kHigh, Severity::kCritical};
  const auto judged = judge({finding("CVE-1-1", Severity::kMedium), finding("CVE-1-2", Severity::kCritical),
                             finding("CVE-1-3", Severity::kUnknown)});
  EXPECT_THAT(ids(judged.findings), ElementsAre("CVE-1-2"));
  EXPECT_EQ(judged.of_other_severity, 2U);
  EXPECT_THAT(judged.suppressed, IsEmpty());
}

TEST_F(SuppressTest, WhatNobodyHasFixedIsLeftOutWhereThatIsAskedFor) {
  rules_.only_fixed = true;
  const auto judged = judge({finding("CVE-1-1", Severity::kHigh, ""), finding("CVE-1-2", Severity::kHigh)});
  EXPECT_THAT(ids(judged.findings), ElementsAre("CVE-1-2"));
  EXPECT_EQ(judged.unfixed, 1U);
}

TEST_F(SuppressTest, AnIgnoreRuleSuppressesWithItsReasonAndFile) {
  ignore("CVE-1-1 package=a not reachable\nCVE-1-2 package=b elsewhere\n");
  const auto judged = judge({finding("CVE-1-1", Severity::kHigh), finding("CVE-1-2", Severity::kHigh)});
  EXPECT_THAT(ids(judged.findings), ElementsAre("CVE-1-2"));
  EXPECT_THAT(judged.suppressed,
              ElementsAre(Suppressed{finding("CVE-1-1", Severity::kHigh), "not reachable", ".slipwayignore"}));
}

TEST_F(SuppressTest, ARuleWhoseDayHasPassedIsAWarning) {
  ignore("CVE-1-1 until=2024-12-31 later\n");
  const auto judged = judge({finding("CVE-1-1", Severity::kHigh)});
  EXPECT_THAT(ids(judged.findings), ElementsAre("CVE-1-1"));
  EXPECT_THAT(judged.warnings, ElementsAre(HasSubstr("counted until 2024-12-31")));
}

TEST_F(SuppressTest, AVexStatementSuppressesWithItsReasonAndDocument) {
  vex(R"("pkg:npm/a")", "not_affected");
  const auto judged = judge({finding("CVE-1-1", Severity::kHigh), finding("CVE-1-2", Severity::kHigh)});
  EXPECT_THAT(ids(judged.findings), ElementsAre("CVE-1-2"));
  EXPECT_THAT(judged.suppressed,
              ElementsAre(Suppressed{finding("CVE-1-1", Severity::kHigh), "not_affected: not called", "vex.json"}));
}

TEST_F(SuppressTest, AVexStatementOnTheWholeArtifactSuppresses) {
  vex(R"("app.tar")", "fixed");
  EXPECT_THAT(judge({finding("CVE-1-1", Severity::kHigh)}).findings, IsEmpty());
}

TEST_F(SuppressTest, AVexStatementThatAffirmsTakesBackAnEarlierOne) {
  vex(R"("pkg:npm/a")", "not_affected");
  vex(R"("pkg:npm/a")", "affected");
  EXPECT_THAT(ids(judge({finding("CVE-1-1", Severity::kHigh)}).findings), ElementsAre("CVE-1-1"));
}

TEST_F(SuppressTest, AnIgnoreFileIsAskedBeforeAVexDocument) {
  vex(R"("pkg:npm/a")", "fixed");
  ignore("CVE-1-1 ours\n");
  EXPECT_EQ(judge({finding("CVE-1-1", Severity::kHigh)}).suppressed.at(0).by, ".slipwayignore");
}

TEST_F(SuppressTest, StatementsWithoutEffectAreWarnedOf) {
  vex("", "fixed");
  EXPECT_THAT(judge({}).warnings, ElementsAre(HasSubstr("names no product")));
}

TEST(BlocksTest, AsBadAsTheLimitOrWorseBlocks) {
  const std::vector<Finding> found{finding("CVE-1-1", Severity::kHigh), finding("CVE-1-2", Severity::kUnknown)};
  EXPECT_TRUE(blocks(found, Severity::kHigh));
  EXPECT_TRUE(blocks(found, Severity::kLow));
  EXPECT_FALSE(blocks(found, Severity::kCritical));
  EXPECT_FALSE(blocks(found, std::nullopt));
  EXPECT_FALSE(blocks({}, Severity::kUnknown));
  EXPECT_FALSE(blocks({finding("CVE-1-2", Severity::kUnknown)}, Severity::kNegligible));
  EXPECT_TRUE(blocks({finding("CVE-1-2", Severity::kUnknown)}, Severity::kUnknown));
}

TEST(ParseSeveritiesTest, ReadsAListInAnyLetters) {
  EXPECT_THAT(parse_severities("HIGH,critical,High").value(), ElementsAre(Severity::kHigh, Severity::kCritical));
  for (const char* list : {"", "HIGH,", ",HIGH", "HIGH CRITICAL", "severe"}) {
    const auto made = parse_severities(list);
    ASSERT_FALSE(made) << list;
    EXPECT_EQ(made.error().kind(), ErrorKind::kInvalid);
    EXPECT_THAT(made.error().hint(), HasSubstr("critical"));
  }
}

}  // namespace
}  // namespace slipway::scan
