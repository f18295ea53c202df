#include "scan/inventory/rpm_header.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scan/testing/rpm_files.h"

namespace slipway::scan {
namespace {

using ::testing::HasSubstr;

Inventory added(const std::string& header) {
  Finds finds;
  finds.enter("var/lib/rpm/rpmdb.sqlite", 0);
  add_rpm_package(header, finds);
  return finds.take();
}

RpmHeaderBuilder some_package() {
  RpmHeaderBuilder header;
  header.text(1000, "glibc-common").text(1001, "2.34").text(1002, "60.el9");
  return header;
}

TEST(RpmHeaderTest, TagsAreAPackage) {
  const auto found = added(some_package()
                               .numbers(1003, {2})
                               .text(1014, "LGPLv2+ and BSD")
                               .text(1022, "x86_64")
                               .text(1044, "glibc-2.34-60.el9.src.rpm")
                               .build());
  ASSERT_EQ(found.packages.size(), 1U) << reasons_of(found);
  EXPECT_EQ(found.packages[0], (Package{.type = PackageType::kRpm,
                                        .name = "glibc-common",
                                        .version = "2:2.34-60.el9",
                                        .source = "glibc",
                                        .architecture = "x86_64",
                                        .licence = "LGPLv2+ and BSD",
                                        .path = "var/lib/rpm/rpmdb.sqlite"}));
  EXPECT_TRUE(found.complete());
}

TEST(RpmHeaderTest, AnEpochOfZeroIsNone) {
  EXPECT_EQ(names_of(added(some_package().numbers(1003, {0}).build())), "glibc-common 2.34-60.el9");
}

TEST(RpmHeaderTest, TheSourcesVersionIsGivenWhereItIsAnother) {
  const auto found = added(some_package().text(1044, "a-b-c-1.0-2.nosrc.rpm").build());
  EXPECT_EQ(found.packages.at(0).source, "a-b-c");
  EXPECT_EQ(found.packages.at(0).source_version, "1.0-2");
  for (const std::string odd : {"x.src.rpm", "-1.src.rpm", "a-1.src.rpm", "-1-2.src.rpm", "a-1-2.rpm", "(none)"}) {
    EXPECT_EQ(added(some_package().text(1044, odd).build()).packages.at(0).source, "") << odd;
  }
}

TEST(RpmHeaderTest, WhatWasAddedToAHeaderLaterCounts) {
  EXPECT_EQ(names_of(added(some_package().text(1001, "3").build())), "glibc-common 3-60.el9");
}

TEST(RpmHeaderTest, KeysAreNoPackages) {
  const auto found = added(rpm_header("gpg-pubkey", "fd431d51"));
  EXPECT_TRUE(found.packages.empty());
  EXPECT_TRUE(found.complete());
}

TEST(RpmHeaderTest, FilesAreThePackages) {
  Finds finds;
  finds.enter("f", 0);
  add_rpm_package(some_package()
                      .texts(1117, {"METADATA", "x.json"})
                      .numbers(1116, {1, 0})
                      .texts(1118, {"/usr/share/", "/usr/lib/six/"})
                      .build(),
                  finds);
  for (const std::string path : {"usr/lib/six/METADATA", "usr/share/METADATA", "usr/share/x.json"}) {
    finds.enter(path, 0);
    finds.add({.type = PackageType::kPypi, .name = path, .version = "1"});
  }
  const auto found = finds.take();
  ASSERT_EQ(found.packages.size(), 4U);
  EXPECT_EQ(found.packages[1].owner, "glibc-common");
  EXPECT_EQ(found.packages[2].owner, "");
  EXPECT_EQ(found.packages[3].owner, "glibc-common");
  EXPECT_TRUE(found.complete());
}

TEST(RpmHeaderTest, AMissingFieldIsNoted) {
  EXPECT_EQ(reasons_of(added(RpmHeaderBuilder().text(1000, "a").text(1002, "1").build())), "package a has no version");
  EXPECT_EQ(reasons_of(added(RpmHeaderBuilder().text(1001, "1").build())), "a package without a name");
}

TEST(RpmHeaderTest, AHeaderCutOffAnywhereIsNoPackageAndNoted) {
  const std::string whole = rpm_header("a", "1");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto found = added(whole.substr(0, size));
    EXPECT_TRUE(found.packages.empty()) << size;
    EXPECT_EQ(found.unread.size(), 1U) << size;
  }
  EXPECT_EQ(added(whole + 'x').unread.size(), 1U);
}

TEST(RpmHeaderTest, TagsThatReachBeyondTheDataAreNoted) {
  const std::pair<std::uint32_t, std::uint32_t> places[] = {{1'000'000, 1}, {0xffffffff, 1}, {0, 0}};
  for (const auto& [offset, count] : places) {
    for (const std::uint32_t tag : {1000U, 1001U, 1003U, 1022U}) {
      const auto found = added(some_package().entry(tag, tag == 1003 ? 4 : 6, offset, count).build());
      EXPECT_TRUE(found.packages.empty()) << tag;
      EXPECT_THAT(reasons_of(found), HasSubstr("reaches beyond its data")) << tag;
    }
  }
}

TEST(RpmHeaderTest, ATextWithoutEndIsNoted) {
  std::string header = RpmHeaderBuilder().text(1001, "1").text(1000, "abc").build();
  header.back() = 'd';
  EXPECT_THAT(reasons_of(added(header)), HasSubstr("has no end"));
}

TEST(RpmHeaderTest, TagsOfAnotherTypeAreNoted) {
  EXPECT_THAT(reasons_of(added(RpmHeaderBuilder().numbers(1000, {5}).build())), HasSubstr("is no text"));
  EXPECT_THAT(reasons_of(added(some_package().text(1003, "5").build())), HasSubstr("no list of numbers"));
}

TEST(RpmHeaderTest, AFieldThatCannotBeShownIsNoted) {
  EXPECT_THAT(reasons_of(added(rpm_header("a", "1\x1b[2J"))), HasSubstr("package a: a field in the header"));
}

TEST(RpmHeaderTest, ABrokenListOfFilesIsNotedAndThePackageStays) {
  const RpmHeaderBuilder headers[] = {
      some_package().texts(1117, {"a"}).numbers(1116, {1}).texts(1118, {"/"}),
      some_package().texts(1117, {"a", "b"}).numbers(1116, {0}).texts(1118, {"/"}),
      some_package().texts(1117, {"a"}),
      some_package().entry(1117, 8, 0, 0xffffffff),
      some_package().entry(1117, 8, 0, 400'000),
      some_package().entry(1116, 4, 0, 0xffffffff),
      some_package().entry(1116, 4, 0, 400'000),
      some_package().entry(1118, 6, 0, 1),
  };
  for (const auto& header : headers) {
    const auto found = added(header.build());
    EXPECT_EQ(names_of(found), "glibc-common 2.34-60.el9");
    EXPECT_THAT(reasons_of(found), HasSubstr("files of package glibc-common: "));
  }
}

}  // namespace
}  // namespace slipway::scan
