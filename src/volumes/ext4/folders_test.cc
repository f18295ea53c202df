#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sys/testing/sanitized.h"
#include "volumes/ext4/fill.h"
#include "volumes/testing/ext4_volume.h"

namespace slipway::volumes::ext4 {
namespace {

using archive::small_rootfs;
using archive::TarBuilder;

TEST(FoldersTest, AFolderIsIndexedFromItsSecondBlockOn) {
  // An entry of these takes 24 bytes; `.`, `..` and the checksum leave room for 169.
  for (const auto& [count, blocks, indexed] :
       {std::tuple{0, 1, false}, std::tuple{169, 1, false}, std::tuple{170, 3, true}, std::tuple{2000, 15, true}}) {
    TestVolume volume;
    TarBuilder tar = small_rootfs();
    tar.folder("usr/f");
    for (int i = 0; i < count; ++i) tar.file(fmt::format("usr/f/name-{:010}", i), "");
    const auto filled = volume.fill(tar);
    ASSERT_TRUE(filled) << filled.error().message();
    const SeenInode folder = volume.read_at("rootfs/usr/f");
    EXPECT_EQ(folder.indexed, indexed) << count;
    EXPECT_EQ(folder.size, blocks * 4096) << count;
    EXPECT_EQ(volume.names_in("rootfs/usr/f").size(), count);
    EXPECT_CLEAN(volume);
  }
}

TEST(FoldersTest, AHundredThousandNamesInOneFolderAreAllThere) {
  constexpr int kCount = sys::kSanitized ? 20'000 : 100'000;
  TestVolume volume(256ULL << 20);
  TarBuilder tar = small_rootfs();
  std::set<std::string> expected{"bin"};
  for (int i = 0; i < kCount; ++i) {
    tar.header({.name = fmt::format("usr/{}", i)});
    expected.insert(std::to_string(i));
  }
  const auto filled = volume.fill(tar);
  ASSERT_TRUE(filled) << filled.error().message();
  EXPECT_GE(filled->counts.names, kCount);
  const auto names = volume.names_in("rootfs/usr");
  EXPECT_EQ(names.size(), kCount + 1);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()), expected);
  EXPECT_CLEAN(volume);
}

// 507 blocks are what the index's first block can point to.
TEST(FoldersTest, AnIndexOfTwoLevelsIsSound) {
  TestVolume volume(128ULL << 20);
  TarBuilder tar = small_rootfs();
  constexpr int kCount = 8'000;
  for (int i = 0; i < kCount; ++i) {
    const std::string name = fmt::format("usr/{:05}", i) + std::string(250, 'x');
    tar.pax({{"path", name}}).header({.name = "x"});
  }
  const auto filled = volume.fill(tar);
  ASSERT_TRUE(filled) << filled.error().message();
  EXPECT_GT(volume.read_at("rootfs/usr").size, 510 * 4096);
  EXPECT_EQ(volume.names_in("rootfs/usr").size(), kCount + 1);
  EXPECT_CLEAN(volume);
}

TEST(FoldersTest, LinksOfAFolderCountTheFoldersInIt) {
  TestVolume volume;
  TarBuilder tar = small_rootfs();
  for (int i = 0; i < 300; ++i) tar.folder(fmt::format("usr/many/{}", i));
  ASSERT_TRUE(volume.fill(tar));
  EXPECT_EQ(volume.read().at("rootfs/usr/many").links, 302);
  EXPECT_CLEAN(volume);
}

TEST(FoldersTest, MoreFoldersThanALinkCountHoldsAreSaidToBeMany) {
  TestVolume volume(512ULL << 20);
  TarBuilder tar = small_rootfs();
  for (int i = 0; i < 65'000; ++i) tar.header({.name = fmt::format("usr/many/{}/", i), .type = '5', .mode = 0755});
  const auto filled = volume.fill(tar);
  ASSERT_TRUE(filled) << filled.error().message();
  EXPECT_EQ(volume.read_at("rootfs/usr/many").links, 1);
  EXPECT_CLEAN(volume);
}

TEST(FoldersTest, AFileWithMoreNamesThanExt4CountsIsRefusedByName) {
  TestVolume volume;
  TarBuilder tar = small_rootfs();
  tar.file("usr/first", "");
  for (int i = 0; i < 65'000; ++i) {
    tar.header({.name = fmt::format("usr/{}", i), .type = '1', .link = "usr/first"});
  }
  const auto filled = volume.fill(tar);
  ASSERT_FALSE(filled);
  EXPECT_EQ(filled.error().kind(), ErrorKind::kUnsupported);
  EXPECT_THAT(filled.error().message(), ::testing::HasSubstr("65001 names"));
}

TEST(FoldersTest, DeepFoldersAreWalked) {
  TestVolume volume;
  TarBuilder tar = small_rootfs();
  std::string path = "usr";
  for (int i = 0; i < 200; ++i) path += "/d";
  ASSERT_TRUE(volume.fill(tar.pax({{"path", path + "/file"}}).file("x", "deep")));
  EXPECT_EQ(volume.read().at("rootfs/" + path + "/file").content, "deep");
  EXPECT_CLEAN(volume);
}

}  // namespace
}  // namespace slipway::volumes::ext4
