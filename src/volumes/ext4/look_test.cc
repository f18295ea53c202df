#include "volumes/ext4/look.h"

#include <array>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "volumes/testing/ext4_volume.h"

namespace slipway::volumes::ext4 {
namespace {

using archive::small_rootfs;
using archive::TarBuilder;

Result<Layout> look_at(const TestVolume& volume) { return look(volume.target().fd, volume.target().size); }

TEST(LookTest, CountsWhatFillReported) {
  TestVolume volume;
  TarBuilder tar = small_rootfs();
  for (int i = 0; i < 1000; ++i) tar.file(fmt::format("usr/{}", i), bytes(static_cast<std::size_t>(i)));
  tar.hard_link("usr/again", "usr/5").symlink("usr/link", "5").special("usr/pipe", '6');
  const auto filled = volume.fill(tar);
  ASSERT_TRUE(filled);
  const auto seen = look_at(volume);
  ASSERT_TRUE(seen) << seen.error().message();
  EXPECT_EQ(seen->counts, filled->counts);
  EXPECT_GE(seen->counts.files, 1000);
  EXPECT_GE(seen->counts.symlinks, 1);
  EXPECT_EQ(seen->counts.others, 1);
}

TEST(LookTest, TellsTheFoldersThatAnImageShouldHave) {
  TestVolume volume;
  TarBuilder tar;
  tar.header({.name = "etc/", .type = '5', .mode = 0750, .uid = 70000, .gid = 5});
  ASSERT_TRUE(volume.fill(tar.symlink("usr", "etc")));
  const auto seen = look_at(volume);
  ASSERT_TRUE(seen) << seen.error().message();
  EXPECT_EQ(seen->rootfs, (Place{.folder = true, .mode = 0755}));
  EXPECT_EQ(seen->etc, (Place{.folder = true, .mode = 0750, .uid = 70000, .gid = 5}));
  ASSERT_TRUE(seen->usr);
  EXPECT_FALSE(seen->usr->folder);
  EXPECT_FALSE(seen->var);
}

TEST(LookTest, WhatIsNoFileSystemIsCorrupt) {
  TestVolume zeros;
  EXPECT_EQ(look_at(zeros).error().kind(), ErrorKind::kCorrupt);
  zeros.litter();
  EXPECT_EQ(look_at(zeros).error().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(look(zeros.target().fd, 100).error().kind(), ErrorKind::kCorrupt);
}

TEST(LookTest, AVolumeThatWasCutIsCorrupt) {
  TestVolume volume;
  ASSERT_TRUE(volume.fill(small_rootfs().file("usr/large", bytes(9 << 20))));
  EXPECT_EQ(look(volume.target().fd, 32ULL << 20).error().kind(), ErrorKind::kCorrupt);
  ASSERT_EQ(::ftruncate(volume.target().fd, 64 << 10), 0);
  EXPECT_EQ(look_at(volume).error().kind(), ErrorKind::kCorrupt);
}

// Bytes that a look reads, each damaged in turn: superblock, descriptors, inodes, folders.
TEST(LookTest, DamageIsCorruptAndNeverMore) {
  TestVolume volume(16ULL << 20);
  TarBuilder tar = small_rootfs();
  for (int i = 0; i < 600; ++i) tar.file(fmt::format("usr/file-{}", i), "x");
  ASSERT_TRUE(volume.fill(tar));
  const auto sound = look_at(volume);
  ASSERT_TRUE(sound);
  std::mt19937 random(7);
  int noticed = 0;
  const int fd = volume.target().fd;
  for (int round = 0; round < 3000; ++round) {
    // The front of the volume is dense with what matters; the superblock more so.
    const std::uint32_t within = round % 3 == 0 ? 4096 : 8 << 20;
    const off_t at = static_cast<off_t>(random() % within);
    std::array<unsigned char, 4> before{};
    ASSERT_EQ(::pread(fd, before.data(), before.size(), at), 4);
    std::array<unsigned char, 4> after = before;
    for (unsigned char& byte : after) byte = static_cast<unsigned char>(byte ^ (random() % 4 == 0 ? random() : 0x80U));
    ASSERT_EQ(::pwrite(fd, after.data(), after.size(), at), 4);
    const auto seen = look_at(volume);
    if (!seen) {
      EXPECT_EQ(seen.error().kind(), ErrorKind::kCorrupt) << at << ": " << seen.error().message();
      ++noticed;
    } else {
      EXPECT_EQ(seen->counts, sound->counts) << at;
    }
    ASSERT_EQ(::pwrite(fd, before.data(), before.size(), at), 4);
  }
  EXPECT_GT(noticed, 100);
  EXPECT_TRUE(look_at(volume));
}

}  // namespace
}  // namespace slipway::volumes::ext4
