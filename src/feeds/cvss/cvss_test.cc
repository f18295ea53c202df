#include "feeds/cvss/cvss.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::feeds {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::string_view kV2 = "AV:N/AC:L/Au:N/C:P/I:P/A:P";
constexpr std::string_view kV3 = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H";
constexpr std::string_view kV4 = "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N";

struct Example {
  std::string_view vector;
  double base;
  double score;
};

void expect_examples(std::span<const Example> examples) {
  for (const auto& given : examples) {
    const auto cvss = score_cvss(given.vector);
    ASSERT_TRUE(cvss) << cvss.error().describe();
    EXPECT_EQ(cvss->base, given.base) << given.vector;
    EXPECT_EQ(cvss->score, given.score) << given.vector;
  }
}

std::string refusal(std::string_view vector) {
  const auto cvss = score_cvss(vector);
  if (cvss) return fmt::format("{} was taken, as {}", vector, cvss->score);
  EXPECT_EQ(cvss.error().kind(), ErrorKind::kInvalid);
  return cvss.error().describe();
}

// The guide's three examples (section 3.3), each with its temporal and environmental scores.
TEST(CvssTest, TheGuidesExamplesOfVersion2) {
  constexpr Example kExamples[] = {
      {"AV:N/AC:L/Au:N/C:N/I:N/A:C", 7.8, 7.8},
      {"AV:N/AC:L/Au:N/C:N/I:N/A:C/E:F/RL:OF/RC:C", 7.8, 6.4},
      {"AV:N/AC:L/Au:N/C:N/I:N/A:C/E:F/RL:OF/RC:C/CDP:N/TD:N/CR:M/IR:M/AR:H", 7.8, 0.0},
      {"AV:N/AC:L/Au:N/C:N/I:N/A:C/E:F/RL:OF/RC:C/CDP:H/TD:H/CR:M/IR:M/AR:H", 7.8, 9.2},
      {"AV:N/AC:L/Au:N/C:C/I:C/A:C/E:F/RL:OF/RC:C", 10.0, 8.3},
      {"AV:N/AC:L/Au:N/C:C/I:C/A:C/E:F/RL:OF/RC:C/CDP:H/TD:H/CR:M/IR:M/AR:L", 10.0, 9.0},
      {"AV:L/AC:H/Au:N/C:C/I:C/A:C/E:POC/RL:OF/RC:C", 6.2, 4.9},
      {"AV:L/AC:H/Au:N/C:C/I:C/A:C/E:POC/RL:OF/RC:C/CDP:H/TD:H/CR:M/IR:M/AR:M", 6.2, 7.5},
  };
  expect_examples(kExamples);
}

TEST(CvssTest, ACompleteImpactOfVersion2IsCutAtTenOnlyWithRequirements) {
  constexpr Example kExamples[] = {
      {"AV:L/AC:L/Au:N/C:C/I:C/A:C", 7.2, 7.2},
      {"AV:L/AC:L/Au:N/C:C/I:C/A:C/CR:M", 7.2, 7.1},
  };
  expect_examples(kExamples);
}

TEST(CvssTest, NoScoreOfVersion2IsBelowZero) {
  constexpr Example kExamples[] = {{"AV:L/AC:H/Au:M/C:P/I:N/A:N/CR:L", 0.8, 0.0}};
  expect_examples(kExamples);
}

// Vectors that the CVE List has with these scores: of 3.1 all, of 3.0 most. The two versions agree on them.
TEST(CvssTest, CommonVectorsOfVersion3) {
  constexpr Example kExamples[] = {
      {"AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N", 6.1, 6.1}, {"AV:N/AC:L/PR:L/UI:N/S:C/C:L/I:L/A:N", 6.4, 6.4},
      {"AV:N/AC:H/PR:N/UI:R/S:U/C:L/I:N/A:N", 3.1, 3.1}, {"AV:N/AC:L/PR:L/UI:N/S:C/C:H/I:H/A:H", 9.9, 9.9},
      {"AV:L/AC:L/PR:H/UI:N/S:U/C:L/I:L/A:L", 4.2, 4.2}, {"AV:N/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H", 8.8, 8.8},
      {"AV:L/AC:L/PR:N/UI:R/S:U/C:H/I:H/A:H", 7.8, 7.8}, {"AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N", 7.5, 7.5},
      {"AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", 9.8, 9.8}, {"AV:N/AC:H/PR:N/UI:N/S:C/C:N/I:H/A:N", 6.8, 6.8},
      {"AV:P/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", 6.8, 6.8}, {"AV:N/AC:L/PR:N/UI:N/S:C/C:L/I:N/A:N", 5.8, 5.8},
      {"AV:N/AC:L/PR:L/UI:R/S:C/C:L/I:L/A:N", 5.4, 5.4}, {"AV:P/AC:L/PR:N/UI:N/S:U/C:N/I:H/A:N", 4.6, 4.6},
      {"AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:N", 7.4, 7.4}, {"AV:N/AC:L/PR:N/UI:R/S:C/C:H/I:H/A:H", 9.6, 9.6},
  };
  for (const auto& example : kExamples) {
    for (const auto* prefix : {"CVSS:3.0/", "CVSS:3.1/"}) {
      const auto vector = prefix + std::string(example.vector);
      expect_examples(std::array{Example{vector, example.base, example.score}});
    }
  }
}

