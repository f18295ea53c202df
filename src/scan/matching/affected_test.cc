#include "scan/matching/affected.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace slipway::scan {
namespace {

feeds::Affected by_ranges(std::string ranges, std::string fixed = {}) {
  return {.status = "affected", .fixed = std::move(fixed), .ranges = std::move(ranges)};
}

Answer answer(const std::string& events, std::string_view version, VersionScheme scheme = VersionScheme::kSemver) {
  const auto json = R"({"ranges":[{"type":"SEMVER","events":[)" + events + "]}]}";
  return applies(by_ranges(json), scheme, version).answer;
}

TEST(Applies, ARangeHoldsWhatIsBetweenItsEvents) {
  const std::string events = R"({"introduced":"1.2.0"},{"fixed":"1.4.1"})";
  EXPECT_EQ(answer(events, "1.1.9"), Answer::kNo);
  EXPECT_EQ(answer(events, "1.2.0"), Answer::kYes);
  EXPECT_EQ(answer(events, "1.4.0"), Answer::kYes);
  EXPECT_EQ(answer(events, "1.4.1"), Answer::kNo);
  EXPECT_EQ(answer(R"({"introduced":"0"})", "0.0.0-0"), Answer::kYes) << "from the very beginning, without end";
  EXPECT_EQ(answer(R"({"introduced":"0"},{"last_affected":"2.0.0"})", "2.0.0"), Answer::kYes);
  EXPECT_EQ(answer(R"({"introduced":"0"},{"last_affected":"2.0.0"})", "2.0.1"), Answer::kNo);
  EXPECT_EQ(answer(R"({"introduced":"0"},{"limit":"2.0.0"})", "2.0.0"), Answer::kNo);
  EXPECT_EQ(answer(R"({"introduced":"0"},{"limit":"*"})", "9.0.0"), Answer::kYes);
}

TEST(Applies, EventsMayStandInAnyOrderAndRepeat) {
  const std::string events = R"({"fixed":"3.0.1"},{"introduced":"3.0.0"},{"fixed":"1.5.0"},{"introduced":"0"})";
  EXPECT_EQ(answer(events, "1.4.9"), Answer::kYes);
  EXPECT_EQ(answer(events, "2.0.0"), Answer::kNo);
  EXPECT_EQ(answer(events, "3.0.0"), Answer::kYes);
  EXPECT_EQ(answer(events, "3.0.1"), Answer::kNo);
}

TEST(Applies, TheFixIsThatOfTheRangeThatTheVersionIsIn) {
  const auto said = by_ranges(
      R"({"ranges":[{"type":"ECOSYSTEM","events":[{"introduced":"0"},{"fixed":"1.5"},{"introduced":"2.0"},{"fixed":"2.7"}]}]})");
  const auto old = applies(said, VersionScheme::kPep440, "1.0");
  EXPECT_EQ(old.fixed, "1.5");
  EXPECT_EQ(old.status, FixStatus::kFixed);
  EXPECT_EQ(applies(said, VersionScheme::kPep440, "2.1").fixed, "2.7");
}

TEST(Applies, AListOfVersionsCountsBesideTheRanges) {
  const auto said = by_ranges(R"({"ranges":[],"versions":["1.0","1.1"]})", "1.2");
  EXPECT_EQ(applies(said, VersionScheme::kPep440, "1.1.0").answer, Answer::kYes) << "1.1.0 is 1.1 in Python";
  EXPECT_EQ(applies(said, VersionScheme::kPep440, "1.1").fixed, "1.2");
  EXPECT_EQ(applies(said, VersionScheme::kPep440, "1.2").answer, Answer::kNo);
  EXPECT_EQ(applies(by_ranges(R"({"ranges":[]})"), VersionScheme::kPep440, "1").answer, Answer::kNo);
}

TEST(Applies, AListedVersionMayBeSpelledInAnotherWay) {
  const auto said = by_ranges(R"({"ranges":[],"versions":["v2.0","1!3.0","0.9","10.1","4.0rc1","5.0.post1"]})");
  for (const auto* same : {"2.0.0", "2", "1!3", "0.9.0", "10.1.0", "010.01", "4rc1", "4.0.0.rc1", "5-1"}) {
    EXPECT_EQ(applies(said, VersionScheme::kPep440, same).answer, Answer::kYes) << same;
  }
  for (const auto* other : {"20.0", "3.0", "0.90", "1.1", "4.0", "4.0.1rc1", "5.0.1"}) {
    EXPECT_EQ(applies(said, VersionScheme::kPep440, other).answer, Answer::kNo) << other;
  }
}

TEST(Applies, AListedVersionIsNotFixedByAnOlderOne) {
  const auto said = by_ranges(R"({"ranges":[],"versions":["2.0.0"]})", "1.0.0");
  const auto found = applies(said, VersionScheme::kSemver, "2.0.0");
  EXPECT_EQ(found.answer, Answer::kYes);
  EXPECT_EQ(found.fixed, "");
  EXPECT_EQ(found.status, FixStatus::kAffected);
}

TEST(Applies, ALimitEndsTheRangeAndIsNoFix) {
  const std::string events = R"({"introduced":"0"},{"limit":"2.0.0"},{"limit":"3.0.0"})";
  EXPECT_EQ(answer(events, "2.5.0"), Answer::kYes) << "below one of them";
  EXPECT_EQ(answer(events, "3.0.0"), Answer::kNo);
  const auto said = by_ranges(R"({"ranges":[{"events":[)" + events + "]}]}");
  EXPECT_EQ(applies(said, VersionScheme::kSemver, "1.0.0").fixed, "");
}

TEST(FirstUnaffected, GoesOnUntilNoRangeHoldsTheFix) {
  const auto said = by_ranges(
      R"({"ranges":[{"events":[{"introduced":"0"},{"fixed":"1.5.0"}]},{"events":[{"introduced":"1.2.0"},{"fixed":"2.0.0"}]}]})");
  EXPECT_EQ(applies(said, VersionScheme::kSemver, "1.0.0").fixed, "1.5.0");
  EXPECT_EQ(first_unaffected({&said}, VersionScheme::kSemver, "1.5.0"), "2.0.0");
  EXPECT_EQ(first_unaffected({&said}, VersionScheme::kSemver, ""), "");
}

TEST(FirstUnaffected, IsNoneWhereAnotherKnowsOnlyTheLastAffectedAndThatIsLater) {
  const auto fix = by_ranges(R"({"ranges":[{"events":[{"introduced":"0"},{"fixed":"1.5.0"}]}]})");
  const auto last = by_ranges(R"({"ranges":[{"events":[{"introduced":"0"},{"last_affected":"1.6.0"}]}]})");
  const auto earlier = by_ranges(R"({"ranges":[{"events":[{"introduced":"0"},{"last_affected":"1.4.0"}]}]})");
  const auto endless = by_ranges(R"({"ranges":[{"events":[{"introduced":"0"}]}]})");
  EXPECT_EQ(first_unaffected({&fix, &last}, VersionScheme::kSemver, "1.5.0"), "");
  EXPECT_EQ(first_unaffected({&fix, &earlier}, VersionScheme::kSemver, "1.5.0"), "1.5.0");
  EXPECT_EQ(first_unaffected({&fix, &endless}, VersionScheme::kSemver, "1.5.0"), "1.5.0");
}

TEST(Applies, WhatCannotBeComparedIsNeitherYesNorNo) {
  EXPECT_EQ(answer(R"({"introduced":"0"},{"fixed":"1.0.0"})", "dev-main", VersionScheme::kPackagist), Answer::kUnknown);
  EXPECT_EQ(answer(R"({"introduced":"0"},{"fixed":"1.0.0"})", "not a version"), Answer::kUnknown);
  EXPECT_EQ(answer(R"({"introduced":"0"},{"fixed":"rubbish"})", "1.0.0"), Answer::kUnknown);
  EXPECT_EQ(applies(by_ranges("no json"), VersionScheme::kSemver, "1.0.0").answer, Answer::kUnknown);
}

TEST(Applies, WhatIsNoVersionIsNotPlacedBelowOrAboveAllOthers) {
  const std::string events = R"({"introduced":"1.0"},{"fixed":"3.0"})";
  using enum VersionScheme;
  for (const auto& [scheme, version] :
       std::vector<std::pair<VersionScheme, std::string>>{{kPep440, "2.0-SNAPSHOT"},
                                                          {kPep440, "unknown"},
                                                          {kMaven, "UNKNOWN"},
                                                          {kMaven, "${project.version}"},
                                                          {kMaven, "${v1}"},
                                                          {kPackagist, "x"},
                                                          {kPackagist, "1.x-dev"},
                                                          {kApk, "unknown"},
                                                          {kRpm, "UNKNOWN"}}) {
    EXPECT_EQ(answer(events, version, scheme), Answer::kUnknown) << version;
    EXPECT_EQ(answer(R"({"introduced":"0"})", version, scheme), Answer::kYes) << version << ": all are affected";
    EXPECT_EQ(applies({.status = "fixed", .fixed = "2.0"}, scheme, version).answer, Answer::kUnknown) << version;
  }
  EXPECT_EQ(answer(events, "2.0.p1-r0", kApk), Answer::kYes) << "old packages are so called";
}

TEST(Applies, ComposersVersionsHaveFourNumbers) {
  const std::string events = R"({"introduced":"1.2.0"},{"fixed":"1.5.0"})";
  for (const auto* in : {"1.2", "v1.2", "1.2.0.0", "1.2.0-stable", "1.4.9", "1.5.0-beta1"}) {
    EXPECT_EQ(answer(events, in, VersionScheme::kPackagist), Answer::kYes) << in;
  }
  for (const auto* out : {"1.5", "1.5.0.0", "1.5.0-stable", "1.1.9", "1.2-beta1"}) {
    EXPECT_EQ(answer(events, out, VersionScheme::kPackagist), Answer::kNo) << out;
  }
  const auto last = R"({"introduced":"0"},{"last_affected":"2.4"})";
  EXPECT_EQ(answer(last, "2.4.0", VersionScheme::kPackagist), Answer::kYes);
  EXPECT_EQ(answer(last, "2.4.1", VersionScheme::kPackagist), Answer::kNo);
}

TEST(Applies, WhatIsFixedAndIntroducedAgainAtOneVersionIsAsTheLastOfThemSays) {
  EXPECT_EQ(answer(R"({"introduced":"0"},{"fixed":"1.5.0"},{"introduced":"1.5.0"},{"fixed":"1.6.0"})", "1.5.0"),
            Answer::kYes);
  EXPECT_EQ(answer(R"({"introduced":"1.5.0"},{"fixed":"1.5.0"})", "1.5.0"), Answer::kNo) << "an empty range";
  EXPECT_EQ(answer(R"({"last_affected":"1.5.0"},{"introduced":"1.5.0"})", "1.5.0"), Answer::kYes);
  EXPECT_EQ(answer(R"({"last_affected":"1.5.0"},{"introduced":"1.5.0"})", "1.6.0"), Answer::kNo);
}

TEST(Applies, ADistributionSaysItInItsOwnWords) {
  const auto say = [](std::string status, std::string fixed, std::string urgency = {}) {
    return applies({.status = std::move(status), .fixed = std::move(fixed), .urgency = std::move(urgency)},
                   VersionScheme::kDpkg, "1:1.2-3");
  };
  EXPECT_EQ(say("fixed", "1:1.2-3+deb12u1").answer, Answer::kYes);
  EXPECT_EQ(say("fixed", "1:1.2-3+deb12u1").fixed, "1:1.2-3+deb12u1");
  EXPECT_EQ(say("fixed", "1:1.2-3").answer, Answer::kNo);
  EXPECT_EQ(say("fixed", "2.0-1").answer, Answer::kNo) << "the epoch counts";
  EXPECT_EQ(say("open", "").status, FixStatus::kAffected);
  EXPECT_EQ(say("open", "", "unimportant").status, FixStatus::kWillNotFix);
  EXPECT_EQ(say("end-of-life", "").status, FixStatus::kEndOfLife);
  EXPECT_EQ(say("undetermined", "").status, FixStatus::kUnderInvestigation);
  EXPECT_EQ(say("not-affected", "").answer, Answer::kNo);
  EXPECT_EQ(say("a new word", "").answer, Answer::kNo);
}

TEST(SeverityOfWord, KnowsThePublishersWordsAndNoOthers) {
  EXPECT_EQ(severity_of_word("MODERATE"), Severity::kMedium);
  EXPECT_EQ(severity_of_word("unimportant"), Severity::kNegligible);
  EXPECT_EQ(severity_of_word("low**"), Severity::kLow);
  EXPECT_EQ(severity_of_word("not yet assigned"), std::nullopt);
  EXPECT_EQ(severity_of_word(""), std::nullopt);
}

TEST(SeverityOfScore, IsThatOfTheVectorsVersion) {
  EXPECT_EQ(severity_of_score(9.8, "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"), Severity::kCritical);
  EXPECT_EQ(severity_of_score(10.0, "AV:N/AC:L/Au:N/C:C/I:C/A:C"), Severity::kHigh) << "version 2 ends at high";
  EXPECT_EQ(severity_of_score(5.0, "broken"), Severity::kMedium);
  EXPECT_EQ(severity_of_score(std::nullopt, ""), std::nullopt);
}

}  // namespace
}  // namespace slipway::scan
