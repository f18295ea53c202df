// The same archive by other hands: what tar makes of it, what the kernel finds on the volume, real and layered images.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "archive/testing/survey_helpers.h"
#include "base/digest.h"
#include "sys/testing/command.h"
#include "volumes/ext4/fill.h"
#include "volumes/ext4/look.h"
#include "volumes/testing/ext4_volume.h"

namespace slipway::volumes::ext4 {
namespace {

namespace fs = std::filesystem;
using archive::small_rootfs;
using archive::TarBuilder;
using Streams = sys::CommandOptions::Streams;

std::string read_file(const fs::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

// What stands at `path` on a file system of the kernel's is what was seen on the volume.
void expect_same(const fs::path& path, const SeenInode& seen, bool folder_times) {
  struct stat info{};
  ASSERT_EQ(::lstat(path.c_str(), &info), 0) << path;
  EXPECT_EQ(info.st_mode, seen.mode) << path;
  if (::geteuid() == 0) {
    EXPECT_EQ(info.st_uid, seen.uid) << path;
    EXPECT_EQ(info.st_gid, seen.gid) << path;
  }
  if (folder_times || !S_ISDIR(info.st_mode)) {
    EXPECT_EQ(info.st_mtim.tv_sec, seen.mtime) << path;
    EXPECT_EQ(info.st_mtim.tv_nsec, seen.mtime_ns) << path;
  }
  if (S_ISDIR(info.st_mode)) return;
  EXPECT_EQ(info.st_nlink, seen.links) << path;
  EXPECT_EQ(static_cast<std::uint64_t>(info.st_size), seen.size) << path;
  if (S_ISLNK(info.st_mode)) {
    EXPECT_EQ(fs::read_symlink(path).native(), seen.content) << path;
  }
  if (!S_ISREG(info.st_mode)) return;
  if (::access(path.c_str(), R_OK) == 0) {
    EXPECT_EQ(sha256_hex(read_file(path)), seen.sha256) << path;
  }
  for (const auto& [name, value] : seen.xattrs) {
    if (name.starts_with("system.")) continue;  // kernel and libext2fs fill their unused fields differently
    std::string got(value.size() + 1, '\0');
    const ssize_t size = ::lgetxattr(path.c_str(), name.c_str(), got.data(), got.size());
    if (size < 0 && ::geteuid() != 0) continue;
    EXPECT_EQ(got.substr(0, size < 0 ? 0 : static_cast<std::size_t>(size)), value) << path << " " << name;
  }
}

// Every path below `root`, and no other, is on the volume, and the same. Of tar no folder's time is taken: it sets them
// before later entries of the archive change the folder again.
void expect_same_tree(const fs::path& root, const Seen& seen, bool folder_times) {
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string path = "rootfs/" + entry.path().lexically_relative(root).native();
    ++count;
    const auto found = seen.find(path);
    ASSERT_NE(found, seen.end()) << path;
    expect_same(entry.path(), found->second, folder_times);
  }
  const auto below = std::ranges::count_if(seen, [](const auto& at) { return at.first.starts_with("rootfs/"); });
  EXPECT_EQ(static_cast<std::size_t>(below), count);
  EXPECT_GT(count, 0);
}

// cap_net_raw+ep, as setcap writes it.
std::string capability() { return {"\x01\0\0\x02\0\x20\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20}; }

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
  const std::string tar_program = sys::find_program("tar");
  if (tar_program.empty()) GTEST_SKIP() << "there is no tar";
  const sys::TempDir folder;
  const std::string image = rich_image().finish();
  std::ofstream(folder.file("image.tar"), std::ios::binary) << image;
  fs::create_directory(folder.file("out"));
  const auto ended = sys::run_to_end({tar_program, "-xpf", folder.file("image.tar"), "--numeric-owner", "--xattrs",
                                      "--xattrs-include=*", "-C", folder.file("out")},
                                     {.streams = Streams::kKept});
  ASSERT_EQ(ended.code, 0) << ended.err;
  TestVolume volume;
  ASSERT_TRUE(volume.fill(image));
  expect_same_tree(folder.file("out"), volume.read(), /*folder_times=*/false);
  EXPECT_CLEAN(volume);
}

// The volume as the kernel sees it, read-only. Gone with the object.
class Mounted {
 public:
  explicit Mounted(const std::string& file) {
    const auto ended =
        sys::run_to_end({"mount", "-t", "ext4", "-o", "ro,loop", file, folder_.path()}, {.streams = Streams::kKept});
    mounted_ = ended.code == 0;
    why_ = ended.err;
  }
  ~Mounted() {
    if (mounted_) (void)sys::run_to_end({"umount", folder_.path()}, {.streams = Streams::kKept});
  }
  Mounted(const Mounted&) = delete;
  Mounted& operator=(const Mounted&) = delete;

  [[nodiscard]] bool ok() const { return mounted_; }
  [[nodiscard]] const std::string& why() const { return why_; }
  [[nodiscard]] fs::path path() const { return folder_.path(); }

 private:
  sys::TempDir folder_;
  bool mounted_ = false;
  std::string why_;
};

TEST(PeersTest, TheKernelReadsTheVolume) {
  if (::geteuid() != 0) GTEST_SKIP() << "to mount needs root";
  TestVolume volume;
  TarBuilder tar = rich_image();
  using namespace std::string_literals;
  const std::string list =
      "\x02\0\0\0\x01\0\x06\0\xff\xff\xff\xff\x02\0\x04\0\xe8\x03\0\0\x04\0\x04\0\xff\xff\xff\xff"s +
      "\x10\0\x04\0\xff\xff\xff\xff\x20\0\0\0\xff\xff\xff\xff"s;
  tar.pax({{"SCHILY.xattr.system.posix_acl_access", list}, {"SCHILY.xattr.security.capability", capability()}});
  ASSERT_TRUE(volume.fill(tar.file("usr/listed", "", 0640)));
  EXPECT_EQ(volume.read().at("rootfs/usr/listed").xattrs.size(), 2);
  const Mounted mounted(volume.file());
  if (!mounted.ok()) GTEST_SKIP() << "cannot mount here: " << mounted.why();
  expect_same_tree(mounted.path() / "rootfs", volume.read(), /*folder_times=*/true);
  std::string got(list.size(), '\0');
  const auto listed = mounted.path() / "rootfs/usr/listed";
  EXPECT_EQ(::lgetxattr(listed.c_str(), "system.posix_acl_access", got.data(), got.size()), list.size());
  EXPECT_EQ(got, list);
  struct stat info{};
  // By the index, not by reading the folder; a name that is not there too.
  EXPECT_EQ(::lstat((mounted.path() / "rootfs/usr/file-699").c_str(), &info), 0);
  EXPECT_NE(::lstat((mounted.path() / "rootfs/usr/file-700").c_str(), &info), 0);
}

TEST(PeersTest, LayersAreMergedBeforeTheyReachTheVolume) {
  const std::string below =
      small_rootfs().file("etc/gone", "1").file("etc/kept", "2").folder("var/old").file("var/old/x", "3").finish();
  const std::string above = TarBuilder()
                                .file("etc/.wh.gone", "")
                                .file("etc/kept", "changed")
                                .folder("var/old")
                                .file("var/old/.wh..wh..opq", "")
                                .file("var/old/y", "4")
                                .finish();
  for (const std::string& image :
       {archive::docker_image({below, above}),
        archive::oci_image({archive::compress(archive::Compression::kGzip, below),
                            archive::compress(archive::Compression::kZstd, above)}),
        archive::compress(archive::Compression::kGzip, archive::docker_image({below, above}))}) {
    TestVolume volume;
    const auto filled = volume.fill(image);
    ASSERT_TRUE(filled) << filled.error().message();
    const Seen seen = volume.read();
    EXPECT_EQ(seen.count("rootfs/etc/gone"), 0);
    EXPECT_EQ(seen.at("rootfs/etc/kept").content, "changed");
    EXPECT_EQ(seen.count("rootfs/var/old/x"), 0);
    EXPECT_EQ(seen.at("rootfs/var/old/y").content, "4");
    EXPECT_CLEAN(volume);
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

TEST(PeersTest, TheAlpineImageFillsAVolume) {
  const char* given = std::getenv("SLIPWAY_DATA");
  const fs::path data = given != nullptr ? given : SLIPWAY_TEST_DATA;
  const fs::path image = data / "images/alpine-310.docker-save.tar.gz";
  if (!fs::exists(image)) GTEST_SKIP() << image << " is not there";
  TestVolume volume(128ULL << 20);
  const auto filled = volume.fill(read_file(image));
  ASSERT_TRUE(filled) << filled.error().message();
  const Seen seen = volume.read();
  EXPECT_THAT(seen.at("rootfs/etc/os-release").content, ::testing::HasSubstr("Alpine"));
  EXPECT_EQ(seen.at("rootfs/bin/busybox").mode, 0100755);
  const auto looked = look(volume.target().fd, volume.target().size);
  ASSERT_TRUE(looked);
  EXPECT_EQ(looked->counts, filled->counts);
  EXPECT_CLEAN(volume);
}

}  // namespace
}  // namespace slipway::volumes::ext4
