#include "volumes/file/file_pool.h"

#include <cstdlib>
#include <fstream>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/descriptor.h"
#include "sys/fault.h"
#include "sys/testing/temp_dir.h"
#include "volumes/testing/mounted.h"
#include "volumes/testing/pool_contract.h"

namespace slipway::volumes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Harness : public PoolHarness {
 public:
  explicit Harness(bool share) : share_(share) {}
  Result<std::unique_ptr<Pool>> open() override {
    return FilePool::open({.folder = dir_.file("pool"), .least_free = 0, .may_share_blocks = share_, .busy_tries = 0});
  }

 private:
  sys::TempDir dir_;
  bool share_;
};

INSTANTIATE_TEST_SUITE_P(
    File, PoolContract,
    testing::Values(pool_contract("file", [] { return std::make_unique<Harness>(/*share=*/true); }),
                    pool_contract("file-by-copy", [] { return std::make_unique<Harness>(/*share=*/false); })),
    [](const auto& named) { return named.param.name == "file" ? "SharingWhereItCan" : "ByCopy"; });

class FilePoolTest : public testing::Test {
 protected:
  static constexpr std::uint64_t kSize = 64ULL << 20;
  static constexpr DeviceId kVolume{0xabcd};

  std::unique_ptr<FilePool> open(FilePoolOptions options = {}) {
    options.folder = dir_.file("pool");
    options.busy_tries = 0;
    return FilePool::open(options).value();
  }
  static DeviceSpec volume() { return {kVolume, "thin-1", kSize}; }
  static DeviceSpec snap() { return {{0xabce}, "snap-1", kSize}; }
  static std::uint64_t allocated(const std::string& path) {
    struct stat info{};
    EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
    return static_cast<std::uint64_t>(info.st_blocks) * 512;
  }
  static void put(const std::string& path, std::uint64_t offset, const std::string& text) {
    const sys::Descriptor fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    ASSERT_EQ(::pwrite(fd.get(), text.data(), text.size(), static_cast<off_t>(offset)),
              static_cast<ssize_t>(text.size()));
  }

  sys::TempDir dir_;
  std::unique_ptr<FilePool> pool_ = open();
};

TEST_F(FilePoolTest, FilesAreSparseAndOnlyTheirOwners) {
  ASSERT_TRUE(pool_->create(volume()));
  const auto path = pool_->activate(volume()).value();
  EXPECT_EQ(path, dir_.file("pool/active/thin-1.img"));
  EXPECT_EQ(std::filesystem::file_size(path), kSize);
  EXPECT_LT(allocated(path), 1U << 16);
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms(0600));
}

