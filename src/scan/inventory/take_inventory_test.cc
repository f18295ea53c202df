#include "scan/inventory/take_inventory.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/testing/survey_helpers.h"
#include "archive/testing/tar_builder.h"

namespace slipway::scan {
namespace {

using archive::Compression;
using archive::oci_image;
using archive::small_rootfs;
using archive::TarBuilder;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

std::string npm(const std::string& name) { return fmt::format(R"({{"name":"{}","version":"1.0.0"}})", name); }

std::string lock(const std::string& name) {
  return fmt::format(R"({{"lockfileVersion":3,"packages":{{"node_modules/{}":{{"version":"1.0.0"}}}}}})", name);
}

// Larger than what is read at a time, packed too: so it shows when it is read again.
TarBuilder large_rootfs() {
  std::string noise(600'000, '\0');
  std::uint32_t state = 1;
  for (char& c : noise) c = static_cast<char>((state = state * 1'664'525 + 1'013'904'223) >> 24U);
  return small_rootfs().file("usr/noise", noise);
}

struct Taken {
  Inventory inventory{};
  int passes = 0;  // over the archive

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& package : inventory.packages) {
      all.push_back(fmt::format("{} {} {}", package.name, package.path, package.layer));
    }
    return all;
  }
};

Taken take(const std::string& bytes) {
  const archive::MemoryFile file(bytes);
  auto input = file.input();
  Taken taken;
  std::uint64_t before = UINT64_MAX;
  input.tick = [&](std::uint64_t position) -> Result<> {
    if (position < before) ++taken.passes;
    before = position;
    return {};
  };
  auto listed = take_inventory(input, archive::standard_policy());
  if (!listed) throw std::runtime_error(listed.error().describe());
  taken.inventory = std::move(listed->inventory);
  return taken;
}

TEST(TakeInventory, APlainImageIsReadOnce) {
  for (const auto compression : {Compression::kNone, Compression::kGzip, Compression::kZstd}) {
    const auto taken = take(compress(compression, large_rootfs()
                                                      .file("app/node_modules/a/package.json", npm("a"))
                                                      .file("app/package-lock.json", lock("b"))
                                                      .finish()));
    EXPECT_THAT(taken.names(), ElementsAre("a app/node_modules/a/package.json 0", "b app/package-lock.json 0"));
    EXPECT_EQ(taken.passes, 1);
  }
}

TEST(TakeInventory, OfALayeredImageOnlyWhatSurvivesCounts) {
  const auto lower = large_rootfs()
                         .file("app/node_modules/a/package.json", npm("a"))
                         .file("app/node_modules/b/package.json", npm("b"))
                         .file("app/package-lock.json", lock("old"))
                         .finish();
  const auto upper =
      TarBuilder().file("app/node_modules/.wh.a", "").file("app/package-lock.json", lock("new")).finish();
  const auto taken = take(oci_image({lower, upper}));
  EXPECT_THAT(taken.names(),
              UnorderedElementsAre("b app/node_modules/b/package.json 0", "new app/package-lock.json 1"));
  EXPECT_EQ(taken.passes, 2) << "one for the image's own description";
}

TEST(TakeInventory, WhatStandsBehindALinkIsReadByItsTrueName) {
  // usr/lib is where the files are; "lib" is a link to it in the layer below.
  const auto lower = large_rootfs().folder("usr/lib").symlink("lib", "usr/lib").finish();
  const auto upper = TarBuilder().file("lib/node_modules/a/package.json", npm("a")).finish();
  const auto taken = take(oci_image({lower, upper}));
  EXPECT_THAT(taken.names(), ElementsAre("a usr/lib/node_modules/a/package.json 1"));
  EXPECT_EQ(taken.passes, 3);
}

TEST(TakeInventory, AFileWithSeveralNamesIsReadOnceByTheOneItsEntryHas) {
  const auto taken = take(large_rootfs()
                              .file("z/package-lock.json", lock("a"))
                              .hard_link("b/package-lock.json", "z/package-lock.json")
                              .finish());
  EXPECT_THAT(taken.names(), ElementsAre("a z/package-lock.json 0"));
  EXPECT_EQ(taken.passes, 1);
}

TEST(TakeInventory, ANameThatOnlyALinkHasIsReadInASecondPass) {
  const auto taken = take(large_rootfs().file("z/data", lock("a")).hard_link("b/package-lock.json", "z/data").finish());
  EXPECT_THAT(taken.names(), ElementsAre("a b/package-lock.json 0"));
  EXPECT_EQ(taken.passes, 2);
}

constexpr std::string_view kStatus = "Package: openssl\nStatus: install ok installed\nVersion: 3.0.7-1\n\n";

TEST(TakeInventory, AHardLinkHidesNoPackageDatabase) {
  const std::string both[] = {"var/lib/dpkg/status", "app/requirements.txt"};
  for (const bool database_first : {true, false}) {
    const auto& file = both[database_first ? 0 : 1];
    const auto& link = both[database_first ? 1 : 0];
    const auto taken = take(large_rootfs().file(file, kStatus).hard_link(link, file).finish());
    EXPECT_THAT(taken.names(), testing::Contains("openssl var/lib/dpkg/status 0")) << file;
  }
}

TEST(TakeInventory, DatabasesAreFoundBehindLinks) {
  const std::string expected = "openssl var/lib/dpkg/status 0";
  const auto file = take(
      large_rootfs().file("var/lib/dpkg/status-real", kStatus).symlink("var/lib/dpkg/status", "status-real").finish());
  EXPECT_THAT(file.names(), ElementsAre(expected));
  const auto folder = take(
      large_rootfs().file("usr/lib/dpkg-db/status", kStatus).symlink("var/lib/dpkg", "../../usr/lib/dpkg-db").finish());
  EXPECT_THAT(folder.names(), ElementsAre(expected));
  const auto release = take(large_rootfs()
                                .file("opt/release", "ID=debian\nVERSION_ID=12\n")
                                .symlink("etc/os-release", "/opt/release")
                                .file("var/lib/dpkg/status", kStatus)
                                .finish());
  ASSERT_TRUE(release.inventory.distribution);
  EXPECT_EQ(release.inventory.distribution->id, "debian");
  EXPECT_TRUE(release.inventory.complete());
}

TEST(TakeInventory, ALinkBesideTheDatabaseItselfCostsNoSecondPass) {
  const auto taken = take(large_rootfs()
                              .file("usr/lib/os-release", "ID=debian\nVERSION_ID=12\n")
                              .symlink("etc/os-release", "../usr/lib/os-release")
                              .file("var/lib/dpkg/status", kStatus)
                              .finish());
  EXPECT_EQ(taken.inventory.distribution->id, "debian");
  EXPECT_EQ(taken.passes, 1);
}

TEST(TakeInventory, ADistributionWithoutItsListOfPackagesIsNotComplete) {
  const auto taken = take(large_rootfs().file("etc/os-release", "ID=debian\nVERSION_ID=12\n").finish());
  EXPECT_FALSE(taken.inventory.complete());
  ASSERT_EQ(taken.inventory.unread.size(), 1U);
  EXPECT_THAT(taken.inventory.unread[0].reason, testing::HasSubstr("no list of its packages"));
}

TEST(TakeInventory, AFileWithTooManyNamesOfDifferentKindsIsNoted) {
  auto tar = large_rootfs();
  tar.file("z", lock("a"));
  for (const auto* name : {"package-lock.json", "yarn.lock", "pnpm-lock.yaml", "Cargo.lock", "poetry.lock", "go.mod"}) {
    tar.hard_link(std::string("a/") + name, "z");
  }
  EXPECT_FALSE(take(tar.finish()).inventory.complete());
}

TEST(TakeInventory, WhatMayDescribeTheImageIsReadAllTheSame) {
  EXPECT_THAT(take(large_rootfs().file("package-lock.json", lock("a")).finish()).names(),
              ElementsAre("a package-lock.json 0"));
}

TEST(TakeInventory, AnArchiveThatServesAsTwoLayersGivesBoth) {
  // The upper one brings back what a layer between has taken away.
  const auto app =
      TarBuilder().file("app/package-lock.json", lock("a")).file("x/package-lock.json", lock("x")).finish();
  const auto between = TarBuilder().file(".wh.x", "").finish();
  const auto taken = take(oci_image({large_rootfs().finish(), app, between, app}));
  EXPECT_THAT(taken.names(), UnorderedElementsAre("a app/package-lock.json 3", "x x/package-lock.json 3"));
}

TEST(TakeInventory, AReplacedFileIsNotTheDistributionsThoughItsListIsWrittenAgainLater) {
  const std::string node = "P:nodejs\nV:1-r0\nF:usr/lib/node_modules/npm\nR:package.json\n\n";
  const std::string file = "usr/lib/node_modules/npm/package.json";
  const std::string list = "lib/apk/db/installed";
  const auto brought = large_rootfs().file(list, node).file(file, npm("npm")).finish();
  const auto replaced = TarBuilder().file(file, R"({"name":"npm","version":"6.0.0"})").finish();
  const auto written_again = TarBuilder().file(list, node + "P:git\nV:2-r0\n\n").finish();
  const auto owner = [](const Taken& taken) { return taken.inventory.packages.back().owner; };
  EXPECT_EQ(owner(take(oci_image({brought, written_again}))), "nodejs");
  EXPECT_EQ(owner(take(oci_image({brought, replaced}))), "");
  EXPECT_EQ(owner(take(oci_image({brought, replaced, written_again}))), "");
}

}  // namespace
}  // namespace slipway::scan
