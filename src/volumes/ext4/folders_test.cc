#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "volumes/ext4/fill.h"
#include "volumes/testing/ext4_volume.h"

namespace slipway::volumes::ext4 {
namespace {

using archive::small_rootfs;
using archive::TarBuilder;

std::size_t names_in(const Seen& seen, const std::string& folder) {
  std::size_t count = 0;
  for (auto at = seen.lower_bound(folder + "/"); at != seen.end() && at->first.starts_with(folder + "/"); ++at) ++count;
  return count;
}

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
    const Seen seen = volume.read();
    EXPECT_EQ(seen.at("rootfs/usr/f").indexed, indexed) << count;
    EXPECT_EQ(seen.at("rootfs/usr/f").size, blocks * 4096) << count;
    EXPECT_EQ(names_in(seen, "rootfs/usr/f"), count);
    EXPECT_CLEAN(volume);
  }
}

TEST(FoldersTest, AHundredThousandNamesInOneFolderAreAllThere) {
  TestVolume volume(256ULL << 20);
  TarBuilder tar = small_rootfs();
  for (int i = 0; i < 100'000; ++i) tar.header({.name = fmt::format("usr/{}", i)});
  const auto filled = volume.fill(tar);
  ASSERT_TRUE(filled) << filled.error().message();
  EXPECT_GE(filled->counts.names, 100'000);
  EXPECT_GE(names_in(volume.read(), "rootfs/usr"), 100'000);
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
  const Seen seen = volume.read();
  EXPECT_GT(seen.at("rootfs/usr").size, 510 * 4096);
  EXPECT_GE(names_in(seen, "rootfs/usr"), kCount);
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
  EXPECT_EQ(volume.read().at("rootfs/usr/many").links, 1);
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
