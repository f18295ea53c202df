#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scan/inventory/distributions.h"
#include "scan/testing/distribution_files.h"

namespace slipway::scan {
namespace {

Inventory read_text(const std::string& text) {
  ReadFiles files;
  EXPECT_TRUE(files.add("etc/os-release", text).last);
  return files.finds.take();
}

TEST(OsReleaseTest, OnlyTheFilesAtTheirPlacesAreWanted) {
  EXPECT_TRUE(wants_os_release({.path = "etc/os-release"}));
  EXPECT_TRUE(wants_os_release({.path = "usr/lib/os-release"}));
  EXPECT_FALSE(wants_os_release({.path = "srv/etc/os-release"}));
  EXPECT_FALSE(wants_os_release({.path = "etc/os-release.bak"}));
}

TEST(OsReleaseTest, ValuesAreWhatAShellWouldMakeOfThem) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {R"(Plain)", "Plain"},
      {R"("Double quoted")", "Double quoted"},
      {R"('Single "quoted"')", "Single \"quoted\""},
      {R"("a \"b\" \\ \$ \` \n")", R"(a "b" \ $ ` \n)"},
      {R"('a \n')", R"(a \n)"},
      {R"(a\ b)", "a b"},
      {R"("one"'two'three)", "onetwothree"},
      {R"(word and more)", "word"},
      {R"("")", ""},
      {"\"CR\"\r", "CR"},
  };
  for (const auto& [text, value] : cases) {
    const auto found = read_text("ID=x\nPRETTY_NAME=" + std::string(text) + "\n");
    ASSERT_TRUE(found.distribution) << text;
    EXPECT_EQ(found.distribution->name, value) << text;
    EXPECT_TRUE(found.complete());
  }
}

TEST(OsReleaseTest, CommentsAndOtherNamesAreNothing) {
  const auto found = read_text("# ID=no\n\n  ID=Debian  \nXID=no\nID_LIKE=no\nVERSION_CODENAME=bookworm\nNAME='D'\n");
  EXPECT_EQ(found.distribution, (Distribution{.id = "debian", .version = "", .codename = "bookworm", .name = "D"}));
}

TEST(OsReleaseTest, WhatCannotBeAnIdIsNotedAndNotTaken) {
  EXPECT_EQ(reasons_of(read_text("ID=\"a\n")),
            "a quote stays open in ID, it does not say which distribution this is: there is no ID");
  EXPECT_EQ(reasons_of(read_text(std::string("ID='a\0b'\n", 9))),
            "ID is not one word, it does not say which distribution this is: there is no ID");
  const auto version = read_text("ID=a\nVERSION_ID='1 2'\n");
  EXPECT_EQ(version.distribution->version, "");
  EXPECT_EQ(reasons_of(version), "VERSION_ID is not one word");
}

TEST(OsReleaseTest, TheOneInEtcCountsWhateverTheOrder) {
  ReadFiles files;
  files.add("usr/lib/os-release", "ID=second\n").add("etc/os-release", "ID=first\n");
  files.add("usr/lib/os-release", "ID=second\n");
  EXPECT_EQ(files.finds.take().distribution->id, "first");
}

TEST(OsReleaseTest, AFileThatIsTooLargeIsRejected) {
  ReadFiles files;
  EXPECT_EQ(files.add("etc/os-release", std::string(2U << 20, '\n')).last.error().kind(), ErrorKind::kRejected);
  EXPECT_EQ(files.add("etc/os-release", std::string(1U << 19, 'x')).last.error().kind(), ErrorKind::kRejected);
}

TEST(OsReleaseTest, RealFilesSayWhoTheyAre) {
  const auto folder = test_data() / "rootfs/os-release";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "there is no real data: set SLIPWAY_DATA";
  const std::map<std::string, std::string> expected = {
      {"activestate", "activestate 1.0"},
      {"alma", "almalinux 9.4"},
      {"alpine", "alpine 3.15.4"},
      {"azurelinux-3.0", "azurelinux 3.0"},
      {"bottlerocket", "bottlerocket 1.34.0"},
      {"centos", "centos 7"},
      {"centos-stream", "centos 8"},
      {"coreos", "coreos 3.15.4"},
      {"echo", "echo 1"},
      {"fedora", "fedora 42"},
      {"mariner-1.0", "mariner 1.0"},
      {"mariner-2.0", "mariner 2.0"},
      {"minimos", "minimos 20241031"},
      {"no-id", "none"},
      {"no-version", "alpine "},
      {"opensuseleap-15.2.1", "opensuse-leap 15.2.1"},
      {"opensuseleap-42.3", "opensuse 42.3"},
      {"opensusetumbleweed", "opensuse-tumbleweed 20220412"},
      {"oracle", "ol 8.10"},
      {"photon", "photon 4.0"},
      {"rhel", "rhel 9.4"},
      {"rocky", "rocky 9.3"},
      {"slemicro", "sle-micro 5.3"},
      {"slemicro-rancher", "sle-micro-rancher 5.4"},
      {"slemicro6.0", "sl-micro 6.0"},
      {"sles", "sles 15.3"},
      {"unknown", "unknown 4.3.2"},
  };
  std::map<std::string, std::string> found;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const auto inventory = read_text(file_bytes(file.path()));
    const auto& distribution = inventory.distribution;
    EXPECT_EQ(inventory.complete(), distribution.has_value()) << file.path();
    found[file.path().filename()] = distribution ? distribution->id + ' ' + distribution->version : "none";
  }
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace slipway::scan
