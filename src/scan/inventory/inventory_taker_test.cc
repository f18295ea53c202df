#include "scan/inventory/inventory_taker.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/testing/inspector_program.h"
#include "archive/testing/tar_builder.h"
#include "base/digest.h"
#include "scan/testing/taker_program.h"
#include "sys/testing/temp_dir.h"

namespace slipway::scan {
namespace {

using archive::docker_image;
using archive::TarBuilder;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string dpkg(const std::string& name, const std::string& version) {
  return fmt::format("Package: {}\nStatus: install ok installed\nVersion: {}\nArchitecture: amd64\n\n", name, version);
}

constexpr std::string_view kDebian = "ID=debian\nVERSION_ID=\"12\"\nVERSION_CODENAME=bookworm\n";

class InventoryTakerTest : public testing::Test {
 protected:
  Result<Inventory> take(const std::string& bytes, const archive::InspectorProgram& program = test_taker()) {
    const std::string file = folder_.file("image.tar");
    std::ofstream(file, std::ios::binary) << bytes;
    const auto opened = archive::open_image_file(file);
    if (!opened) return fail(opened.error());
    auto listed = InventoryTaker(program).take(*opened, archive::standard_policy(), {}, {});
    if (!listed) return fail(listed.error());
    inspection_ = std::move(listed->inspection);
    return std::move(listed->inventory);
  }
  static std::vector<std::string> names(const Inventory& inventory) {
    std::vector<std::string> all;
    for (const auto& package : inventory.packages) all.push_back(package.name + " " + package.version);
    return all;
  }