TEST_F(FilePoolTest, ACopyHasTheSameDataAndTheSameHoles) {
  pool_ = open({.may_share_blocks = false});
  ASSERT_TRUE(pool_->create(volume()));
  const auto path = pool_->activate(volume()).value();
  put(path, 0, "first");
  put(path, 20U << 20, std::string(100'000, 'x'));
  put(path, kSize - 4, "last");
  ASSERT_TRUE(pool_->snapshot(snap(), volume()));
  const auto copy = pool_->activate(snap()).value();
  EXPECT_EQ(std::filesystem::file_size(copy), kSize);
  EXPECT_LT(allocated(copy), 1U << 20);
  EXPECT_EQ(std::system(fmt::format("cmp '{}' '{}'", path, copy).c_str()), 0);
}

TEST_F(FilePoolTest, AFailedSyncLeavesNothingAndTheNextTryWorks) {
  {
    const fault::Scope broken("volumes.file.sync", {.times = 1});
    EXPECT_FALSE(pool_->create(volume()));
  }
  EXPECT_THAT(*pool_->list(), IsEmpty());
  EXPECT_THAT(*pool_->leftovers(), IsEmpty());
  EXPECT_TRUE(pool_->create(volume()));
  pool_ = open({.may_share_blocks = false});
  put(pool_->activate(volume()).value(), 0, "data");
  const fault::Scope broken("volumes.file.copy", {.times = 1});
  EXPECT_FALSE(pool_->snapshot(snap(), volume()));
  EXPECT_EQ(pool_->list()->size(), 1);
  EXPECT_TRUE(pool_->snapshot(snap(), volume()));
}

TEST_F(FilePoolTest, WhatACrashHalfMadeIsToldOfAndRemoved) {
  ASSERT_TRUE(pool_->create(volume()));
  const std::string half = dir_.file("pool/devices/new.00ffff");
  std::ofstream(half) << "half";
  const auto found = pool_->leftovers();
  ASSERT_EQ(found->size(), 1);
  EXPECT_EQ(found->at(0).what, half);
  EXPECT_TRUE(found->at(0).ours);
  ASSERT_TRUE(pool_->remove_leftovers());
  EXPECT_THAT(*pool_->leftovers(), IsEmpty());
  EXPECT_EQ(pool_->list()->size(), 1);
}

// A device's file was removed by hand, or the folder was copied without its hard links: the name is all that is left.
TEST_F(FilePoolTest, AnActiveNameOfNoDeviceIsToldOfAndKept) {
  ASSERT_TRUE(pool_->create(volume()));
  const std::string name = pool_->activate(volume()).value();
  std::filesystem::remove_all(dir_.file("pool/devices"));
  const auto found = pool_->leftovers();
  ASSERT_EQ(found->size(), 1);
  EXPECT_EQ(found->at(0).what, name);
  EXPECT_FALSE(found->at(0).ours);
  EXPECT_TRUE(pool_->remove_leftovers());
  EXPECT_TRUE(std::filesystem::exists(name));
  ASSERT_TRUE(pool_->create(volume()));
  const auto taken = pool_->activate(volume());
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().kind(), ErrorKind::kConflict);
  EXPECT_THAT(taken.error().hint(), HasSubstr(name));
}

TEST_F(FilePoolTest, WhatOnlyLooksLikeALeftoverIsNotOurs) {
  ASSERT_TRUE(pool_->create(volume()));
  std::ofstream(dir_.file("pool/devices/new.notes")) << "mine";
  std::filesystem::create_directory(dir_.file("pool/devices/new.00fffe"));
  std::ofstream(dir_.file("pool/devices/new.00ffff")) << "half";
  EXPECT_EQ(pool_->leftovers()->size(), 1);
  EXPECT_TRUE(pool_->remove_leftovers());
  EXPECT_TRUE(std::filesystem::exists(dir_.file("pool/devices/new.notes")));
  EXPECT_TRUE(std::filesystem::exists(dir_.file("pool/devices/new.00fffe")));
  EXPECT_FALSE(std::filesystem::exists(dir_.file("pool/devices/new.00ffff")));
}

TEST_F(FilePoolTest, ItExistsOnceSomethingWasMadeInIt) {
  EXPECT_FALSE(pool_->exists().value());
  ASSERT_TRUE(pool_->create(volume()));
  EXPECT_TRUE(pool_->exists().value());
  ASSERT_TRUE(pool_->remove(volume()));
  EXPECT_TRUE(pool_->exists().value());
  std::filesystem::rename(dir_.file("pool"), dir_.file("away"));
  EXPECT_FALSE(pool_->exists().value());
}

TEST_F(FilePoolTest, AVolumeIsBegunOnlyWithRoomForWhatIsToBeWrittenToIt) {
  auto wanted = volume();
  wanted.content = 1ULL << 60U;
  const auto refused = pool_->create(wanted);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kNoSpace);
  EXPECT_THAT(refused.error().message(), HasSubstr("is filled with"));
  EXPECT_THAT(*pool_->list(), IsEmpty());
  wanted.content = 1;
  EXPECT_TRUE(pool_->create(wanted));
}

TEST_F(FilePoolTest, WhoOnlyLooksMakesNothing) {
  const std::string folder = dir_.file("not/there/yet");
  const auto pool = FilePool::open({.folder = folder, .least_free = 0, .busy_tries = 0}).value();
  const auto status = pool->status();
  ASSERT_TRUE(status) << status.error().message();
  EXPECT_EQ(status->place, folder);
  EXPECT_EQ(status->data.total, pool_->status()->data.total);
  EXPECT_GT(status->data.total, 0);
  EXPECT_THAT(*pool->list(), IsEmpty());
  EXPECT_FALSE(pool->find(kVolume)->has_value());
  EXPECT_THAT(*pool->leftovers(), IsEmpty());
  EXPECT_TRUE(pool->remove_leftovers());
  EXPECT_TRUE(pool->deactivate(volume()));
  EXPECT_TRUE(pool->remove(volume()));
  const auto missing = pool->activate(volume());
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(pool->snapshot(snap(), volume()).error().kind(), ErrorKind::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(dir_.file("not")));

  ASSERT_TRUE(pool->create(volume()));
  EXPECT_FALSE(std::filesystem::exists(folder + "/active"));
  EXPECT_TRUE(pool->activate(volume()));
  EXPECT_EQ(std::filesystem::status(folder).permissions(), std::filesystem::perms(0700));
}

TEST_F(FilePoolTest, LeftoversAreRemovedWhereNothingWasEverActive) {
  ASSERT_TRUE(pool_->create(volume()));
  std::ofstream(dir_.file("pool/devices/new.00ffff")) << "half";
  EXPECT_TRUE(pool_->remove_leftovers());
  EXPECT_THAT(*pool_->leftovers(), IsEmpty());
}

