#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/testing/survey_helpers.h"
#include "scan/inventory/distributions.h"
#include "scan/testing/distribution_files.h"

namespace slipway::scan {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kInstalled = "lib/apk/db/installed";

Inventory read_installed(const std::string& text, std::size_t piece = archive::MemorySource::kWhole) {
  ReadFiles files;
  EXPECT_TRUE(files.add(kInstalled, text, piece).last);
  return files.finds.take();
}

std::size_t lines_that_begin(std::string_view text, std::string_view with) {
  std::size_t count = text.starts_with(with) ? 1 : 0;
  const std::string wanted = "\n" + std::string(with);
  for (auto at = text.find(wanted); at != std::string_view::npos; at = text.find(wanted, at + 1)) ++count;
  return count;
}

TEST(ApkTest, OnlyTheDatabaseIsWanted) {
  EXPECT_TRUE(wants_apk({.path = kInstalled}));
  EXPECT_TRUE(wants_apk({.path = "usr/lib/apk/db/installed"}));
  EXPECT_FALSE(wants_apk({.path = "lib/apk/db/installed.new"}));
  EXPECT_FALSE(wants_apk({.path = "srv/lib/apk/db/installed"}));
}

TEST(ApkTest, AParagraphIsAPackage) {
  for (const std::size_t piece : {1U, 5U, 1000U}) {
    const auto found = read_installed(
        "C:Q1x=\nP:libssl1.1\nV:1.1.1d-r2\nA:x86_64\nL:OpenSSL AND MIT\no:openssl\nF:lib\nR:libssl.so.1.1\na:0:0:755\n",
        piece);
    ASSERT_EQ(found.packages.size(), 1U);
    EXPECT_EQ(found.packages[0], (Package{.type = PackageType::kApk,
                                          .name = "libssl1.1",
                                          .version = "1.1.1d-r2",
                                          .source = "openssl",
                                          .architecture = "x86_64",
                                          .licence = "OpenSSL AND MIT",
                                          .path = std::string(kInstalled)}));
    EXPECT_TRUE(found.complete());
  }
}

TEST(ApkTest, FilesAreThePackages) {
  ReadFiles files;
  files.add(kInstalled, "P:py3-six\nV:1-r0\nF:\nR:top.json\nF:usr/lib/six\nR:METADATA\n");
  for (const std::string path : {"top.json", "usr/lib/six/METADATA", "usr/lib/six/other"}) {
    files.finds.enter(path, 0);
    files.finds.add({.type = PackageType::kPypi, .name = path, .version = "1"});
  }
  const auto found = files.finds.take();
  ASSERT_EQ(found.packages.size(), 4U);
  EXPECT_EQ(found.packages[1].owner, "py3-six");
  EXPECT_EQ(found.packages[2].owner, "py3-six");
  EXPECT_EQ(found.packages[3].owner, "");
}

TEST(ApkTest, AParagraphThatLacksAFieldIsNotedAndTheRestGoesOn) {
  const auto found = read_installed("P:a\n\n\nV:1\n\nP:b\nV:2\n");
  EXPECT_EQ(names_of(found), "b 2");
  EXPECT_EQ(reasons_of(found), "package a has no version, a package without a name");
}

TEST(ApkTest, CrLfEndsLines) { EXPECT_EQ(names_of(read_installed("P:a\r\nV:1\r\n\r\nP:b\r\nV:2\r\n")), "a 1, b 2"); }

TEST(ApkTest, WhatIsNoFieldIsNotedAndTheRestGoesOn) {
  const auto found = read_installed(std::string("P:a\nV:1\0\n\nP:c\nV:1\njunk\n\nP:\x1b\nV:1\n\n", 33) + "P:b\nV:2\n");
  EXPECT_EQ(names_of(found), "b 2");
  EXPECT_EQ(found.unread.size(), 3U) << reasons_of(found);
  EXPECT_THAT(reasons_of(found), HasSubstr("package a: a field of it is not one word"));
}

TEST(ApkTest, AHugeLineIsRejected) {
  ReadFiles files;
  files.add(kInstalled, "P:a\nV:1\n\nP:" + std::string(2U << 20, 'x'));
  EXPECT_EQ(files.last.error().kind(), ErrorKind::kRejected);
  EXPECT_EQ(names_of(files.finds.take()), "a 1");
}

TEST(ApkTest, ARealFileHasAPackageForEachName) {
  const auto path = test_data() / "rootfs/apk/installed-alpine-trivy";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "there is no real data: set SLIPWAY_DATA";
  const std::string text = file_bytes(path);
  const auto found = read_installed(text, 100);
  EXPECT_EQ(found.packages.size(), lines_that_begin(text, "V:"));
  EXPECT_EQ(found.packages.size() + found.unread.size(), lines_that_begin(text, "P:"));
  EXPECT_EQ(found.packages.size(), 15U);
  EXPECT_EQ(reasons_of(found), "package invalidPackageWithoutAVersion has no version");
}

TEST(ApkTest, ARealImageHasFourteen) {
  const auto path = test_data() / "images/alpine-310.docker-save.tar.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "there is no real data: set SLIPWAY_DATA";
  const std::string image = file_bytes(path);
  const auto survey = archive::survey_bytes(image);
  ASSERT_TRUE(survey) << survey.error().describe();
  const auto files = archive::contents(image, *survey);
  ASSERT_TRUE(files.contains(std::string(kInstalled)));
  const std::string& text = files.at(std::string(kInstalled));
  const auto found = read_installed(text);
  EXPECT_EQ(found.packages.size(), 14U);
  EXPECT_EQ(found.packages.size(), lines_that_begin(text, "P:"));
  EXPECT_THAT(names_of(found), HasSubstr("libssl1.1 1.1.1d-r2"));
  EXPECT_TRUE(found.complete());
}

}  // namespace
}  // namespace slipway::scan
