// A Debian root file system, made of its packages: thousands of files with owners, rights, devices and capabilities.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/testing/tar_builder.h"
#include "sys/testing/command.h"
#include "sys/testing/temp_dir.h"
#include "volumes/testing/tar_peer.h"

namespace slipway::volumes::ext4 {
namespace {

namespace fs = std::filesystem;
using archive::Compression;
using archive::TarBuilder;
using ::testing::HasSubstr;
using Streams = sys::CommandOptions::Streams;

constexpr std::uint64_t kVolume = 1ULL << 30;

class DebianTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = no_tar()) GTEST_SKIP() << *why;
    if (fs::exists(rootfs_)) return;
    const std::string mmdebstrap = sys::find_program("mmdebstrap");
    if (mmdebstrap.empty()) GTEST_SKIP() << "there is no mmdebstrap";
    const fs::path half = rootfs_.native() + ".half";
    const auto made = sys::run_to_end(
        {mmdebstrap, "--quiet", "--variant=essential", "--include=iputils-ping", "--format=tar", "bookworm", half},
        {.streams = Streams::kKept});
    if (made.code != 0) GTEST_SKIP() << "mmdebstrap makes no root file system here: " << made.err;
    fs::rename(half, rootfs_);
  }

  [[nodiscard]] std::string bytes() const {
    std::ostringstream out;
    out << std::ifstream(rootfs_, std::ios::binary).rdbuf();
    return out.str();
  }

  fs::path rootfs_ = fs::path(SLIPWAY_IMAGES) / "debian.tar";
};

TEST_F(DebianTest, TheRootFileSystemIsAsTarHasIt) {
  const auto listed = sys::run_to_end({"tar", "-tvf", rootfs_}, {.streams = Streams::kKept});
  ASSERT_EQ(listed.code, 0) << listed.err;
  ASSERT_THAT(listed.out, HasSubstr("-rwsr-xr-x"));
  expect_as_tar_has_it(rootfs_, kVolume);
}

// What a build does with such an image: adds, changes and removes.
std::string layer_above() {
  TarBuilder tar;
  tar.folder("./").folder("usr").folder("usr/share").folder("usr/share/doc").file("usr/share/doc/.wh..wh..opq", "");
  tar.file("usr/share/doc/only", "what is left of it").file("usr/share/.wh.zoneinfo", "");
  tar.folder("usr/bin").file("usr/bin/.wh.perl", "").hard_link("usr/bin/second-ping", "usr/bin/ping");
  tar.folder("etc").pax({{"mtime", "1700000000.123456789"}}).file("etc/hostname", "built\n");
  tar.file("etc/.wh.passwd", "").symlink("etc/passwd", "/run/passwd");
  return tar.finish();
}

TEST_F(DebianTest, LayersAboveItAreMergedAsTarAndWhiteoutsWouldHaveThem) {
  const sys::TempDir folder;
  std::ofstream(folder.file("docker"), std::ios::binary) << archive::docker_image({bytes(), layer_above()});
  expect_as_tar_has_it(fs::path(folder.file("docker")), kVolume);
  std::ofstream(folder.file("oci"), std::ios::binary)
      << archive::oci_image({archive::compress(Compression::kZstd, bytes()), layer_above()});
  expect_as_tar_has_it(fs::path(folder.file("oci")), kVolume);
}

}  // namespace
}  // namespace slipway::volumes::ext4
