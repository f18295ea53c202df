// A Debian root file system, made of its packages: thousands of files with owners, rights, devices and capabilities.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/testing/tar_builder.h"
#include "scan/inventory/inventory_taker.h"
#include "scan/testing/taker_program.h"
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

// "bash 5.2.15-2+b7 amd64 bash 5.2.15-2", as dpkg has it: sorted, with the source package and its version.
std::vector<std::string> listed_by_dpkg(const fs::path& rootfs) {
  const sys::TempDir folder;
  sys::run_command({"tar", "-xf", rootfs, "-C", folder.path(), "./var/lib/dpkg"});
  const auto text = sys::run_command({"dpkg-query", "--admindir", folder.file("var/lib/dpkg"), "-W", "-f",
                                      "${Package} ${Version} ${Architecture} ${source:Package} ${source:Version}\\n"});
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::ranges::sort(lines);
  return lines;
}

TEST_F(DebianTest, ItsPackagesAreThoseThatDpkgLists) {
  const auto file = archive::open_image_file(rootfs_).value();
  const auto listed = scan::InventoryTaker(scan::test_taker()).take(file, archive::standard_policy(), {}, {});
  ASSERT_TRUE(listed) << listed.error().describe();
  const auto* taken = &listed->inventory;
  EXPECT_EQ(taken->distribution->id, "debian");
  EXPECT_EQ(taken->distribution->codename, "bookworm");
  EXPECT_TRUE(taken->complete()) << taken->unread.front().path << ": " << taken->unread.front().reason;
  std::vector<std::string> ours;
  for (const auto& package : taken->packages) {
    if (package.type != scan::PackageType::kDeb) continue;
    const auto& source = package.source.empty() ? package.name : package.source;
    const auto& version = package.source_version.empty() ? package.version : package.source_version;
    ours.push_back(fmt::format("{} {} {} {} {}", package.name, package.version, package.architecture, source, version));
  }
  std::ranges::sort(ours);
  const auto theirs = listed_by_dpkg(rootfs_);
  EXPECT_GT(theirs.size(), 50U);
  EXPECT_EQ(ours, theirs);
}

}  // namespace
}  // namespace slipway::volumes::ext4
