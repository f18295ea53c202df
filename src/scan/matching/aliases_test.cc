#include "scan/matching/aliases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::scan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SameThings, AreThoseThatShareANameDirectlyOrOverOthers) {
  EXPECT_THAT(same_things({{"CVE-1", "GHSA-1"}, {"PYSEC-1", "GHSA-1"}, {"CVE-2"}, {"PYSEC-1"}}),
              ElementsAre(ElementsAre(0, 1, 3), ElementsAre(2)));
  EXPECT_THAT(same_things({{"a"}, {"b"}, {"a", "b"}}), ElementsAre(ElementsAre(0, 1, 2)));
  EXPECT_THAT(same_things({}), IsEmpty());
}

TEST(BestName, IsTheLowestCveThenGitHubs) {
  EXPECT_EQ(best_name({"CVE-2021-10000", "CVE-2021-9999", "GHSA-x"}), "CVE-2021-9999");
  EXPECT_EQ(best_name({"CVE-2022-1000", "CVE-2021-20000"}), "CVE-2021-20000");
  EXPECT_EQ(best_name({"PYSEC-1", "GHSA-x"}), "GHSA-x");
  EXPECT_EQ(best_name({"RUSTSEC-2", "RUSTSEC-1"}), "RUSTSEC-1");
  EXPECT_EQ(best_name({}), "");
}

}  // namespace
}  // namespace slipway::scan
