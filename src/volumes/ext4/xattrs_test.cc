#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "volumes/ext4/fill.h"
#include "volumes/testing/ext4_volume.h"

namespace slipway::volumes::ext4 {
namespace {

using archive::small_rootfs;
using archive::TarBuilder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using namespace std::string_literals;

// cap_net_raw+ep, as setcap writes it.
const std::string kCapability = "\x01\0\0\x02\0\x20\0\0\0\0\0\0\0\0\0\0\0\0\0\0"s;

TarBuilder::Records xattr(const std::string& name, const std::string& value) {
  return {{"SCHILY.xattr." + name, value}};
}

std::string acl(const std::vector<std::tuple<int, int, std::uint32_t>>& entries) {
  std::string out = "\x02\0\0\0"s;
  for (const auto& [tag, permissions, id] : entries) {
    out += {static_cast<char>(tag), 0, static_cast<char>(permissions), 0};
    for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>(id >> shift);
  }
  return out;
}

TEST(XattrsTest, CapabilitiesStandInTheInode) {
  TestVolume volume;
  const auto filled =
      volume.fill(small_rootfs().pax(xattr("security.capability", kCapability)).file("usr/ping", "x", 0755));
  ASSERT_TRUE(filled) << filled.error().message();
  const Seen seen = volume.read();
  EXPECT_THAT(seen.at("rootfs/usr/ping").xattrs, ElementsAre(Pair("security.capability", kCapability)));
  EXPECT_EQ(seen.at("rootfs/usr/ping").blocks, 1);  // that of its content
  EXPECT_EQ(filled->xattrs_left_out, 0);
  EXPECT_CLEAN(volume);
}

TEST(XattrsTest, WhatDoesNotFitTheInodeGetsABlock) {
  TestVolume volume;
  TarBuilder tar = small_rootfs();
  TarBuilder::Records many;
  std::map<std::string, std::string> expected;
  for (int i = 0; i < 20; ++i) {
    const std::string name = fmt::format("user.name-{:0{}}", i, 1 + i % 5);
    expected[name] = bytes(static_cast<std::size_t>(1 + i * 9), static_cast<std::uint32_t>(i));
    many.emplace_back("SCHILY.xattr." + name, expected[name]);
  }
  many.emplace_back("SCHILY.xattr.security.capability", kCapability);
  many.emplace_back("SCHILY.xattr.trusted.overlay.opaque", "y");
  many.emplace_back("SCHILY.xattr.user.empty", "");
  expected["security.capability"] = kCapability;
  expected["trusted.overlay.opaque"] = "y";
  expected["user.empty"] = "";
  const auto filled = volume.fill(tar.pax(many).file("usr/many", "").pax(many).folder("usr/folder"));
  ASSERT_TRUE(filled) << filled.error().message();
  const Seen seen = volume.read();
  EXPECT_EQ(seen.at("rootfs/usr/many").xattrs, expected);
  EXPECT_EQ(seen.at("rootfs/usr/folder").xattrs, expected);
  EXPECT_EQ(seen.at("rootfs/usr/many").blocks, 1);
  EXPECT_CLEAN(volume);
}

TEST(XattrsTest, MoreThanABlockHoldsIsRefusedByName) {
  TestVolume volume;
  const auto filled = volume.fill(small_rootfs().pax(xattr("user.big", bytes(5000))).file("usr/big", ""));
  ASSERT_FALSE(filled);
  EXPECT_EQ(filled.error().kind(), ErrorKind::kUnsupported);
  EXPECT_THAT(filled.error().message(), ::testing::HasSubstr("usr/big"));
}

TEST(XattrsTest, AccessListsAreStoredAsTheKernelReadsThem) {
  TestVolume volume;
  constexpr std::uint32_t kNobody = 0;  // as libext2fs reads it; the kernel says -1
  const std::string list = acl({{1, 6, kNobody}, {2, 4, 1000}, {4, 4, kNobody}, {16, 4, kNobody}, {32, 0, kNobody}});
  TarBuilder tar = small_rootfs();
  tar.pax(xattr("system.posix_acl_access", list)).file("usr/listed", "");
  tar.pax(xattr("system.posix_acl_default", list)).folder("usr/folder");
  const auto filled = volume.fill(tar);
  ASSERT_TRUE(filled) << filled.error().message();
  const Seen seen = volume.read();
  EXPECT_THAT(seen.at("rootfs/usr/listed").xattrs, ElementsAre(Pair("system.posix_acl_access", list)));
  EXPECT_THAT(seen.at("rootfs/usr/folder").xattrs, ElementsAre(Pair("system.posix_acl_default", list)));
  EXPECT_EQ(filled->xattrs_left_out, 0);
  EXPECT_CLEAN(volume);
}

TEST(XattrsTest, WhatLinuxWouldRefuseIsLeftOutAndCounted) {
  TestVolume volume;
  TarBuilder tar = small_rootfs();
  tar.pax(xattr("com.apple.provenance", "x")).file("usr/foreign", "");
  tar.pax(xattr("system.posix_acl_access", "rubbish")).file("usr/list", "");
  tar.pax(xattr("system.posix_acl_access", acl({{1, 6, 0}, {2, 4, 0}, {4, 4, 0}, {32, 0, 0}})))
      .file("usr/maskless", "");
  tar.pax(xattr("user.x", "x")).symlink("usr/link", "list");
  tar.pax(xattr("user.", "x")).file("usr/nameless", "");
  tar.pax(xattr("user." + std::string(251, 'n'), "x")).file("usr/long", "");
  tar.pax(xattr("system.posix_acl_default", acl({{1, 6, 0}, {4, 4, 0}, {32, 0, 0}}))).file("usr/file", "");
  const auto filled = volume.fill(tar);
  ASSERT_TRUE(filled) << filled.error().message();
  EXPECT_EQ(filled->xattrs_left_out, 7);
  for (const auto& [path, inode] : volume.read()) EXPECT_THAT(inode.xattrs, IsEmpty()) << path;
  EXPECT_CLEAN(volume);
}

}  // namespace
}  // namespace slipway::volumes::ext4