// As publishers gave both scores beside these.
TEST(CvssTest, TemporalScoresOfVersion3) {
  constexpr Example kExamples[] = {
      {"CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:U/C:N/I:L/A:L/E:F/RL:X/RC:X", 5.4, 5.3},
      {"CVSS:3.1/AV:A/AC:H/PR:N/UI:R/S:U/C:H/I:N/A:H/E:P/RL:X/RC:C", 6.4, 6.1},
      {"CVSS:3.1/AV:L/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H/E:P/RL:X/RC:R", 7.8, 7.1},
      {"CVSS:3.1/AV:A/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N/E:P/RL:O/RC:U", 4.3, 3.6},
      {"CVSS:3.1/AV:A/AC:H/PR:H/UI:N/S:C/C:N/I:L/A:N/E:X/RL:X/RC:X", 2.6, 2.6},
  };
  expect_examples(kExamples);
}

// 3.1 has another formula for a changed scope in an environment; some publish its score as the base score.
TEST(CvssTest, TheEnvironmentOfVersion3) {
  constexpr Example kExamples[] = {
      {"CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:C/C:H/I:H/A:H", 9.0, 9.0},
      {"CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:C/C:H/I:H/A:H/CR:M", 9.0, 9.1},
      {"CVSS:3.0/AV:N/AC:H/PR:N/UI:N/S:C/C:H/I:H/A:H/CR:M", 9.0, 9.0},
      {"CVSS:3.1/AV:N/AC:L/PR:H/UI:R/S:C/C:H/I:H/A:H/MAV:X/IR:M", 8.4, 8.5},
      {"CVSS:3.1/AV:P/AC:H/PR:H/UI:R/S:U/C:N/I:N/A:N/MAV:N/MAC:L/MPR:N/MUI:N/MC:H/MI:H/MA:H", 0.0, 9.8},
      {"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H/MC:N/MI:N/MA:N", 9.8, 0.0},
  };
  expect_examples(kExamples);
}

TEST(CvssTest, SeveritiesFollowTheScoreAndTheVersion) {
  EXPECT_EQ(severity_of(CvssVersion::k2, 0.0), Severity::kLow);
  EXPECT_EQ(severity_of(CvssVersion::k2, 3.9), Severity::kLow);
  EXPECT_EQ(severity_of(CvssVersion::k2, 4.0), Severity::kMedium);
  EXPECT_EQ(severity_of(CvssVersion::k2, 6.9), Severity::kMedium);
  EXPECT_EQ(severity_of(CvssVersion::k2, 7.0), Severity::kHigh);
  EXPECT_EQ(severity_of(CvssVersion::k2, 10.0), Severity::kHigh);
  for (const auto version : {CvssVersion::k30, CvssVersion::k31, CvssVersion::k4}) {
    EXPECT_EQ(severity_of(version, 0.0), Severity::kNone);
    EXPECT_EQ(severity_of(version, 0.1), Severity::kLow);
    EXPECT_EQ(severity_of(version, 3.9), Severity::kLow);
    EXPECT_EQ(severity_of(version, 4.0), Severity::kMedium);
    EXPECT_EQ(severity_of(version, 7.0), Severity::kHigh);
    EXPECT_EQ(severity_of(version, 8.9), Severity::kHigh);
    EXPECT_EQ(severity_of(version, 9.0), Severity::kCritical);
  }
  const auto lowered = score_cvss("CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:C/C:H/I:H/A:H/E:P/RL:U/RC:C");
  ASSERT_TRUE(lowered);
  EXPECT_EQ(lowered->base, 9.0);
  EXPECT_EQ(lowered->severity, Severity::kHigh);  // of 8.5
}

TEST(CvssTest, NamesAreThoseOfThePublishers) {
  EXPECT_EQ(to_string(CvssVersion::k2), "2.0");
  EXPECT_EQ(to_string(CvssVersion::k30), "3.0");
  EXPECT_EQ(to_string(CvssVersion::k31), "3.1");
  EXPECT_EQ(to_string(CvssVersion::k4), "4.0");
  EXPECT_EQ(to_string(Severity::kNone), "NONE");
  EXPECT_EQ(to_string(Severity::kLow), "LOW");
  EXPECT_EQ(to_string(Severity::kMedium), "MEDIUM");
  EXPECT_EQ(to_string(Severity::kHigh), "HIGH");
  EXPECT_EQ(to_string(Severity::kCritical), "CRITICAL");
}

