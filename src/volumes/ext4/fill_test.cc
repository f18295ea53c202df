#include "volumes/ext4/fill.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "volumes/testing/ext4_volume.h"

namespace slipway::volumes::ext4 {
namespace {

using archive::small_rootfs;
using archive::TarBuilder;
using namespace std::string_literals;

using Pieces = std::vector<std::pair<std::uint64_t, std::string>>;

// A sparse file in the form that GNU tar writes today.
TarBuilder& add_sparse(TarBuilder& tar, const std::string& name, std::uint64_t size, const Pieces& pieces) {
  std::string map = fmt::format("{}\n", pieces.size());
  std::string data;
  for (const auto& [offset, piece] : pieces) {
    map += fmt::format("{}\n{}\n", offset, piece.size());
    data += piece;
  }
  tar.pax({{"GNU.sparse.major", "1"},
           {"GNU.sparse.minor", "0"},
           {"GNU.sparse.name", name},
           {"GNU.sparse.realsize", std::to_string(size)}});
  const std::uint64_t padded = (map.size() + 511) / 512 * 512;
  return tar.header({.name = "sparse", .size = padded + data.size()})
      .content(map + std::string(padded - map.size(), '\0') + data);
}

std::string expanded(std::uint64_t size, const Pieces& pieces) {
  std::string out(size, '\0');
  for (const auto& [offset, piece] : pieces) out.replace(offset, piece.size(), piece);
  return out;
}

TEST(FillTest, TheImageStandsBelowRootfsBesideLostAndFound) {
  TestVolume volume;
  const auto filled = volume.fill(small_rootfs().file("etc/hostname", "box\n", 0640));
  ASSERT_TRUE(filled) << filled.error().message();
  const Seen seen = volume.read();
  EXPECT_EQ(seen.at("rootfs").mode, 040755);
  EXPECT_EQ(seen.at("rootfs/etc").mode, 040755);
  EXPECT_EQ(seen.at("rootfs/etc/hostname").content, "box\n");
  EXPECT_EQ(seen.at("rootfs/etc/hostname").mode, 0100640);
  EXPECT_EQ(seen.at("lost+found").mode, 040700);
  EXPECT_EQ(seen.at("lost+found").size, 16384);
  EXPECT_EQ(seen.at("lost+found").number, 11);
  EXPECT_CLEAN(volume);
}

TEST(FillTest, TheRootHasTheOwnerModeAndTimeOfTheImage) {
  TestVolume volume;
  TarBuilder tar;
  tar.header({.name = "./", .type = '5', .mode = 0711, .uid = 12, .gid = 34, .mtime = 77});
  ASSERT_TRUE(volume.fill(tar.folder("./etc").folder("./usr").folder("./var")));
  const Seen seen = volume.read();
  const SeenInode& root = seen.at("rootfs");
  EXPECT_EQ(root.mode, 040711);
  EXPECT_EQ(root.uid, 12);
  EXPECT_EQ(root.gid, 34);
  EXPECT_EQ(root.mtime, 77);
  EXPECT_CLEAN(volume);
}

TEST(FillTest, FilesOfAllSizesAroundABlockKeepTheirBytes) {
  TestVolume volume;
  TarBuilder tar = small_rootfs();
  const std::vector<std::size_t> sizes{0, 1, 511, 4095, 4096, 4097, 8192, 65536, 1048575, 3000001};
  for (const std::size_t size : sizes) tar.file(fmt::format("usr/{}", size), bytes(size, unsigned(size)));
  const auto filled = volume.fill(tar);
  ASSERT_TRUE(filled) << filled.error().message();
  const Seen seen = volume.read();
  for (const std::size_t size : sizes) {
    const SeenInode& file = seen.at(fmt::format("rootfs/usr/{}", size));
    EXPECT_EQ(file.size, size);
    EXPECT_EQ(file.blocks, (size + 4095) / 4096) << size;
    EXPECT_EQ(file.sha256, sha256_hex(bytes(size, unsigned(size)))) << size;
  }
  EXPECT_CLEAN(volume);
}

TEST(FillTest, OwnersOf32BitsSpecialModesAndNanosecondsAreKept) {
  TestVolume volume;
  TarBuilder tar = small_rootfs();
  tar.pax({{"mtime", "1234567890.123456789"}, {"uid", "4294967294"}, {"gid", "70000"}});
  tar.header({.name = "usr/owned", .mode = 06751}).content("");
  tar.pax({{"mtime", "-5"}}).file("usr/before", "");
  tar.pax({{"mtime", "5000000000.5"}}).file("usr/after", "");
  tar.pax({{"mtime", "99999999999"}}).file("usr/far", "");
  tar.folder("tmp", 01777);
  ASSERT_TRUE(volume.fill(tar));
  const Seen seen = volume.read();
  const SeenInode& owned = seen.at("rootfs/usr/owned");
  EXPECT_EQ(owned.uid, 4294967294);
  EXPECT_EQ(owned.gid, 70000);
  EXPECT_EQ(owned.mode, 0106751);
  EXPECT_EQ(owned.mtime, 1234567890);
  EXPECT_EQ(owned.mtime_ns, 123456789);
  EXPECT_EQ(owned.ctime, 1'700'000'000);
  EXPECT_EQ(seen.at("rootfs/usr/before").mtime, -5);
  EXPECT_EQ(seen.at("rootfs/usr/after").mtime, 5'000'000'000);
  EXPECT_EQ(seen.at("rootfs/usr/far").mtime, (std::int64_t{1} << 34U) - (std::int64_t{1} << 31U) - 1);
  EXPECT_EQ(seen.at("rootfs/tmp").mode, 041777);
  EXPECT_CLEAN(volume);
}

TEST(FillTest, SymbolicLinksOfAnyLengthAreKept) {
  TestVolume volume;
  TarBuilder tar = small_rootfs();
  const std::vector<std::size_t> sizes{1, 59, 60, 61, 100, 1000, 4095};
  for (const std::size_t size : sizes) {
    const std::string target = std::string(size, 'x');
    std::string split = target;  // no part of a path is longer than a name may be
    for (std::size_t i = 200; i < split.size(); i += 200) split[i] = '/';
    tar.pax({{"linkpath", split}}).symlink(fmt::format("usr/{}", size), "short");
  }
  ASSERT_TRUE(volume.fill(tar));
  const Seen seen = volume.read();
  for (const std::size_t size : sizes) {
    const SeenInode& link = seen.at(fmt::format("rootfs/usr/{}", size));
    EXPECT_EQ(link.mode, 0120777);
    EXPECT_EQ(link.content.size(), size);
    EXPECT_TRUE(link.content.starts_with("x"));
    EXPECT_EQ(link.blocks, size < 60 ? 0 : 1);
  }
  EXPECT_CLEAN(volume);
}

TEST(FillTest, HardLinksAreOneFileWithSeveralNames) {
  TestVolume volume;
  const auto filled = volume.fill(small_rootfs()
                                      .file("usr/a", "shared")
                                      .hard_link("usr/b", "usr/a")
                                      .folder("usr/deep")
                                      .hard_link("usr/deep/c", "usr/b"));
  ASSERT_TRUE(filled);
  const Seen seen = volume.read();
  EXPECT_EQ(seen.at("rootfs/usr/a").links, 3);
  EXPECT_EQ(seen.at("rootfs/usr/a").number, seen.at("rootfs/usr/b").number);
  EXPECT_EQ(seen.at("rootfs/usr/a").number, seen.at("rootfs/usr/deep/c").number);
  EXPECT_EQ(seen.at("rootfs/usr/deep/c").content, "shared");
  EXPECT_CLEAN(volume);
}

TEST(FillTest, DevicesAndFifosAreMadeWhereThePolicyLetsThem) {
  TestVolume volume;
  TarBuilder tar = small_rootfs();
  tar.folder("dev");
  tar.header({.name = "dev/null", .type = '3', .mode = 0666, .device_major = 1, .device_minor = 3});
  tar.header({.name = "dev/far", .type = '4', .mode = 0660, .device_major = 259, .device_minor = 70000});
  tar.special("dev/pipe", '6');
  const auto filled = volume.fill(tar);
  ASSERT_TRUE(filled) << filled.error().message();
  EXPECT_EQ(filled->counts.others, 3);
  const Seen seen = volume.read();
  EXPECT_EQ(seen.at("rootfs/dev/null").mode, 020666);
  EXPECT_EQ(seen.at("rootfs/dev/null").device, 1U << 20U | 3U);
  EXPECT_EQ(seen.at("rootfs/dev/far").mode, 060660);
  EXPECT_EQ(seen.at("rootfs/dev/far").device, 259U << 20U | 70000U);
  EXPECT_EQ(seen.at("rootfs/dev/pipe").mode & 0170000, 010000);
  EXPECT_CLEAN(volume);
}

TEST(FillTest, NamesAreBytesOfAnyKindUpTo255) {
  TestVolume volume;
  TarBuilder tar = small_rootfs();
  const std::vector<std::string> names{
      "\xff\xfe", "\xc3\x28", "new\nline", " ", "\\", std::string(255, 'n'), "\xe6\x97\xa5\xe6\x9c\xac",
      "-",        "...",      "\x01"};
  for (const std::string& name : names) tar.long_name("usr/" + name).file("short", name);
  const auto filled = volume.fill(tar);
  ASSERT_TRUE(filled) << filled.error().message();
  const Seen seen = volume.read();
  for (const std::string& name : names) EXPECT_EQ(seen.at("rootfs/usr/" + name).content, name);
  EXPECT_CLEAN(volume);
}

TEST(FillTest, HolesStayHoles) {
  TestVolume volume;
  TarBuilder tar = small_rootfs();
  // Not aligned, several in one block, a hole at the front and at the end, one of a single block.
  const Pieces odd{
      {5000, bytes(10)}, {5100, bytes(7, 2)}, {12288, bytes(4096, 3)}, {20479, bytes(2, 4)}, {1 << 20, bytes(9000, 5)}};
  add_sparse(tar, "usr/odd", 3 << 20, odd);
  add_sparse(tar, "usr/nothing", 1 << 30, {{1 << 30, ""}});
  const auto filled = volume.fill(tar);
  ASSERT_TRUE(filled) << filled.error().message();
  const Seen seen = volume.read();
  EXPECT_EQ(seen.at("rootfs/usr/odd").sha256, sha256_hex(expanded(3 << 20, odd)));
  EXPECT_EQ(seen.at("rootfs/usr/odd").blocks, 1 + 1 + 2 + 3);
  EXPECT_EQ(seen.at("rootfs/usr/nothing").size, 1 << 30);
  EXPECT_EQ(seen.at("rootfs/usr/nothing").blocks, 0);
  EXPECT_CLEAN(volume);
}

TEST(FillTest, AFileMayBeLargerThanItsVolume) {
  TestVolume volume;
  TarBuilder tar = small_rootfs();
  add_sparse(tar, "usr/end", 1ULL << 40U, {{(1ULL << 40U) - 3, "end"}});
  const auto filled = volume.fill(tar);
  ASSERT_TRUE(filled) << filled.error().message();
  EXPECT_GE(filled->counts.bytes, 1ULL << 40U);
  EXPECT_LT(filled->written, 64ULL << 20U);
  EXPECT_CLEAN(volume);
}

TEST(FillTest, AFileInManyPiecesHasATreeOfExtents) {
  TestVolume volume(256ULL << 20);
  TarBuilder tar = small_rootfs();
  Pieces pieces;  // more than four blocks of extents hold
  for (std::uint64_t i = 0; i < 2000; ++i) pieces.emplace_back(i * 8192, bytes(1 + i % 4096, unsigned(i)));
  const std::uint64_t size = 2000 * 8192;
  const auto filled = volume.fill(add_sparse(tar, "usr/pieces", size, pieces));
  ASSERT_TRUE(filled) << filled.error().message();
  const Seen seen = volume.read();
  EXPECT_EQ(seen.at("rootfs/usr/pieces").sha256, sha256_hex(expanded(size, pieces)));
  EXPECT_EQ(seen.at("rootfs/usr/pieces").blocks, 2000 + 6 + 1);  // 340 extents to a block
  EXPECT_CLEAN(volume);
}

TEST(FillTest, AFileThatIsLargerThanAnExtentAndAGroupKeepsItsBytes) {
  TestVolume volume(1ULL << 30);
  const std::string piece = bytes(1 << 20);
  std::string content;
  for (int i = 0; i < 136; ++i) content.append(std::to_string(i)).append(piece);  // both are of 128 MiB
  ASSERT_TRUE(volume.fill(small_rootfs().file("usr/large", content)));
  EXPECT_EQ(volume.read_at("rootfs/usr/large").sha256, sha256_hex(content));
  EXPECT_CLEAN(volume);
}

TEST(FillTest, CountsSayWhatIsBelowTheRoot) {
  TestVolume volume;
  const auto filled = volume.fill(TarBuilder()
                                      .folder("etc")
                                      .folder("usr")
                                      .folder("var")
                                      .file("usr/a", "four")
                                      .hard_link("usr/b", "usr/a")
                                      .symlink("usr/c", "a")
                                      .special("usr/d", '6'));
  ASSERT_TRUE(filled) << filled.error().message();
  EXPECT_EQ(filled->counts, (Counts{.files = 1, .bytes = 4, .folders = 3, .symlinks = 1, .others = 1, .names = 7}));
}

TEST(FillTest, AnImageOfNothingIsAnEmptyRoot) {
  TestVolume volume;
  ASSERT_TRUE(volume.fill(TarBuilder().folder("./")));
  const Seen seen = volume.read();
  EXPECT_EQ(seen.size(), 2);
  EXPECT_EQ(seen.count("rootfs"), 1);
  EXPECT_CLEAN(volume);
}

}  // namespace
}  // namespace slipway::volumes::ext4