TEST_F(FilePoolTest, AFileInThePlaceOfTheFolderIsSaidToBeInTheWay) {
  std::ofstream(dir_.file("file")) << "x";
  const auto in_place = FilePool::open({.folder = dir_.file("file")});
  ASSERT_FALSE(in_place);
  EXPECT_EQ(in_place.error().kind(), ErrorKind::kInvalid);
  EXPECT_THAT(in_place.error().message(), HasSubstr(dir_.file("file")));
  const auto below = FilePool::open({.folder = dir_.file("file/pool")}).value();
  for (const auto& error : {below->status().error(), below->list().error(), below->create(volume()).error()}) {
    EXPECT_EQ(error.kind(), ErrorKind::kInvalid) << error.message();
  }
}

TEST_F(FilePoolTest, AHalfMadeFileOfTheSameIdIsNoHindrance) {
  std::filesystem::create_directories(dir_.file("pool/devices"));
  std::ofstream(dir_.file("pool/devices/new.00abcd")) << "half";
  EXPECT_TRUE(pool_->create(volume()));
  EXPECT_THAT(*pool_->leftovers(), IsEmpty());
}

TEST_F(FilePoolTest, FilesThatAreNotItsOwnAreLeftAlone) {
  std::filesystem::create_directories(dir_.file("pool/devices"));
  for (const char* name : {"README", "00abc", "00ABCD", "00abcd-", "00abcd-x", "00abcd-00abce-1"}) {
    std::ofstream(dir_.file(std::string("pool/devices/") + name)) << "x";
  }
  std::filesystem::create_symlink("/etc/passwd", dir_.file("pool/devices/000001"));
  EXPECT_THAT(*pool_->list(), IsEmpty());
  EXPECT_THAT(*pool_->leftovers(), IsEmpty());
}

TEST_F(FilePoolTest, ALockedFileIsInUse) {
  ASSERT_TRUE(pool_->create(volume()));
  const auto path = pool_->activate(volume()).value();
  {
    const sys::Descriptor user(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    struct flock lock{};
    lock.l_type = F_RDLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = 100;
    lock.l_len = 1;
    ASSERT_EQ(::fcntl(user.get(), F_OFD_SETLK, &lock), 0);
    for (const auto& refused : {pool_->deactivate(volume()), pool_->remove(volume())}) {
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().kind(), ErrorKind::kUnavailable);
      EXPECT_THAT(refused.error().message(), HasSubstr("in use"));
    }
    EXPECT_TRUE((*pool_->find(kVolume))->active());
  }
  EXPECT_TRUE(pool_->remove(volume()));
}

TEST_F(FilePoolTest, SoIsOneWithALockOfTheOtherKind) {
  ASSERT_TRUE(pool_->create(volume()));
  const auto path = pool_->activate(volume()).value();
  {
    const sys::Descriptor user(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    ASSERT_EQ(::flock(user.get(), LOCK_SH), 0);
    EXPECT_EQ(pool_->remove(volume()).error().kind(), ErrorKind::kUnavailable);
  }
  EXPECT_TRUE(pool_->remove(volume()));
}

TEST_F(FilePoolTest, ALoopDeviceOverItIsAUser) {
  ASSERT_TRUE(pool_->create(volume()));
  const auto path = pool_->activate(volume()).value();
  const std::string answer = dir_.file("loop");
  if (::geteuid() != 0 || std::system(fmt::format("losetup -f --show '{}' >'{}' 2>/dev/null", path, answer).c_str())) {
    GTEST_SKIP() << "no loop device can be made here";
  }
  std::string loop;
  std::getline(std::ifstream(answer), loop);
  const auto refused = pool_->remove(volume());
  EXPECT_EQ(std::system(("losetup -d " + loop).c_str()), 0);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr(loop));
}

TEST_F(FilePoolTest, ADiskThatIsFullInTheMiddleOfACopyLeavesNothing) {
  const Mounted small("tmpfs", "none", "size=8m");
  if (!small.ok()) GTEST_SKIP() << small.why();
  const auto pool = FilePool::open({.folder = small.file("pool"), .least_free = 0, .busy_tries = 0}).value();
  ASSERT_TRUE(pool->create(volume()));
  const auto path = pool->activate(volume()).value();
  put(path, 0, std::string(5 << 20, 'x'));
  const auto refused = pool->snapshot(snap(), volume());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kNoSpace) << refused.error().message();
  EXPECT_THAT(refused.error().hint(), HasSubstr("slipway rm"));
  EXPECT_EQ(pool->list()->size(), 1);
  EXPECT_THAT(*pool->leftovers(), IsEmpty());
  EXPECT_LT(pool->status()->data.used, 6U << 20);
}

TEST_F(FilePoolTest, WithTooLittleRoomNothingIsBegun) {
  pool_ = open({.least_free = UINT64_MAX});
  const auto refused = pool_->create(volume());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kNoSpace);
  EXPECT_THAT(refused.error().hint(), HasSubstr("slipway rm"));
  EXPECT_THAT(*pool_->list(), IsEmpty());
}

}  // namespace
}  // namespace slipway::volumes