TEST(CvssTest, ParenthesesAndAnotherOrderChangeNothing) {
  const auto bare = score_cvss(kV2);
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->version, CvssVersion::k2);
  EXPECT_EQ(score_cvss("(AV:N/AC:L/Au:N/C:P/I:P/A:P)"), bare);
  EXPECT_EQ(score_cvss("A:P/I:P/C:P/Au:N/AC:L/AV:N"), bare);
  EXPECT_EQ(score_cvss("CVSS:3.1/A:H/C:H/I:H/S:U/UI:N/PR:N/AC:L/AV:N"), score_cvss(kV3));
  EXPECT_EQ(score_cvss("CVSS:4.0/SA:N/SI:N/SC:N/VA:H/VI:H/VC:H/UI:N/PR:N/AT:N/AC:L/AV:N"), score_cvss(kV4));
}

TEST(CvssTest, ARefusalNamesVectorMetricAndRule) {
  EXPECT_THAT(refusal("CVSS:3.1/AC:L/A:H/C:H/I:H/PR:N/S:U/UI:N"),
              AllOf(HasSubstr("CVSS:3.1/AC:L/A:H"), HasSubstr("metric AV is missing")));
  EXPECT_THAT(refusal(std::string(kV3) + "/C:H"), HasSubstr("metric C is given twice"));
  EXPECT_THAT(refusal(std::string(kV3) + "/Q:H"), HasSubstr("no metric \"Q\""));
  EXPECT_THAT(refusal("CVSS:3.1/AV:X/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"),
              HasSubstr("metric AV is \"X\", but must be one of N A L P"));
  EXPECT_THAT(refusal("CVSS:3.2/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"), HasSubstr("must begin with"));
  EXPECT_THAT(refusal("AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"),
              AllOf(HasSubstr("no metric \"PR\""), HasSubstr("read as of version 2")));
  EXPECT_THAT(refusal("(AV:N/AC:L/Au:N/C:P/I:P/A:P"), HasSubstr("not closed"));
  EXPECT_THAT(refusal("6.2/CVSS:3.1/AV:L/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N"), HasSubstr("\"6.2\" is no metric"));
}

TEST(CvssTest, EachBaseMetricIsNeeded) {
  for (const auto vector : {kV2, kV3, kV4}) {
    int left_out = 0;
    for (std::size_t at = vector.starts_with("CVSS:") ? 9 : 0; at < vector.size();) {
      const auto end = std::min(vector.find('/', at), vector.size());
      auto without = std::string(vector.substr(0, at));
      if (end < vector.size()) {
        without += vector.substr(end + 1);
      } else {
        without.pop_back();  // the slash
      }
      EXPECT_THAT(refusal(without), HasSubstr("is missing")) << without;
      ++left_out;
      at = end + 1;
    }
    EXPECT_EQ(left_out, vector == kV2 ? 6 : vector == kV3 ? 8 : 11);
  }
}

TEST(CvssTest, NothingIsMended) {
  const std::string v2(kV2), v3(kV3), v4(kV4);
  for (const auto& bad : {std::string(),
                          std::string("/"),
                          std::string("()"),
                          std::string("("),
                          std::string("medium"),
                          v2 + "/",
                          "/" + v2,
                          v2 + ")",
                          " " + v2,
                          v2 + "\n",
                          v3 + "/",
                          v3 + "//E:P",
                          v3 + "/E",
                          v3 + "/E:",
                          v3 + "/:P",
                          v3 + "/E:P:P",
                          v3 + "/e:P",
                          v3 + "/E:p",
                          "(" + v3 + ")",
                          v3 + "/E:ND",
                          v2 + "/E:X",
                          v4 + "/RL:O",
                          v4 + "/E:F",
                          v3 + "/MAT:N",
                          v3 + std::string(1, '\0'),
                          std::string("CVSS:3.1/"),
                          std::string("CVSS:2.0/") + v2,
                          std::string("cvss:3.1/") + v3.substr(9),
                          std::string("CVSS:3.1/ND:X")}) {
    EXPECT_FALSE(score_cvss(bad)) << bad;
  }
}

TEST(CvssTest, AHugeVectorIsRefusedUnread) {
  std::string huge(kV3);
  while (huge.size() <= 10'000'000) huge += "/E:P";
  const auto text = refusal(huge);
  EXPECT_THAT(text, HasSubstr("256 is the most"));
  EXPECT_LT(text.size(), 200U);
}

TEST(CvssTest, TheLongestVectorsThereAreFit) {
  const std::string all = std::string(kV4) +
                          "/E:A/CR:H/IR:H/AR:H/MAV:N/MAC:L/MAT:N/MPR:N/MUI:N/MVC:H/MVI:H/MVA:H/MSC:H/MSI:S/MSA:S"
                          "/S:P/AU:Y/R:I/V:C/RE:H/U:Clear";
  EXPECT_LE(all.size(), kLongestCvssVector);
  const auto cvss = score_cvss(all);
  ASSERT_TRUE(cvss) << cvss.error().describe();
  EXPECT_EQ(cvss->score, 10.0);
  EXPECT_EQ(cvss->base, 9.3);
}

}  // namespace
}  // namespace slipway::feeds
