// FilePool on file systems that can share blocks between files.
#include <array>
#include <chrono>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "sys/descriptor.h"
#include "sys/testing/command.h"
#include "volumes/file/file_pool.h"
#include "volumes/testing/ext4_volume.h"
#include "volumes/testing/mounted.h"
#include "volumes/testing/pool_contract.h"

namespace slipway::volumes {
namespace {

// A new file system of that kind, as long as a test runs.
class SharingFileSystem {
 public:
  explicit SharingFileSystem(const std::string& type) {
    const std::string maker = sys::find_program("mkfs." + type);
    if (maker.empty()) {
      why_ = "there is no mkfs." + type;
      return;
    }
    const std::string file = folder_.file("disk");
    const sys::Descriptor fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!fd || ::ftruncate(fd.get(), 512 << 20) != 0) throw std::runtime_error("no file for a file system");
    std::vector<std::string> words{maker, "-q"};
    if (type == "xfs") words.insert(words.end(), {"-m", "reflink=1"});
    words.push_back(file);
    const auto made = sys::run_to_end(words, {.streams = sys::CommandOptions::Streams::kKept});
    if (made.code != 0) throw std::runtime_error(maker + ": " + made.err);
    mounted_.emplace(type, file, "loop");
    why_ = mounted_->why();
  }

  [[nodiscard]] const std::string& why() const { return why_; }  // it is not there; empty when it is
  [[nodiscard]] std::string file(const std::string& name) const { return mounted_->file(name); }
  [[nodiscard]] Result<std::unique_ptr<FilePool>> open_pool() const {
    return FilePool::open({.folder = file("pool"), .least_free = 0, .busy_tries = 0});
  }
  // Bytes of it that are taken, with nothing left to be written out.
  [[nodiscard]] std::uint64_t used() const {
    const sys::Descriptor folder(::open(mounted_->path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    EXPECT_EQ(::syncfs(folder.get()), 0);
    struct statvfs info{};
    EXPECT_EQ(::fstatvfs(folder.get(), &info), 0);
    return (info.f_blocks - info.f_bfree) * info.f_frsize;
  }

 private:
  sys::TempDir folder_;
  std::optional<Mounted> mounted_;
  std::string why_;
};

class Harness : public PoolHarness {
 public:
  explicit Harness(const std::string& type) : files_(type) {}
  std::string hindrance() override { return files_.why(); }
  Result<std::unique_ptr<Pool>> open() override { return files_.open_pool(); }

 private:
  SharingFileSystem files_;
};

INSTANTIATE_TEST_SUITE_P(FileOn, PoolContract,
                         testing::Values(pool_contract("btrfs", [] { return std::make_unique<Harness>("btrfs"); }),
                                         pool_contract("xfs", [] { return std::make_unique<Harness>("xfs"); })),
                         [](const auto& named) { return named.param.name; });

// Bytes of a file by whether another file has the same blocks.
struct Blocks {
  std::uint64_t shared = 0;
  std::uint64_t own = 0;
};

Blocks blocks_of(const std::string& path) {
  const sys::Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(fd) << path;
  constexpr std::size_t kMost = 200;  // extents
  std::vector<std::uint64_t> room((sizeof(fiemap) + kMost * sizeof(fiemap_extent)) / sizeof(std::uint64_t) + 1);
  auto* map = reinterpret_cast<fiemap*>(room.data());
  map->fm_length = FIEMAP_MAX_OFFSET;
  map->fm_flags = FIEMAP_FLAG_SYNC;
  map->fm_extent_count = kMost;
  EXPECT_EQ(::ioctl(fd.get(), FS_IOC_FIEMAP, map), 0) << path;
  EXPECT_LT(map->fm_mapped_extents, kMost);
  Blocks blocks;
  for (std::size_t i = 0; i < map->fm_mapped_extents; ++i) {
    const fiemap_extent& extent = map->fm_extents[i];
    ((extent.fe_flags & FIEMAP_EXTENT_SHARED) != 0 ? blocks.shared : blocks.own) += extent.fe_length;
  }
  return blocks;
}

void put(const std::string& path, std::uint64_t offset, const std::string& bytes) {
  const sys::Descriptor fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  ASSERT_EQ(::pwrite(fd.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset)),
            static_cast<ssize_t>(bytes.size()));
}

std::string get(const std::string& path, std::uint64_t offset, std::size_t size) {
  const sys::Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string bytes(size, '?');
  EXPECT_EQ(::pread(fd.get(), bytes.data(), size, static_cast<off_t>(offset)), static_cast<ssize_t>(size));
  return bytes;
}

class SharingTest : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(On, SharingTest, testing::Values("btrfs", "xfs"),
                         [](const auto& named) { return std::string(named.param); });

TEST_P(SharingTest, ASnapshotTakesNoRoomUntilItIsWritten) {
  constexpr std::uint64_t kSize = 256ULL << 20;
  constexpr std::size_t kData = 64UL << 20;
  const SharingFileSystem files(GetParam());
  if (!files.why().empty()) GTEST_SKIP() << files.why();
  const auto pool = files.open_pool().value();
  const DeviceSpec volume{{1}, "volume", kSize};
  const DeviceSpec snap{{2}, "snap", kSize};
  ASSERT_TRUE(pool->create(volume));
  const auto origin = pool->activate(volume).value();
  const std::string content = ext4::bytes(kData);
  put(origin, 1 << 20, content);
  const std::uint64_t before = files.used();
  ASSERT_GE(before, kData);

  ASSERT_TRUE(pool->snapshot(snap, volume));
  EXPECT_LT(files.used(), before + kData / 16);
  const auto copy = pool->activate(snap).value();
  EXPECT_EQ(blocks_of(copy).own, 0);
  EXPECT_EQ(blocks_of(copy).shared, kData);
  EXPECT_EQ(blocks_of(origin).shared, kData);
  EXPECT_EQ(get(copy, 1 << 20, kData), content);

  put(copy, 8 << 20, std::string(1 << 20, 'n'));
  EXPECT_EQ(blocks_of(copy).own, 1 << 20);
  EXPECT_EQ(get(origin, 8 << 20, 1 << 20), content.substr(7 << 20, 1 << 20));
  EXPECT_EQ(get(copy, 8 << 20, 1 << 20), std::string(1 << 20, 'n'));
  ASSERT_TRUE(pool->remove(volume));
  // XFS frees what a removed file had a moment later.
  for (int tries = 0; tries < 100 && blocks_of(copy).shared != 0; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_EQ(blocks_of(copy).shared, 0);
  EXPECT_EQ(get(copy, 1 << 20, 1 << 20), content.substr(0, 1 << 20));
}

}  // namespace
}  // namespace slipway::volumes
