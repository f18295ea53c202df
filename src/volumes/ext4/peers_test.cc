// The same archive by other hands: what tar makes of it, what the kernel finds on the volume, real and layered images.
#include <array>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "sys/testing/command.h"
#include "volumes/testing/ext4_volume.h"
#include "volumes/testing/mounted.h"
#include "volumes/testing/same_tree.h"
#include "volumes/testing/tar_peer.h"

namespace slipway::volumes::ext4 {
namespace {

namespace fs = std::filesystem;
using archive::small_rootfs;
using archive::TarBuilder;
using Streams = sys::CommandOptions::Streams;

// cap_net_raw+ep, as setcap writes it.
std::string capability() { return {"\x01\0\0\x02\0\x20\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20}; }

// Of user 1000 beside the owner, as programs see it.
std::string access_list() {
  using namespace std::string_literals;
  return "\x02\0\0\0\x01\0\x06\0\xff\xff\xff\xff\x02\0\x04\0\xe8\x03\0\0\x04\0\x04\0\xff\xff\xff\xff"s +
         "\x10\0\x04\0\xff\xff\xff\xff\x20\0\0\0\xff\xff\xff\xff"s;
}

TarBuilder rich_image() {
  TarBuilder tar = small_rootfs();
  for (int i = 0; i < 700; ++i) {
    const auto size = static_cast<std::size_t>((i * 37) % 9000);
    tar.pax({{"mtime", fmt::format("1600000{:03}.12345{:04}", i, i)}}).file(fmt::format("usr/file-{}", i), bytes(size));
  }
  tar.header({.name = "usr/owned", .mode = 0640, .uid = 1234, .gid = 99999});
  tar.pax({{"SCHILY.xattr.user.note", "hello"}}).file("usr/noted", "n");
  tar.hard_link("usr/again", "usr/file-3").symlink("usr/link", "file-1");
  tar.pax({{"linkpath", std::string(120, 'y')}}).symlink("usr/longlink", "y");
  tar.pax({{"path", "usr/" + std::string(255, 'z')}}).file("z", "z").pax({{"path", "usr/\xff\xfe"}}).file("z", "bytes");
  return tar.folder("usr/locked", 02711).folder("tmp", 01777);
}

TEST(PeersTest, TheVolumeHoldsWhatTarExtracts) {
  if (const auto why = no_tar()) GTEST_SKIP() << *why;
  expect_as_tar_has_it(rich_image().finish());
}

// A tree with all that a file system can hold, in a folder of the test's.
class RichFolder {
 public:
  explicit RichFolder(const std::string& path) : path_(path) {
    for (const char* folder : {"", "/bin", "/etc", "/usr", "/usr/many", "/var"}) fs::create_directory(path + folder);
    put("bin/tool", bytes(300'000));
    put("etc/hostname", "box\n");
    put("usr/holes", "");
    put_at("usr/holes", 5 << 20, bytes(10'000));
    put_at("usr/holes", 9 << 20, "end");
    fs::resize_file(path + "/usr/holes", 20 << 20);
    put("usr/all-hole", "");
    fs::resize_file(path + "/usr/all-hole", 1 << 20);
    fs::create_hard_link(path + "/bin/tool", path + "/usr/same-tool");
    fs::create_hard_link(path + "/bin/tool", path + "/bin/a-tool");
    fs::create_symlink("tool", path + "/bin/short");
    fs::create_symlink(std::string(59, 's'), path + "/bin/s59");
    fs::create_symlink(std::string(60, 's'), path + "/bin/s60");
    fs::create_symlink(std::string(4095, 'l'), path + "/bin/longest");
    put("usr/\xff\xfe name\nwith a line", "bytes");
    put("usr/" + std::string(255, 'n'), "long");
    for (int i = 0; i < 400; ++i) put(fmt::format("usr/many/file-{}", i), bytes(static_cast<std::size_t>(i * 20)));
    ::mkfifo((path + "/var/fifo").c_str(), 0600);
    ::chmod((path + "/bin/tool").c_str(), 04755);
    ::chmod((path + "/var").c_str(), 03777);
    set("usr/many/file-1", "user.note", "hello");
    set("usr/many", "user.long", bytes(2000));
    old("usr/many/file-2", -6, 750'000'000);
    old("usr/many/file-3", -1, 1);
    old("usr/many/file-4", 4'000'000'000, 999'999'999);
    if (::geteuid() == 0) make_as_root();
  }

 private:
  [[nodiscard]] std::string at(const std::string& name) const { return path_ + "/" + name; }
  void put(const std::string& name, const std::string& content) const {
    std::ofstream(at(name), std::ios::binary) << content;
  }
  void put_at(const std::string& name, std::streamoff offset, const std::string& content) const {
    std::fstream file(at(name), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(offset);
    file << content;
  }
  void set(const std::string& name, const char* attribute, const std::string& value) const {
    // Where the file system has no attributes, the archive has none either.
    (void)::lsetxattr(at(name).c_str(), attribute, value.data(), value.size(), 0);
  }
  void old(const std::string& name, std::int64_t seconds, long nanoseconds) const {
    const std::array<timespec, 2> times{timespec{.tv_sec = 0, .tv_nsec = UTIME_OMIT},
                                        timespec{.tv_sec = seconds, .tv_nsec = nanoseconds}};
    ASSERT_EQ(::utimensat(AT_FDCWD, at(name).c_str(), times.data(), 0), 0) << name;
  }
  void make_as_root() const {
    set("bin/tool", "security.capability", capability());
    set("usr/many/file-5", "trusted.overlay.opaque", "y");
    set("usr/many/file-6", "system.posix_acl_access", access_list());
    set("usr/many", "system.posix_acl_default", access_list());
    ASSERT_EQ(::lchown(at("usr/many/file-7").c_str(), 1234, 4'000'000'000), 0);
    ASSERT_EQ(::lchown(at("bin/short").c_str(), 12, 99'999), 0);
    ASSERT_EQ(::mknod(at("var/null").c_str(), S_IFCHR | 0666, makedev(1, 3)), 0);
    ASSERT_EQ(::mknod(at("var/disk").c_str(), S_IFBLK | 0600, makedev(259, 70'000)), 0);
  }

  std::string path_;
};

class TarWritesTest : public testing::TestWithParam<std::vector<std::string>> {};

INSTANTIATE_TEST_SUITE_P(Peers, TarWritesTest,
                         testing::Values(std::vector<std::string>{"--format=pax"},
                                         std::vector<std::string>{"--format=pax", "--sparse", "--sparse-version=1.0"},
                                         std::vector<std::string>{"--format=pax", "--sparse", "--sparse-version=0.1"},
                                         std::vector<std::string>{"--format=pax", "--sparse", "--sparse-version=0.0"},
                                         std::vector<std::string>{"--format=gnu", "--sparse"}));

TEST_P(TarWritesTest, AnArchiveIsReadAsTarReadsIt) {
  if (const auto why = no_tar()) GTEST_SKIP() << *why;
  const sys::TempDir folder;
  const RichFolder tree(folder.file("tree"));
  std::vector<std::string> words{"tar", "-cf", folder.file("image"), "-C", folder.file("tree"), "--numeric-owner"};
  words.insert(words.end(), GetParam().begin(), GetParam().end());
  if (GetParam().front() == "--format=pax") words.insert(words.end(), {"--acls", "--xattrs", "--xattrs-include=*"});
  words.emplace_back(".");
  const auto written = sys::run_to_end(words, {.streams = Streams::kKept});
  ASSERT_EQ(written.code, 0) << written.err;
  expect_as_tar_has_it(fs::path(folder.file("image")));
}

TEST(PeersTest, TheKernelReadsTheVolume) {
  TestVolume volume;
  TarBuilder tar = rich_image();
  tar.pax(
      {{"SCHILY.xattr.system.posix_acl_access", access_list()}, {"SCHILY.xattr.security.capability", capability()}});
  ASSERT_TRUE(volume.fill(tar.file("usr/listed", "", 0640)));
  EXPECT_EQ(volume.read_at("rootfs/usr/listed").xattrs.size(), 2);
  const Mounted mounted("ext4", volume.file(), "ro,loop");
  if (!mounted.ok()) GTEST_SKIP() << mounted.why();
  expect_same_tree(mounted.file("rootfs"), volume.read());
  struct stat info{};
  // By the index, not by reading the folder; a name that is not there too.
  EXPECT_EQ(::lstat(mounted.file("rootfs/usr/file-699").c_str(), &info), 0);
  EXPECT_NE(::lstat(mounted.file("rootfs/usr/file-700").c_str(), &info), 0);
}

// Each layer has an entry for every folder that it changes, as docker writes them.
std::vector<std::string> rich_layers() {
  const std::string below = rich_image()
                                .file("etc/gone", "1")
                                .file("etc/kept", "2")
                                .folder("var/old")
                                .file("var/old/x", "3")
                                .folder("var/was-folder")
                                .file("var/was-folder/in", "4")
                                .file("var/was-file", "5")
                                .finish();
  TarBuilder middle;
  middle.folder("./")
      .folder("etc")
      .file("etc/.wh.gone", "")
      .pax({{"mtime", "1700000000.5"}})
      .file("etc/kept", "changed", 0600);
  middle.folder("var").folder("var/old", 0700).file("var/old/.wh..wh..opq", "").file("var/old/y", "6");
  middle.file("var/.wh.was-folder", "")
      .symlink("var/was-folder", "old")
      .file("var/.wh.was-file", "")
      .folder("var/was-file");
  middle.folder("usr")
      .file("usr/.wh.file-5", "")
      .hard_link("usr/again-2", "usr/file-3")
      .file("usr/again", "no longer a link");
  middle.pax({{"SCHILY.xattr.security.capability", capability()}}).file("usr/file-8", "with rights", 0755);
  TarBuilder above;
  above.folder("./").folder("var").file("var/.wh.old", "").folder("etc").file("etc/gone", "is back");
  return {below, middle.finish(), above.finish()};
}

TEST(PeersTest, LayersOfDockerAreMergedAsTarAndWhiteoutsWouldHaveThem) {
  if (const auto why = no_tar()) GTEST_SKIP() << *why;
  expect_as_tar_has_it(archive::docker_image(rich_layers()));
  expect_as_tar_has_it(archive::hybrid_image(rich_layers()));
}

TEST(PeersTest, CompressedLayersAreMergedAsTarAndWhiteoutsWouldHaveThem) {
  if (const auto why = no_tar()) GTEST_SKIP() << *why;
  const auto layers = rich_layers();
  expect_as_tar_has_it(archive::oci_image({archive::compress(archive::Compression::kGzip, layers[0]), layers[1],
                                           archive::compress(archive::Compression::kZstd, layers[2])}));
  expect_as_tar_has_it(archive::compress(archive::Compression::kGzip, archive::docker_image(layers)));
}

TEST(PeersTest, WhatWhiteoutsNameIsNotOnTheVolume) {
  TestVolume volume;
  const auto filled = volume.fill(archive::docker_image(rich_layers()));
  ASSERT_TRUE(filled) << filled.error().message();
  const Seen seen = volume.read();
  EXPECT_EQ(seen.at("rootfs/etc/gone").content, "is back");
  EXPECT_EQ(seen.at("rootfs/etc/kept").content, "changed");
  EXPECT_EQ(seen.at("rootfs/var/was-folder").content, "old");
  EXPECT_EQ(seen.at("rootfs/usr/again-2").number, seen.at("rootfs/usr/file-3").number);
  for (const char* gone : {"usr/file-5", "var/old", "var/old/x", "var/old/y", "var/was-folder/in"}) {
    EXPECT_EQ(seen.count(std::string("rootfs/") + gone), 0) << gone;
  }
}

// One archive as two layers, a file of it surviving from both.
TEST(PeersTest, AnArchiveThatIsTwoLayersFillsBothItsFiles) {
  const std::string layer = TarBuilder().folder("usr").file("usr/a", "content").finish();
  const std::string between = TarBuilder().folder("var").hard_link("var/b", "usr/a").finish();
  TestVolume volume;
  const auto filled = volume.fill(archive::docker_image({layer, between, layer}));
  ASSERT_TRUE(filled) << filled.error().message();
  const Seen seen = volume.read();
  EXPECT_EQ(seen.at("rootfs/usr/a").content, "content");
  EXPECT_EQ(seen.at("rootfs/var/b").content, "content");
  EXPECT_CLEAN(volume);
}

TEST(PeersTest, TheBusyboxImageIsAsTarHasIt) {
  if (const auto why = no_tar()) GTEST_SKIP() << *why;
  const sys::TempDir folder;
  const auto made =
      sys::run_to_end({SLIPWAY_TOOLS "/make-sample-image", folder.file("image")}, {.streams = Streams::kKept});
  if (made.code != 0) GTEST_SKIP() << made.err;
  expect_as_tar_has_it(fs::path(folder.file("image")));
}

TEST(PeersTest, TheAlpineImageIsAsTarHasIt) {
  if (const auto why = no_tar()) GTEST_SKIP() << *why;
  const char* given = std::getenv("SLIPWAY_DATA");
  const fs::path data = given != nullptr ? given : SLIPWAY_TEST_DATA;
  const fs::path image = data / "images/alpine-310.docker-save.tar.gz";
  if (!fs::exists(image)) GTEST_SKIP() << image << " is not there";
  expect_as_tar_has_it(image);
}

}  // namespace
}  // namespace slipway::volumes::ext4
