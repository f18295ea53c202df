// Vectors as the NVD and others have published them, with the scores that they gave beside them.
#include <string_view>

#include <gtest/gtest.h>

#include "feeds/cvss/cvss.h"

namespace slipway::feeds {
namespace {

struct Published {
  std::string_view vector;
  double base;
};

void expect_published(const Published& given, CvssVersion version) {
  const auto cvss = score_cvss(given.vector);
  ASSERT_TRUE(cvss) << cvss.error().describe();
  EXPECT_EQ(cvss->version, version) << given.vector;
  EXPECT_EQ(cvss->base, given.base) << given.vector;
  EXPECT_EQ(cvss->score, given.base) << given.vector;
}

constexpr Published kV2[] = {
    {"AV:N/AC:L/Au:N/C:N/I:N/A:N", 0.0}, {"AV:L/AC:H/Au:M/C:P/I:N/A:N", 0.8}, {"AV:L/AC:H/Au:S/C:P/I:N/A:N", 1.0},
    {"AV:A/AC:H/Au:S/C:P/I:N/A:N", 1.4}, {"AV:L/AC:L/Au:S/C:N/I:P/A:N", 1.7}, {"AV:L/AC:M/Au:N/C:P/I:N/A:N", 1.9},
    {"AV:L/AC:L/Au:N/C:P/I:N/A:N", 2.1}, {"AV:N/AC:H/Au:N/C:P/I:N/A:N", 2.6}, {"AV:A/AC:L/Au:S/C:N/I:P/A:N", 2.7},
    {"AV:L/AC:L/Au:S/C:N/I:P/A:P", 3.2}, {"AV:N/AC:L/Au:M/C:N/I:P/A:N", 3.3}, {"AV:L/AC:L/Au:N/C:P/I:P/A:N", 3.6},
    {"AV:L/AC:H/Au:N/C:P/I:P/A:P", 3.7}, {"AV:N/AC:M/Au:N/C:N/I:N/A:P", 4.3}, {"AV:L/AC:M/Au:N/C:P/I:P/A:P", 4.4},
    {"AV:A/AC:L/Au:M/C:P/I:P/A:P", 4.7}, {"AV:A/AC:L/Au:N/C:P/I:P/A:N", 4.8}, {"AV:N/AC:L/Au:N/C:N/I:N/A:P", 5.0},
    {"AV:N/AC:H/Au:N/C:P/I:P/A:P", 5.1}, {"AV:A/AC:L/Au:S/C:P/I:P/A:P", 5.2}, {"AV:N/AC:L/Au:M/C:P/I:P/A:P", 5.8},
    {"AV:N/AC:M/Au:S/C:P/I:P/A:P", 6.0}, {"AV:L/AC:L/Au:S/C:C/I:N/A:C", 6.2}, {"AV:L/AC:M/Au:N/C:C/I:C/A:N", 6.3},
    {"AV:N/AC:L/Au:S/C:P/I:P/A:P", 6.5}, {"AV:L/AC:L/Au:N/C:C/I:C/A:N", 6.6}, {"AV:L/AC:M/Au:N/C:C/I:C/A:C", 6.9},
    {"AV:N/AC:M/Au:N/C:N/I:N/A:C", 7.1}, {"AV:N/AC:L/Au:N/C:P/I:P/A:P", 7.5}, {"AV:N/AC:H/Au:N/C:C/I:C/A:C", 7.6},
    {"AV:N/AC:L/Au:N/C:N/I:N/A:C", 7.8}, {"AV:A/AC:M/Au:N/C:C/I:C/A:C", 7.9}, {"AV:N/AC:M/Au:S/C:C/I:C/A:C", 8.5},
    {"AV:N/AC:M/Au:N/C:N/I:C/A:C", 8.8}, {"AV:N/AC:M/Au:N/C:C/I:C/A:C", 9.3}, {"AV:N/AC:L/Au:N/C:C/I:C/A:N", 9.4},
};

constexpr Published kV30[] = {
    {"CVSS:3.0/AV:L/AC:H/PR:H/UI:R/S:U/C:N/I:N/A:N", 0.0}, {"CVSS:3.0/AV:P/AC:H/PR:H/UI:N/S:U/C:L/I:N/A:N", 1.6},
    {"CVSS:3.0/AV:P/AC:L/PR:L/UI:R/S:U/C:L/I:N/A:N", 1.9}, {"CVSS:3.0/AV:N/AC:H/PR:H/UI:N/S:U/C:N/I:N/A:L", 2.2},
    {"CVSS:3.0/AV:N/AC:L/PR:H/UI:R/S:U/C:N/I:L/A:N", 2.4}, {"CVSS:3.0/AV:A/AC:H/PR:L/UI:N/S:U/C:L/I:N/A:N", 2.6},
    {"CVSS:3.0/AV:L/AC:L/PR:H/UI:R/S:C/C:N/I:L/A:N", 2.8}, {"CVSS:3.0/AV:N/AC:H/PR:N/UI:R/S:U/C:L/I:N/A:N", 3.1},
    {"CVSS:3.0/AV:L/AC:L/PR:N/UI:R/S:U/C:L/I:N/A:N", 3.3}, {"CVSS:3.0/AV:N/AC:L/PR:L/UI:R/S:U/C:N/I:L/A:N", 3.5},
    {"CVSS:3.0/AV:N/AC:L/PR:H/UI:N/S:U/C:N/I:L/A:L", 3.8}, {"CVSS:3.0/AV:L/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:L", 4.0},
    {"CVSS:3.0/AV:P/AC:H/PR:N/UI:N/S:U/C:H/I:N/A:N", 4.2}, {"CVSS:3.0/AV:L/AC:L/PR:L/UI:N/S:U/C:L/I:L/A:N", 4.4},
    {"CVSS:3.0/AV:A/AC:H/PR:L/UI:N/S:U/C:L/I:L/A:L", 4.6}, {"CVSS:3.0/AV:N/AC:L/PR:H/UI:R/S:C/C:L/I:L/A:N", 4.8},
    {"CVSS:3.0/AV:A/AC:H/PR:N/UI:N/S:U/C:L/I:L/A:L", 5.0}, {"CVSS:3.0/AV:L/AC:L/PR:H/UI:R/S:C/C:L/I:L/A:L", 5.2},
    {"CVSS:3.0/AV:N/AC:L/PR:L/UI:N/S:U/C:L/I:L/A:N", 5.4}, {"CVSS:3.0/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:L/A:L", 5.6},
    {"CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:C/C:N/I:L/A:N", 5.8}, {"CVSS:3.0/AV:N/AC:H/PR:N/UI:N/S:U/C:N/I:N/A:H", 5.9},
    {"CVSS:3.0/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N", 6.1}, {"CVSS:3.0/AV:N/AC:L/PR:L/UI:N/S:U/C:L/I:L/A:L", 6.3},
    {"CVSS:3.0/AV:N/AC:L/PR:L/UI:N/S:U/C:N/I:N/A:H", 6.5}, {"CVSS:3.0/AV:A/AC:L/PR:L/UI:R/S:U/C:H/I:H/A:N", 6.7},
    {"CVSS:3.0/AV:L/AC:H/PR:L/UI:N/S:U/C:H/I:H/A:H", 7.0}, {"CVSS:3.0/AV:N/AC:L/PR:H/UI:N/S:U/C:H/I:H/A:H", 7.2},
    {"CVSS:3.0/AV:N/AC:L/PR:N/UI:R/S:C/C:H/I:N/A:N", 7.4}, {"CVSS:3.0/AV:N/AC:L/PR:L/UI:N/S:U/C:L/I:H/A:L", 7.6},
    {"CVSS:3.0/AV:L/AC:L/PR:N/UI:R/S:U/C:H/I:H/A:H", 7.8}, {"CVSS:3.0/AV:N/AC:L/PR:L/UI:R/S:U/C:H/I:H/A:H", 8.0},
    {"CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:L/A:N", 8.2}, {"CVSS:3.0/AV:A/AC:L/PR:H/UI:N/S:C/C:H/I:H/A:H", 8.4},
    {"CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:C/C:N/I:N/A:H", 8.6}, {"CVSS:3.0/AV:A/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", 8.8},
    {"CVSS:3.0/AV:N/AC:H/PR:N/UI:N/S:C/C:H/I:H/A:H", 9.0}, {"CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:L/A:N", 9.3},
    {"CVSS:3.0/AV:A/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H", 9.6}, {"CVSS:3.0/AV:N/AC:L/PR:L/UI:N/S:C/C:H/I:H/A:L", 9.9},
};

constexpr Published kV31[] = {
    {"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N", 0.0}, {"CVSS:3.1/AV:P/AC:H/PR:L/UI:R/S:U/C:L/I:N/A:N", 1.7},
    {"CVSS:3.1/AV:L/AC:H/PR:H/UI:N/S:U/C:L/I:N/A:N", 1.9}, {"CVSS:3.1/AV:A/AC:L/PR:H/UI:R/S:U/C:L/I:N/A:N", 2.1},
    {"CVSS:3.1/AV:L/AC:L/PR:H/UI:N/S:U/C:L/I:N/A:N", 2.3}, {"CVSS:3.1/AV:L/AC:H/PR:N/UI:R/S:U/C:N/I:L/A:N", 2.5},
    {"CVSS:3.1/AV:N/AC:L/PR:H/UI:N/S:U/C:L/I:N/A:N", 2.7}, {"CVSS:3.1/AV:L/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N", 2.9},
    {"CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:N/I:N/A:L", 3.1}, {"CVSS:3.1/AV:L/AC:L/PR:L/UI:N/S:U/C:L/I:N/A:N", 3.3},
    {"CVSS:3.1/AV:L/AC:H/PR:L/UI:N/S:U/C:L/I:L/A:N", 3.6}, {"CVSS:3.1/AV:L/AC:L/PR:L/UI:N/S:C/C:L/I:N/A:N", 3.8},
    {"CVSS:3.1/AV:P/AC:H/PR:N/UI:R/S:U/C:H/I:N/A:N", 4.0}, {"CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:L/I:L/A:N", 4.2},
    {"CVSS:3.1/AC:L/AV:L/A:N/C:H/I:N/PR:H/S:U/UI:N", 4.4}, {"CVSS:3.1/AV:N/AC:L/PR:L/UI:R/S:U/C:N/I:L/A:L", 4.6},
    {"CVSS:3.1/AV:N/AC:L/PR:H/UI:R/S:C/C:L/I:L/A:N", 4.8}, {"CVSS:3.1/AV:N/AC:H/PR:H/UI:N/S:U/C:N/I:L/A:H", 5.0},
    {"CVSS:3.1/AV:N/AC:L/PR:H/UI:R/S:U/C:H/I:L/A:N", 5.2}, {"CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:U/C:L/I:L/A:N", 5.4},
    {"CVSS:3.1/AV:N/AC:L/PR:L/UI:R/S:U/C:H/I:N/A:N", 5.7}, {"CVSS:3.1/AV:N/AC:L/PR:H/UI:R/S:C/C:L/I:L/A:L", 5.9},
    {"CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N", 6.1}, {"CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:U/C:L/I:L/A:L", 6.3},
    {"CVSS:3.1/AV:N/AC:L/PR:L/UI:R/S:C/C:L/I:L/A:L", 6.5}, {"CVSS:3.1/AV:L/AC:H/PR:L/UI:R/S:U/C:H/I:H/A:H", 6.7},
    {"CVSS:3.1/AV:A/AC:L/PR:L/UI:R/S:C/C:H/I:L/A:N", 6.9}, {"CVSS:3.1/AV:L/AC:L/PR:L/UI:N/S:U/C:H/I:N/A:H", 7.1},
    {"CVSS:3.1/AV:L/AC:L/PR:L/UI:N/S:U/C:L/I:H/A:H", 7.3}, {"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:H/A:N", 7.5},
    {"CVSS:3.1/AV:L/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H", 7.8}, {"CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:C/C:H/I:H/A:N", 8.0},
    {"CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:H/I:L/A:N", 8.2}, {"CVSS:3.1/AV:L/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", 8.4},
    {"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:N/I:N/A:H", 8.6}, {"CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H", 8.8},
    {"CVSS:3.1/AV:N/AC:L/PR:L/UI:R/S:C/C:H/I:H/A:H", 9.0}, {"CVSS:3.1/AV:L/AC:L/PR:N/UI:N/S:C/C:L/I:H/A:H", 9.2},
    {"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:L", 9.4}, {"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", 9.8},
};

TEST(CvssPublishedTest, Version2) {
  for (const auto& given : kV2) expect_published(given, CvssVersion::k2);
}

TEST(CvssPublishedTest, Version30) {
  for (const auto& given : kV30) expect_published(given, CvssVersion::k30);
}

TEST(CvssPublishedTest, Version31) {
  for (const auto& given : kV31) expect_published(given, CvssVersion::k31);
}

}  // namespace
}  // namespace slipway::feeds
