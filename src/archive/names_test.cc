#include "archive/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::archive {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NamesTest, DotsAndSlashesMeanNothing) {
  EXPECT_THAT(take_apart("././a//b/./c/").parts, ElementsAre("a", "b", "c"));
  EXPECT_THAT(take_apart("./").parts, IsEmpty());
  EXPECT_THAT(take_apart(".").parts, IsEmpty());
}

TEST(NamesTest, ParentsAreWorkedOutAndNeverPassTheRoot) {
  EXPECT_THAT(take_apart("a/../b").parts, ElementsAre("b"));
  EXPECT_FALSE(take_apart("a/../b").leaves_root);
  for (const char* name : {"..", "../a", "a/../../b", "./../a", "a/b/../../../c", "/../a"}) {
    EXPECT_TRUE(take_apart(name).leaves_root) << name;
  }
  EXPECT_THAT(take_apart("../../etc/passwd").parts, ElementsAre("etc", "passwd"));
  EXPECT_THAT(take_apart("...").parts, ElementsAre("..."));
  EXPECT_FALSE(take_apart("..a/b..").leaves_root);
}

TEST(NamesTest, AbsoluteNamesAreSeen) {
  EXPECT_TRUE(take_apart("/etc").absolute);
  EXPECT_TRUE(take_apart("//etc").absolute);
  EXPECT_FALSE(take_apart("./etc").absolute);
}

TEST(NamesTest, NamesThatNoFileCanHaveAreBad) {
  using namespace std::string_literals;
  EXPECT_NE(take_apart("").bad, "");
  EXPECT_NE(take_apart("a\0b"s).bad, "");
  EXPECT_EQ(take_apart(std::string(255, 'n')).bad, "");
  EXPECT_NE(take_apart(std::string(256, 'n')).bad, "");
  std::string deep;
  while (deep.size() + 2 <= kMaxName) deep += "d/";
  EXPECT_NE(take_apart(deep).bad, "");
  EXPECT_NE(take_apart(std::string(kMaxName + 1, '/')).bad, "");
}

TEST(NamesTest, LinksThatLeadOutAreSeenByTheirText) {
  EXPECT_FALSE(leads_out("../b", 1));
  EXPECT_TRUE(leads_out("../b", 0));
  EXPECT_TRUE(leads_out("../../b", 1));
  EXPECT_TRUE(leads_out("x/../../b", 0));
  EXPECT_FALSE(leads_out("/etc/passwd", 5));
  EXPECT_TRUE(leads_out("/../etc/passwd", 5));
}

TEST(NamesTest, WhiteoutsHaveTwoFormsAndManyLookalikes) {
  const auto form = [](std::string_view name) { return whiteout_form(take_apart(name).parts); };
  EXPECT_EQ(form("a/.wh.b"), WhiteoutForm::kHides);
  EXPECT_EQ(form(".wh.b"), WhiteoutForm::kHides);
  EXPECT_EQ(form("a/.wh..wh..opq"), WhiteoutForm::kOpaque);
  EXPECT_EQ(form(".wh..hidden"), WhiteoutForm::kHides);
  for (const char* name : {".wh.", ".wh..", ".wh...", ".wh..wh.plnk", ".wh..wh.aufs", ".wh..wh.orph/x", "a/.wh.b/c"}) {
    EXPECT_EQ(form(name), WhiteoutForm::kReserved) << name;
  }
  EXPECT_EQ(form(".whatever"), WhiteoutForm::kNone);
  EXPECT_EQ(form("a.wh.b"), WhiteoutForm::kNone);
  EXPECT_EQ(form("./"), WhiteoutForm::kNone);
}

}  // namespace
}  // namespace slipway::archive
