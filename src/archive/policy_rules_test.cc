// Every row of the policy's table, at both levels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/image.h"
#include "archive/testing/survey_helpers.h"
#include "archive/testing/tar_builder.h"

namespace slipway::archive {
namespace {

using ::testing::HasSubstr;

// What must become of a root file system with one thing more in it: "" is fine and nothing said, "record RULE" a
// finding, "refuse RULE" a refusal.
struct Row {
  const char* name;
  TarBuilder tar;
  std::string standard;
  std::string strict;
};

std::string verdict(const std::string& bytes, const Policy& policy) {
  const auto seen = survey_bytes(bytes, policy);
  if (seen) return seen->findings.empty() ? "" : "record " + seen->findings.front().rule;
  if (seen.error().kind() != ErrorKind::kRejected) return "error " + seen.error().message();
  const std::string& message = seen.error().message();
  const auto rule = message.rfind("(rule ");
  return "refuse " + message.substr(rule + 6, message.size() - rule - 7);
}

std::vector<Row> rows() {
  using namespace std::string_literals;
  const auto rootfs = [] { return small_rootfs(); };
  std::vector<Row> out;
  const auto both = [&](const char* name, TarBuilder tar, const std::string& result) {
    out.push_back({name, std::move(tar), result, result});
  };
  const auto row = [&](const char* name, TarBuilder tar, const std::string& standard, const std::string& strict) {
    out.push_back({name, std::move(tar), standard, strict});
  };
  both("good", rootfs(), "");
  both("parent inside", rootfs().file("usr/../etc/x", ""), "");
  both("parent above", rootfs().file("../x", ""), "refuse traversal");
  both("parent above later", rootfs().file("usr/../../x", ""), "refuse traversal");
  both("parent alone", rootfs().folder(".."), "refuse traversal");
  both("absolute", rootfs().file("/etc/x", ""), "refuse absolute_names");
  both("absolute root", rootfs().folder("/"), "refuse absolute_names");
  both("empty name", rootfs().pax({{"path", ""}}).file("", ""), "refuse bad_names");
  both("NUL in a pax name", rootfs().pax({{"path", "etc/x\0/../../y"s}}).file("x", ""), "refuse bad_names");
  both("NUL in a pax target", rootfs().pax({{"linkpath", "usr\0x"s}}).symlink("x", "y"), "refuse bad_names");
  both("NUL in a long name", rootfs().long_name("etc/x\0y"s).file("x", ""), "refuse bad_names");
  both("long part", rootfs().long_name("etc/" + std::string(256, 'n')).file("x", ""), "refuse bad_names");
  both("long name", rootfs().long_name("etc/" + std::string(10'000, '/') + "n").file("x", ""), "refuse bad_names");
  both("root is a file", rootfs().file("./", ""), "");  // a name that ends in a slash is a folder
  both("root is a link", rootfs().symlink(".", "usr"), "refuse bad_names");
  both("link out", rootfs().symlink("etc/x", "../../x"), "refuse symlink_escape");
  row("link out by absolute", rootfs().symlink("etc/x", "/../x"), "refuse symlink_escape", "refuse absolute_symlinks");
  both("link out by way of another", rootfs().symlink("usr/bin/a", "../..").symlink("usr/bin/b", "a/../x"),
       "refuse symlink_escape");
  both("link inside", rootfs().symlink("etc/x", "../usr/bin/true"), "");
  both("dangling link", rootfs().symlink("etc/x", "nothing"), "");
  both("looping links", rootfs().symlink("etc/x", "y").symlink("etc/y", "x"), "");
  row("absolute link", rootfs().symlink("etc/x", "/usr/bin/true"), "", "refuse absolute_symlinks");
  both("hard link", rootfs().hard_link("etc/x", "etc/hostname"), "");
  both("hard link out", rootfs().hard_link("etc/x", "../x"), "refuse hard_link_outside");
  both("hard link by absolute", rootfs().hard_link("etc/x", "/etc/hostname"), "refuse hard_link_outside");
  both("hard link to nothing", rootfs().hard_link("etc/x", "etc/none"), "refuse hard_link_outside");
  both("hard link to a folder", rootfs().hard_link("etc/x", "usr"), "refuse hard_link_outside");
  both("hard link to a later file", rootfs().hard_link("etc/x", "etc/y").file("etc/y", ""), "refuse hard_link_outside");
  both("hard link to a link", rootfs().hard_link("etc/x", "bin"), "refuse hard_link_symlink");
  both("hard link through a link", rootfs().hard_link("etc/x", "bin/true"), "refuse hard_link_symlink");
  row("through a link", rootfs().file("bin/x", ""), "", "refuse write_through_symlink");
  both("through a link to nowhere", rootfs().symlink("x", "none").file("x/y", ""), "refuse write_through_symlink");
  both("through a loop", rootfs().symlink("x", "y").symlink("y", "x").file("x/y", ""), "refuse write_through_symlink");
  row("setuid", rootfs().file("usr/bin/x", "", 04755), "record setuid", "refuse setuid");
  row("setgid", rootfs().file("usr/bin/x", "", 02755), "record setuid", "refuse setuid");
  both("setgid folder", rootfs().folder("var/mail", 02775), "");
  row("character device", rootfs().special("etc/x", '3'), "record devices", "refuse devices");
  row("block device", rootfs().special("etc/x", '4'), "record devices", "refuse devices");
  row("FIFO", rootfs().special("etc/x", '6'), "record fifos", "refuse fifos");
  both("etc for all", rootfs().folder("etc", 0777), "refuse world_writable");
  both("usr for all", rootfs().folder("usr", 01777), "refuse world_writable");
  both("tmp for all", rootfs().folder("tmp", 01777), "");
  row("no etc", TarBuilder().folder("usr").folder("var"), "record missing_folders", "refuse missing_folders");
  row("one binary", TarBuilder().file("app", "x", 0755), "record missing_folders", "refuse missing_folders");
  both("whiteout in a plain image", rootfs().file("etc/.wh.x", ""), "record whiteouts");
  return out;
}

TEST(PolicyRulesTest, EachRowOfTheTableAtBothLevels) {
  for (const Row& row : rows()) {
    EXPECT_EQ(verdict(row.tar.finish(), standard_policy()), row.standard) << row.name << ", standard";
    EXPECT_EQ(verdict(row.tar.finish(), strict_policy()), row.strict) << row.name << ", strict";
  }
}

// What a hint names is true: with that setting, the same archive is no longer refused by that rule.
TEST(PolicyRulesTest, TheSettingThatARefusalNamesAllowsIt) {
  int tried = 0;
  for (const Row& row : rows()) {
    const auto refused = survey_bytes(row.tar.finish(), strict_policy());
    if (refused || refused.error().hint().empty()) continue;
    const std::string& hint = refused.error().hint();
    const auto equals = hint.find('=');
    const std::string value = hint.substr(equals + 1, hint.find(' ') - equals - 1);
    Policy milder = strict_policy();
    ASSERT_TRUE(set(milder, hint.substr(0, equals), value)) << hint;
    const std::string before = verdict(row.tar.finish(), strict_policy());
    EXPECT_NE(verdict(row.tar.finish(), milder), before) << row.name << ": " << hint;
    ++tried;
  }
  EXPECT_GT(tried, 25);
}

TEST(PolicyRulesTest, DevicesAreLeftOutAndLimitsNamed) {
  const auto seen = survey_bytes(small_rootfs().special("etc/x", '3').finish());
  ASSERT_TRUE(seen);
  EXPECT_FALSE(seen->tree.resolve(Tree::root(), "etc/x", false).found == Tree::Found::kNode);
  EXPECT_EQ(seen->findings.front().detail, "character device 1:3; left out");
}

TEST(PolicyRulesTest, LimitsHoldAtTheirEdge) {
  const auto with = [](const char* name, const char* value) {
    Policy policy = standard_policy();
    EXPECT_TRUE(set(policy, name, value));
    return policy;
  };
  const std::string tar = small_rootfs().file("etc/big", std::string(1000, 'x')).finish();  // 9 entries, 1006 bytes
  EXPECT_EQ(verdict(tar, with("max_files", "9")), "");
  EXPECT_EQ(verdict(tar, with("max_files", "8")), "refuse max_files");
  EXPECT_EQ(verdict(tar, with("max_file_size", "1000")), "");
  EXPECT_EQ(verdict(tar, with("max_file_size", "999")), "refuse max_file_size");
  EXPECT_EQ(verdict(tar, with("max_total_size", "1006")), "");
  EXPECT_EQ(verdict(tar, with("max_total_size", "1005")), "refuse max_total_size");
}

TEST(PolicyRulesTest, BombsCostNoMoreThanTheirLimit) {
  const std::string bomb = small_rootfs().file("etc/big", std::string(8UL << 20, '\0')).finish();
  for (const auto compression : {Compression::kGzip, Compression::kZstd, Compression::kXz, Compression::kBzip2}) {
    EXPECT_EQ(verdict(compress(compression, bomb), standard_policy()), "refuse max_compression_ratio")
        << to_string(compression);
  }
  Policy lax = standard_policy();
  ASSERT_TRUE(set(lax, "max_compression_ratio", "1000000"));
  EXPECT_EQ(verdict(compress(Compression::kGzip, bomb), lax), "");
  // What unpacks without end is not only in the content of files: here it is padding after the end.
  ASSERT_TRUE(set(lax, "max_total_size", "1 MiB"));
  ASSERT_TRUE(set(lax, "max_files", "100"));
  const std::string padded = small_rootfs().finish() + std::string(16UL << 20, '\0');
  EXPECT_EQ(verdict(compress(Compression::kGzip, padded), lax), "refuse max_total_size");
}

TEST(PolicyRulesTest, FoldersThatNobodySentAreCountedToo) {
  Policy policy = standard_policy();
  ASSERT_TRUE(set(policy, "max_files", "20"));
  TarBuilder tar;
  for (int i = 0; i < 10; ++i) {
    std::string deep = std::to_string(i);
    for (int depth = 0; depth < 200; ++depth) deep += "/d";
    tar.long_name(deep).file("x", "");
  }
  EXPECT_EQ(verdict(tar.finish(), policy), "refuse max_files");
}

TEST(PolicyRulesTest, SparseFilesCountWithTheirHoles) {
  const auto sparse = [](std::uint64_t size) {
    const std::string map = "1\n0\n5\n";
    TarBuilder tar = small_rootfs();
    tar.pax({{"GNU.sparse.major", "1"},
             {"GNU.sparse.minor", "0"},
             {"GNU.sparse.name", "var/sparse"},
             {"GNU.sparse.realsize", std::to_string(size)}});
    tar.header({.name = "GNUSparseFile.0/sparse", .size = 1024}).content(map).content("hello");
    return tar.finish();
  };
  EXPECT_EQ(verdict(sparse(900UL << 10), standard_policy()), "");
  EXPECT_EQ(verdict(sparse(2UL << 30), standard_policy()), "refuse max_file_size");
  EXPECT_EQ(verdict(sparse(512UL << 20), standard_policy()), "refuse max_compression_ratio");
}

}  // namespace
}  // namespace slipway::archive