  sys::TempDir folder_;
  archive::Inspection inspection_;
};

TEST_F(InventoryTakerTest, APlainRootFileSystemIsListedWithItsDistribution) {
  auto tar = archive::small_rootfs();
  tar.file("etc/os-release", kDebian).file("var/lib/dpkg/status", dpkg("bash", "5.2-1") + dpkg("libc6", "2.36-9"));
  tar.file("usr/lib/node_modules/left-pad/package.json", R"({"name":"left-pad","version":"1.3.0","license":"WTFPL"})");
  const auto inventory = take(tar.finish()).value();
  EXPECT_EQ(inventory.distribution->codename, "bookworm");
  EXPECT_THAT(names(inventory), ElementsAre("bash 5.2-1", "libc6 2.36-9", "left-pad 1.3.0"));
  EXPECT_EQ(inventory.packages[2].path, "usr/lib/node_modules/left-pad/package.json");
  EXPECT_EQ(inventory.packages[2].licence, "WTFPL");
  EXPECT_TRUE(inventory.complete());
}

TEST_F(InventoryTakerTest, OnlyTheMergedTreeCountsAndEachPackageKnowsItsLayer) {
  TarBuilder lower;
  lower.file("etc/os-release", kDebian).file("var/lib/dpkg/status", dpkg("bash", "5.1-1") + dpkg("gone", "1"));
  lower.file("app/node_modules/a/package.json", R"({"name":"a","version":"1.0.0"})");
  lower.file("app/node_modules/b/package.json", R"({"name":"b","version":"1.0.0"})");
  TarBuilder upper;
  upper.file("var/lib/dpkg/status", dpkg("bash", "5.2-1")).file("app/node_modules/.wh.a", "");
  const auto inventory = take(docker_image({lower.finish(), upper.finish()})).value();
  ASSERT_THAT(names(inventory), ElementsAre("bash 5.2-1", "b 1.0.0"));
  EXPECT_EQ(inventory.packages[0].layer, 1U);
  EXPECT_EQ(inventory.packages[1].layer, 0U);
  ASSERT_THAT(inventory.layers, SizeIs(2));
  EXPECT_EQ(inventory.layers[1].diff_id, "sha256:" + sha256_hex(upper.finish()));
}

TEST_F(InventoryTakerTest, AFileThatCannotBeReadIsToldOfAndTheRestIsRead) {
  auto tar = archive::small_rootfs();
  tar.file("var/lib/rpm/rpmdb.sqlite", "this is no database").file("app/package-lock.json", "{");
  tar.file("srv/node_modules/a/package.json", R"({"name":"a","version":"1.0.0"})");
  const auto inventory = take(tar.finish()).value();
  EXPECT_THAT(names(inventory), ElementsAre("a 1.0.0"));
  EXPECT_FALSE(inventory.complete());
  ASSERT_THAT(inventory.unread, SizeIs(2));
  EXPECT_THAT(inventory.unread, testing::UnorderedElementsAre(testing::Field(&Unread::path, "var/lib/rpm/rpmdb.sqlite"),
                                                              testing::Field(&Unread::path, "app/package-lock.json")));
}

TEST_F(InventoryTakerTest, WhatCameWithAPackageOfTheDistributionSaysSo) {
  auto tar = archive::small_rootfs();
  tar.file("var/lib/dpkg/status", dpkg("python3-six", "1.16-4"));
  tar.file("var/lib/dpkg/info/python3-six.list", "/.\n/usr/lib/python3/dist-packages/six-1.16.0.egg-info\n");
  tar.file("usr/lib/python3/dist-packages/six-1.16.0.egg-info", "Metadata-Version: 1.2\nName: six\nVersion: 1.16.0\n");
  const auto inventory = take(tar.finish()).value();
  ASSERT_THAT(names(inventory), ElementsAre("python3-six 1.16-4", "six 1.16.0"));
  EXPECT_EQ(inventory.packages[1].owner, "python3-six");
}

TEST_F(InventoryTakerTest, AVeryLongListComesInPartsAndWhole) {
  std::string status;
  for (int i = 0; i < 2'500; ++i) status += dpkg(fmt::format("p{:05}", i), "1-1");
  const auto inventory = take(archive::small_rootfs().file("var/lib/dpkg/status", status).finish()).value();
  ASSERT_THAT(inventory.packages, SizeIs(2'500));
  EXPECT_EQ(inventory.packages.back().name, "p02499");
}

TEST_F(InventoryTakerTest, TextThatGrowsWhenItIsSentComesWhole) {
  std::string packages;
  for (int i = 0; i < 1'200; ++i) {
    packages += fmt::format(R"({}"node_modules/p{}":{{"version":"1.0.0","license":"{}"}})", i == 0 ? "" : ",", i,
                            std::string(900, '\\') + std::string(100, '\\'));
  }
  const auto text = R"({"lockfileVersion":3,"packages":{)" + packages + "}}";
  const auto inventory = take(archive::small_rootfs().file("app/package-lock.json", text).finish()).value();
  EXPECT_THAT(inventory.packages, SizeIs(1'200));
}

TEST_F(InventoryTakerTest, TheArchiveIsInspectedInTheSamePass) {
  ASSERT_TRUE(take(archive::small_rootfs().file("usr/su", "x", 04755).finish()));
  EXPECT_EQ(inspection_.files, 3U);
  EXPECT_EQ(inspection_.layers, 1U);
  ASSERT_THAT(inspection_.findings, SizeIs(1));
  EXPECT_EQ(inspection_.findings[0].rule, "setuid");
}

TEST_F(InventoryTakerTest, AnImageWithoutPackagesHasNone) {
  const auto inventory = take(archive::small_rootfs().finish()).value();
  EXPECT_THAT(inventory.packages, IsEmpty());
  EXPECT_EQ(inventory.distribution, std::nullopt);
}

TEST_F(InventoryTakerTest, TheArchiveIsJudgedAsEverywhere) {
  EXPECT_EQ(take("no archive").error().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(take(archive::small_rootfs().file("../out", "x").finish()).error().kind(), ErrorKind::kRejected);
}

TEST_F(InventoryTakerTest, AChildThatDiesOrTalksNonsenseCostsOneVerdict) {
  const auto bytes = archive::small_rootfs().finish();
  EXPECT_EQ(take(bytes, archive::test_inspector("crash")).error().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(take(bytes, archive::test_inspector("babble")).error().kind(), ErrorKind::kCorrupt);
  EXPECT_THAT(take(bytes, archive::test_inspector()).error().message(),
              AllOf(HasSubstr("list the packages of"), HasSubstr("without an answer")));
}

}  // namespace
}  // namespace slipway::scan
