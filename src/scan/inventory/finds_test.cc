#include "scan/inventory/finds.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::scan {
namespace {

using ::testing::HasSubstr;

Package npm(const std::string& name, const std::string& version, const std::string& path = {}) {
  return {.type = PackageType::kNpm, .name = name, .version = version, .path = path};
}

TEST(FindsTest, PackagesAreOfTheFileAndLayerThatWasEntered) {
  Finds finds;
  finds.enter("app/package-lock.json", 2);
  finds.add(npm("a", "1"));
  finds.add(npm("b", "1", "app/x.jar/inner"));
  finds.enter("opt/package-lock.json", 3);
  finds.add(npm("c", "1"));
  const Inventory found = finds.take();
  ASSERT_EQ(found.packages.size(), 3U);
  EXPECT_EQ(found.packages[0].path, "app/package-lock.json");
  EXPECT_EQ(found.packages[0].layer, 2U);
  EXPECT_EQ(found.packages[1].path, "app/x.jar/inner");
  EXPECT_EQ(found.packages[1].layer, 2U);
  EXPECT_EQ(found.packages[2].path, "opt/package-lock.json");
  EXPECT_EQ(found.packages[2].layer, 3U);
  EXPECT_TRUE(found.complete());
}

TEST(FindsTest, PackagesAreSortedAndEachIsThereOnce) {
  Finds finds;
  finds.enter("f", 0);
  finds.add(npm("b", "1"));
  finds.add(npm("a", "2"));
  finds.add({.type = PackageType::kDeb, .name = "z", .version = "1"});
  finds.add(npm("a", "1"));
  finds.add(npm("b", "1"));
  finds.add(npm("b", "1", "elsewhere"));
  const Inventory found = finds.take();
  ASSERT_EQ(found.packages.size(), 5U);
  EXPECT_EQ(found.packages[0].name, "z");
  EXPECT_EQ(found.packages[1].version, "1");
  EXPECT_EQ(found.packages[2].version, "2");
  EXPECT_EQ(found.packages[3].path, "elsewhere");
  EXPECT_EQ(found.packages[4].path, "f");
}

TEST(FindsTest, APackageWithoutNameOrVersionIsNotAddedButNoted) {
  Finds finds;
  finds.enter("f\n", 0);
  finds.add(npm("", "1"));
  finds.add(npm("bad\x1bname", ""));
  const Inventory found = finds.take();
  EXPECT_TRUE(found.packages.empty());
  ASSERT_EQ(found.unread.size(), 2U);
  EXPECT_EQ(found.unread[0].path, "f\\x0a");
  EXPECT_EQ(found.unread[0].reason, "a package without a name");
  EXPECT_EQ(found.unread[1].reason, "package bad\\x1bname has no version");
  EXPECT_FALSE(found.complete());
}

TEST(FindsTest, ThereIsAnEndToPackagesAndItIsNotedOnce) {
  Finds finds;
  finds.enter("f", 0);
  for (std::size_t n = 0; n < Finds::kMostPackages + 2; ++n) finds.add(npm("p", std::to_string(n)));
  const Inventory found = finds.take();
  EXPECT_EQ(found.packages.size(), Finds::kMostPackages);
  ASSERT_EQ(found.unread.size(), 1U);
  EXPECT_THAT(found.unread[0].reason, HasSubstr("more than 200000 packages"));
}

TEST(FindsTest, ThereIsAnEndToOwnedFilesAndItIsNotedOnce) {
  Finds finds;
  finds.enter("var/lib/dpkg/info/p.list", 0);
  for (std::size_t n = 0; n < Finds::kMostOwned + 2; ++n) finds.own("/f", "p");
  const Inventory found = finds.take();
  ASSERT_EQ(found.unread.size(), 1U);
  EXPECT_THAT(found.unread[0].reason, HasSubstr("own more than 1000000 files"));
}

TEST(FindsTest, ThereIsAnEndToReasons) {
  Finds finds;
  finds.enter("f", 0);
  for (int n = 0; n < 5'000; ++n) finds.unread("x");
  EXPECT_EQ(finds.take().unread.size(), 1'000U);
}

TEST(FindsTest, TheDistributionOfTheLowestRankCountsWhateverTheOrder) {
  for (const bool first : {true, false}) {
    Finds finds;
    if (first) finds.set_distribution({.id = "debian"}, 0);
    finds.set_distribution({.id = "other"}, 1);
    if (!first) finds.set_distribution({.id = "debian"}, 0);
    EXPECT_EQ(finds.take().distribution->id, "debian");
  }
  EXPECT_FALSE(Finds().take().distribution);
}

TEST(FindsTest, ALanguagesPackageSaysWhoseItsFileIs) {
  Finds finds;
  finds.enter("usr/lib/python3/dist-packages/six.egg-info/PKG-INFO", 0);
  finds.add({.type = PackageType::kPypi, .name = "six", .version = "1"});
  finds.enter("usr/lib/x.json", 0);
  finds.add(npm("x", "1"));
  finds.enter("app/y.json", 0);
  finds.add(npm("y", "1"));
  finds.enter("var/lib/dpkg/info", 0);
  finds.own("/usr/lib/python3/dist-packages/six.egg-info/PKG-INFO", "python3-six");
  finds.own("lib/x.json", "x-tools");  // where lib is a link to usr/lib
  finds.own("/var/lib/dpkg/info", "dpkg");
  for (const auto* name : {"dpkg", "python3-six", "x-tools"}) {
    finds.add({.type = PackageType::kDeb, .name = name, .version = "1"});
  }
  const Inventory found = finds.take();
  ASSERT_EQ(found.packages.size(), 6U);
  EXPECT_EQ(found.packages[0].owner, "");  // the distribution's own
  EXPECT_EQ(found.packages[3].owner, "x-tools");
  EXPECT_EQ(found.packages[4].owner, "");
  EXPECT_EQ(found.packages[5].owner, "python3-six");
}

TEST(FindsTest, WhatIsWithinAFileHasTheFilesOwnerHoweverLongItsPath) {
  const std::string jar = "usr/share/java/" + std::string(300, 'j') + ".jar";
  Finds finds;
  finds.enter(jar, 0);
  finds.add({.type = PackageType::kMaven, .name = "g:a", .version = "1"});
  finds.add({.type = PackageType::kMaven, .name = "g:b", .version = "1", .path = jar + "/lib/b.jar"});
  finds.own("/" + jar, "libjava");
  finds.add({.type = PackageType::kDeb, .name = "libjava", .version = "1"});
  const Inventory found = finds.take();
  ASSERT_EQ(found.packages.size(), 3U);
  EXPECT_EQ(found.packages[1].owner, "libjava");
  EXPECT_EQ(found.packages[2].owner, "libjava");
}

TEST(FindsTest, WhoIsNotInstalledOwnsNothing) {
  Finds finds;
  finds.enter("usr/lib/x.json", 0);
  finds.add(npm("x", "1"));
  finds.enter("var/lib/dpkg/info/gone.list", 0);
  finds.own("/usr/lib/x.json", "gone");
  EXPECT_EQ(finds.take().packages.at(0).owner, "");
}

TEST(FindsTest, AFileThatALaterLayerReplacedIsNobodys) {
  for (const std::uint32_t layer : {1U, 2U}) {
    Finds finds;
    finds.enter("lib/apk/db/installed", 1);
    finds.add({.type = PackageType::kApk, .name = "tool", .version = "1"});
    finds.own("usr/lib/x.json", "tool");
    finds.enter("usr/lib/x.json", layer);
    finds.add(npm("x", "1"));
    EXPECT_EQ(finds.take().packages.at(1).owner, layer == 1 ? "tool" : "");
  }
}

TEST(FindsTest, AFileThatWasReplacedStaysNobodysWhenTheListIsWrittenAgain) {
  const auto owner = [](const std::string& version_before) {
    Finds earlier;
    earlier.enter("lib/apk/db/installed", 1);
    earlier.add({.type = PackageType::kApk, .name = "tool", .version = version_before});
    earlier.own("usr/lib/x.json", "tool");
    Finds finds;
    finds.enter("lib/apk/db/installed", 3);
    finds.add({.type = PackageType::kApk, .name = "tool", .version = "2"});
    finds.own("usr/lib/x.json", "tool");
    finds.enter("usr/lib/x.json", 2);
    finds.add(npm("x", "1"));
    finds.precede(earlier, 1);
    return finds.take().packages.at(1).owner;
  };
  EXPECT_EQ(owner("2"), "");
  EXPECT_EQ(owner("1"), "tool") << "it was upgraded, and the file with it";
}

TEST(FindsTest, ThereIsAnEndToTextAndItIsNotedOnce) {
  Finds finds;
  finds.enter("f", 0);
  for (std::size_t n = 0; n < 20'000; ++n) {
    auto package = npm("p", std::to_string(n));
    package.licence = std::string(1'000, 'l');
    finds.add(std::move(package));
  }
  const Inventory found = finds.take();
  EXPECT_LT(found.packages.size(), 15'000U);
  EXPECT_GT(found.packages.size(), 13'000U);
  ASSERT_EQ(found.unread.size(), 1U);
  EXPECT_THAT(found.unread[0].reason, HasSubstr("over 14 MiB"));
}

TEST(FindsTest, WhatAnotherFoundInAFileIsTakenOverWithItsOwners) {
  Finds finds;
  finds.enter("var/lib/dpkg/info/first.list", 0);
  finds.own("/usr/lib/first", "first");
  Finds file;
  file.enter("usr/lib/x.json", 9);
  file.add(npm("x", "1"));
  file.unread("half of it");
  finds.absorb(std::move(file), 4);
  Finds list;
  list.enter("var/lib/dpkg/info/second.list", 0);
  list.own("/usr/lib/x.json", "second");
  list.add({.type = PackageType::kDeb, .name = "second", .version = "1"});
  list.set_distribution({.id = "debian"}, 0);
  finds.absorb(std::move(list), 4);
  const Inventory found = finds.take();
  ASSERT_EQ(found.packages.size(), 2U);
  EXPECT_EQ(found.packages[1].owner, "second");
  EXPECT_EQ(found.packages[1].path, "usr/lib/x.json");
  EXPECT_EQ(found.packages[1].layer, 4U);
  ASSERT_EQ(found.unread.size(), 1U);
  EXPECT_EQ(found.unread[0].path, "usr/lib/x.json");
  EXPECT_EQ(found.distribution->id, "debian");
}

TEST(FindsTest, TheEndOfPackagesHoldsForWhatIsTakenOverToo) {
  Finds finds;
  finds.enter("f", 0);
  for (std::size_t n = 0; n < Finds::kMostPackages - 1; ++n) finds.add(npm("p", std::to_string(n)));
  Finds other;
  other.enter("g", 0);
  for (const auto* version : {"a", "b", "c"}) other.add(npm("p", version));
  finds.absorb(std::move(other), 0);
  const Inventory found = finds.take();
  EXPECT_EQ(found.packages.size(), Finds::kMostPackages);
  ASSERT_EQ(found.unread.size(), 1U);
  EXPECT_EQ(found.unread[0].path, "g");
}

TEST(FindsTest, NothingIsLeftWhenItIsTaken) {
  Finds finds;
  finds.enter("f", 0);
  finds.add(npm("a", "1"));
  finds.own("/f", "p");
  finds.set_distribution({.id = "debian"}, 0);
  finds.unread("x");
  EXPECT_FALSE(finds.take() == Inventory());
  EXPECT_TRUE(finds.take() == Inventory());
  finds.set_distribution({.id = "alpine"}, 1);
  EXPECT_EQ(finds.take().distribution->id, "alpine");
}

TEST(Finds, WhatIsNoTextOrTooLongIsNotedAndNotKept) {
  Finds finds;
  finds.enter("a", 0);
  finds.add({.type = PackageType::kDeb, .name = std::string(2'000, 'x'), .version = "1"});
  finds.add({.type = PackageType::kDeb, .name = "ok", .version = "\xff"});
  finds.add({.type = PackageType::kDeb, .name = "ok\x1b[2J", .version = "1"});
  finds.add({.type = PackageType::kDeb, .name = "good", .version = "1", .licence = std::string(5'000, 'l')});
  const auto found = finds.take();
  ASSERT_EQ(found.packages.size(), 1U);
  EXPECT_LT(found.packages[0].licence.size(), 1'024U);
  EXPECT_EQ(found.unread.size(), 3U);
}

}  // namespace
}  // namespace slipway::scan
