// How entries and layers become one tree. Layers are given as archives, since that is how they come.
#include "archive/merger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/testing/survey_helpers.h"
#include "archive/testing/tar_builder.h"

namespace slipway::archive {
namespace {

using ::testing::HasSubstr;

std::string tree_of(const std::string& image, const Policy& policy = standard_policy()) {
  const auto seen = survey_bytes(image, policy);
  return seen ? listing(seen->tree) : "error: " + seen.error().message();
}
std::string plain(const TarBuilder& tar) { return tree_of(tar.finish()); }
std::string layers(const std::vector<TarBuilder>& tars) {
  std::vector<std::string> bytes;
  for (const TarBuilder& tar : tars) bytes.push_back(tar.finish());
  return tree_of(docker_image(bytes));
}

TEST(MergerTest, TheLastEntryOfANameWins) {
  EXPECT_EQ(plain(TarBuilder().file("a", "1").file("./a", "22", 0600)), "a 0600 2\n");
}

TEST(MergerTest, FoldersThatNobodySentAreMade) {
  EXPECT_EQ(plain(TarBuilder().file("a/b/c", "")), "a/ 0755\na/b/ 0755\na/b/c 0644 0\n");
}

TEST(MergerTest, AFolderOverAFolderKeepsWhatIsInIt) {
  EXPECT_EQ(plain(TarBuilder().folder("a", 0700).file("a/b", "").folder("a", 0711)), "a/ 0711\na/b 0644 0\n");
}

TEST(MergerTest, AFileTurnedFolderTurnedLinkTakesAllBelowAway) {
  TarBuilder tar;
  tar.file("a", "x").folder("a").file("a/b", "").folder("t").symlink("a", "t");
  EXPECT_EQ(plain(tar), "a -> t\nt/ 0755\n");
  EXPECT_EQ(plain(tar.file("a/c", "")), "a -> t\nt/ 0755\nt/c 0644 0\n");
  EXPECT_EQ(plain(tar.folder("a")), "a/ 0755\nt/ 0755\nt/c 0644 0\n");
}

TEST(MergerTest, AnEntryReplacesALinkInsteadOfWritingThroughIt) {
  EXPECT_EQ(plain(TarBuilder().file("t", "12").symlink("a", "t").file("a", "1")), "a 0644 1\nt 0644 2\n");
}

TEST(MergerTest, WritingThroughLinksStaysInside) {
  TarBuilder tar;
  tar.folder("usr").folder("usr/lib").symlink("lib64", "/usr/lib").symlink("lib", "lib64").file("lib/x", "");
  EXPECT_EQ(plain(tar), "lib -> lib64\nlib64 -> /usr/lib\nusr/ 0755\nusr/lib/ 0755\nusr/lib/x 0644 0\n");
}

TEST(MergerTest, HardLinksShareTheirFile) {
  EXPECT_EQ(plain(TarBuilder().file("a", "1").hard_link("b", "./a").hard_link("c", "b")), "a 0644 1\nb = a\nc = a\n");
  // The first name may go: the file stays.
  EXPECT_EQ(plain(TarBuilder().file("a", "1").hard_link("b", "a").file("a", "22")), "a 0644 2\nb 0644 1\n");
  EXPECT_EQ(plain(TarBuilder().file("a", "1").hard_link("a", "a")), "a 0644 1\n");
}

TEST(MergerTest, UpperLayersAddAndReplace) {
  EXPECT_EQ(layers({TarBuilder().folder("d", 0700).file("d/a", "1").file("b", ""), TarBuilder().file("d/a", "22")}),
            "b 0644 0\nd/ 0700\nd/a 0644 2\n");
}

TEST(MergerTest, WhiteoutsHideWhatIsBelow) {
  EXPECT_EQ(layers({TarBuilder().file("d/a", "").file("d/b", "").file("e/f/g", ""),
                    TarBuilder().file("d/.wh.a", "").file(".wh.e", "").file("d/.wh.none", "").file("none/.wh.x", "")}),
            "d/ 0755\nd/b 0644 0\n");
}

TEST(MergerTest, OpaqueFoldersHideAllThatIsBelow) {
  EXPECT_EQ(layers({TarBuilder().file("d/a", "").file("d/e/b", "").file("c", ""),
                    TarBuilder().folder("d", 0711).file("d/.wh..wh..opq", "").file("d/n", "")}),
            "c 0644 0\nd/ 0711\nd/n 0644 0\n");
}

TEST(MergerTest, WhiteoutsTouchOnlyLowerLayersWhereverTheyStand) {
  const TarBuilder lower = TarBuilder().file("d/a", "1").file("d/old", "");
  const std::string wanted = "d/ 0755\nd/a 0644 2\nd/new 0644 0\n";
  EXPECT_EQ(
      layers({lower, TarBuilder().file("d/a", "22").file("d/new", "").file("d/.wh..wh..opq", "").file("d/.wh.a", "")}),
      wanted);
  EXPECT_EQ(
      layers({lower, TarBuilder().file("d/.wh..wh..opq", "").file("d/.wh.a", "").file("d/a", "22").file("d/new", "")}),
      wanted);
}

TEST(MergerTest, AWhiteoutOfALinkCountsForEntriesBeforeItToo) {
  const TarBuilder lower = TarBuilder().folder("usr").folder("usr/bin").symlink("bin", "usr/bin");
  EXPECT_EQ(layers({lower, TarBuilder().file("bin/x", "").file(".wh.bin", "")}),
            "bin/ 0755\nbin/x 0644 0\nusr/ 0755\nusr/bin/ 0755\n");
}

TEST(MergerTest, MergedUsrOfALowerLayerIsWrittenThrough) {
  const TarBuilder lower = TarBuilder().folder("usr").file("usr/bin/a", "").symlink("bin", "usr/bin");
  EXPECT_EQ(layers({lower, TarBuilder().file("bin/foo", "").file("bin/.wh.a", "")}),
            "bin -> usr/bin\nusr/ 0755\nusr/bin/ 0755\nusr/bin/foo 0644 0\n");
}

TEST(MergerTest, AWhiteoutBelowAFolderThatReplacesALinkHidesNothingWhereTheLinkLed) {
  const auto lower = TarBuilder().folder("usr").folder("usr/lib").file("usr/lib/libc", "1").symlink("lib", "usr/lib");
  const std::string both = "lib/ 0755\nlib/mine 0644 0\nusr/ 0755\nusr/lib/ 0755\nusr/lib/libc 0644 1\n";
  EXPECT_EQ(layers({lower, TarBuilder().folder("lib").file("lib/.wh..wh..opq", "").file("lib/mine", "")}), both);
  EXPECT_EQ(layers({lower, TarBuilder().file("lib/.wh.libc", "").folder("lib").file("lib/mine", "")}), both);
  EXPECT_EQ(layers({lower, TarBuilder().file("lib/.wh.libc", "")}), "lib -> usr/lib\nusr/ 0755\nusr/lib/ 0755\n");
}

TEST(MergerTest, AWhiteoutInTheLowestLayerAndAForeignFormHideNothing) {
  const auto seen =
      survey_bytes(docker_image({TarBuilder().file("a", "").file(".wh.a", "").finish(),
                                 TarBuilder().folder(".wh..wh.plnk").file(".wh..wh.plnk/1.2", "").finish()}));
  ASSERT_TRUE(seen) << seen.error().message();
  EXPECT_EQ(listing(seen->tree), "a 0644 0\n");
  EXPECT_THAT(finding_list(*seen), HasSubstr("whiteouts .wh.a, whiteouts .wh..wh.plnk, whiteouts .wh..wh.plnk/1.2"));
}

TEST(MergerTest, HardLinksReachLowerLayersButNotWhatIsHidden) {
  const TarBuilder lower = TarBuilder().file("a", "1");
  EXPECT_EQ(layers({lower, TarBuilder().hard_link("b", "a")}), "a 0644 1\nb = a\n");
  EXPECT_THAT(layers({lower, TarBuilder().hard_link("b", "a").file(".wh.a", "")}), HasSubstr("rule hard_link_outside"));
}

TEST(MergerTest, SettingsThatAllowTakeNamesAsInside) {
  Policy policy = standard_policy();
  for (const char* name : {"policy_traversal", "policy_absolute_names", "policy_hard_link_symlink"}) {
    ASSERT_TRUE(set(policy, name, "record"));
  }
  TarBuilder tar;
  tar.file("../../a", "").file("/b", "").symlink("l", "a").hard_link("h", "l");
  EXPECT_EQ(tree_of(tar.finish(), policy), "a 0644 0\nb 0644 0\nh -> a\nl = h\n");
}

TEST(MergerTest, LinksDoNotMakeATreeDeeperThanAnyName) {
  std::string deep = "d";
  for (int i = 0; i < 1000; ++i) deep += "/d";
  TarBuilder tar;
  tar.long_name(deep).folder("x").long_name(deep, 'K').symlink("l", "x");
  for (int i = 0; i < 30; ++i) {
    const std::string next = "m" + std::to_string(i);
    const std::string last = i == 0 ? "l" : "m" + std::to_string(i - 1);
    tar.folder(last + "/d").symlink(next, last + "/d");
  }
  EXPECT_THAT(plain(tar), HasSubstr("stands too deep"));
}

TEST(MergerTest, AnyBytesMakeAName) {
  EXPECT_EQ(plain(TarBuilder().file("\xff\x01", "").file("\xc3\xa9", "")), "\\xc3\\xa9 0644 0\n\\xff\\x01 0644 0\n");
}

}  // namespace
}  // namespace slipway::archive
