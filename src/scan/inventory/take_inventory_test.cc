#include "scan/inventory/take_inventory.h"

#include <memory>
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
    const auto taken = take(compress(
        compression,
        small_rootfs().file("app/node_modules/a/package.json", npm("a")).file("app/package-lock.json", lock("b")).finish()));
    EXPECT_THAT(taken.names(), ElementsAre("a app/node_modules/a/package.json 0", "b app/package-lock.json 0"));
    EXPECT_EQ(taken.passes, 1);
  }
}

TEST(TakeInventory, OfALayeredImageOnlyWhatSurvivesCounts) {
  const auto lower = small_rootfs()
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
  const auto lower = small_rootfs().folder("usr/lib").symlink("lib", "usr/lib").finish();
  const auto upper = TarBuilder().file("lib/node_modules/a/package.json", npm("a")).finish();
  const auto taken = take(oci_image({lower, upper}));
  EXPECT_THAT(taken.names(), ElementsAre("a usr/lib/node_modules/a/package.json 1"));
  EXPECT_EQ(taken.passes, 3);
}

TEST(TakeInventory, AFileWithSeveralNamesIsReadOnceByTheOneItsEntryHas) {
  const auto taken = take(small_rootfs()
                              .file("z/package-lock.json", lock("a"))
                              .hard_link("b/package-lock.json", "z/package-lock.json")
                              .finish());
  EXPECT_THAT(taken.names(), ElementsAre("a z/package-lock.json 0"));
  EXPECT_EQ(taken.passes, 1);
}

TEST(TakeInventory, ANameThatOnlyALinkHasIsReadInASecondPass) {
  const auto taken = take(
      small_rootfs().file("z/data", lock("a")).hard_link("b/package-lock.json", "z/data").finish());
  EXPECT_THAT(taken.names(), ElementsAre("a b/package-lock.json 0"));
  EXPECT_EQ(taken.passes, 2);
}

TEST(TakeInventory, WhatMayDescribeTheImageIsReadAllTheSame) {
  EXPECT_THAT(take(small_rootfs().file("package-lock.json", lock("a")).finish()).names(),
              ElementsAre("a package-lock.json 0"));
}

TEST(TakeInventory, AnArchiveThatServesAsTwoLayersGivesBoth) {
  // The upper one brings back what a layer between has taken away.
  const auto app = TarBuilder().file("app/package-lock.json", lock("a")).file("x/package-lock.json", lock("x")).finish();
  const auto between = TarBuilder().file(".wh.x", "").finish();
  const auto taken = take(oci_image({small_rootfs().finish(), app, between, app}));
  EXPECT_THAT(taken.names(), UnorderedElementsAre("a app/package-lock.json 3", "x x/package-lock.json 3"));
}

}  // namespace
}  // namespace slipway::scan
