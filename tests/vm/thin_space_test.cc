// Thin pools that run full, by data and by metadata, that are grown, and whose metadata cannot be written.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "pool_fixture.h"
#include "volumes/thin/device_mapper.h"

namespace slipway::volumes {
namespace {

using testing::AnyOf;
using testing::Contains;
using testing::Eq;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t kMiB = 1ULL << 20;

class ThinSpaceTest : public ThinTest {
 protected:
  std::vector<std::string> problems() { return pool().status().value().problems; }
};

TEST_F(ThinSpaceTest, BelowTheFloorForDataNothingIsBegunUntilThePoolIsGrown) {
  const DeviceSpec big{{7}, name("big"), 128 * kMiB};
  const auto path = make(big);
  ASSERT_EQ(fill(path, 62 * kMiB), 0);
  EXPECT_THAT(problems(), IsEmpty());
  const auto refused = pool().create(spec(8));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kNoSpace);
  EXPECT_THAT(refused.error().message(), HasSubstr("data space"));
  EXPECT_THAT(refused.error().hint(), HasSubstr("slipway pool grow"));
  EXPECT_EQ(pool().snapshot(spec(9), big).error().kind(), ErrorKind::kNoSpace);

  const auto grown = grow_thin_pool(test_->place(), {.data_size = 96 * kMiB});
  ASSERT_TRUE(grown) << grown.error().describe();
  EXPECT_EQ(pool().status()->data.total, 96 * kMiB);
  EXPECT_TRUE(pool().create(spec(8)));
  EXPECT_TRUE(pool().snapshot(spec(9), big));
  EXPECT_EQ(fill(path, 10 * kMiB), 0);  // copied, since the snapshot has the blocks as they were
}

TEST_F(ThinSpaceTest, AFullPoolFailsWritesAndGoesOnWhenItIsGrown) {
  const DeviceSpec big{{7}, name("big"), 128 * kMiB};
  const auto path = make(big);
  EXPECT_THAT(fill(path, 80 * kMiB), AnyOf(ENOSPC, EIO));
  EXPECT_THAT(problems(), Contains(HasSubstr("data space is full")));
  EXPECT_EQ(pool().create(spec(8)).error().kind(), ErrorKind::kNoSpace);
  ASSERT_TRUE(grow_thin_pool(test_->place(), {.data_size = 96 * kMiB}));
  EXPECT_THAT(problems(), IsEmpty());
  EXPECT_EQ(fill(path, 80 * kMiB), 0);
}

TEST_F(ThinSpaceTest, WhatIsDeletedIsGivenBackToTheFileBelow) {
  const auto size_on_disk = [&] {
    struct stat info{};
    EXPECT_EQ(::stat(test_->place().data.c_str(), &info), 0);
    return static_cast<std::uint64_t>(info.st_blocks) * 512;
  };
  const DeviceSpec big{{7}, name("big"), 128 * kMiB};
  const auto path = make(big);
  ASSERT_EQ(fill(path, 40 * kMiB), 0);
  ASSERT_TRUE(pool().deactivate(big));
  ASSERT_TRUE(pool().snapshot(spec(8), big));
  EXPECT_GE(size_on_disk(), 40 * kMiB);
  ASSERT_TRUE(pool().remove(big));
  EXPECT_GE(size_on_disk(), 40 * kMiB);  // the snapshot has them
  EXPECT_EQ(get(pool().activate(spec(8)).value(), 0, 1).size(), 1);
  ASSERT_TRUE(pool().remove(spec(8)));
  EXPECT_LT(size_on_disk(), 2 * kMiB);
  EXPECT_THAT(pool().list_active().value(), IsEmpty());
}

TEST_F(ThinSpaceTest, AFullPoolGetsRoomByRemovingADevice) {
  const DeviceSpec big{{7}, name("big"), 128 * kMiB};
  EXPECT_THAT(fill(make(big), 80 * kMiB), AnyOf(ENOSPC, EIO));
  ASSERT_TRUE(pool().remove(big));
  EXPECT_EQ(pool().status()->data.used, 0);
  EXPECT_TRUE(pool().create(spec(8)));
}

TEST_F(ThinSpaceTest, BelowTheFloorForMetadataNothingIsBegunUntilThePoolIsGrown) {
  start({.metadata_size = 2 * kMiB});
  std::uint32_t id = 1;
  Result<> made;
  while (made && id < 2000) made = pool().create(spec(id++));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind(), ErrorKind::kNoSpace) << made.error().describe();
  EXPECT_GT(id, 10U);
  ASSERT_TRUE(grow_thin_pool(test_->place(), {.metadata_size = 8 * kMiB}));
  EXPECT_EQ(pool().status()->metadata->total, 8 * kMiB);
  EXPECT_THAT(problems(), IsEmpty());
  const auto now = pool().create(spec(id));
  EXPECT_TRUE(now) << now.error().describe();
}

TEST_F(ThinSpaceTest, APoolIsNeverMadeSmaller) {
  ASSERT_TRUE(grow_thin_pool(test_->place(), {.data_size = kMiB, .metadata_size = kMiB}));
  EXPECT_EQ(pool().status()->data.total, 64 * kMiB);
}

// Metadata on a device that can be made to fail.
class ThinBrokenTest : public ThinSpaceTest {
 protected:
  void SetUp() override {
    ThinSpaceTest::SetUp();
    if (IsSkipped()) return;
    ASSERT_EQ(shell(fmt::format("truncate -s 8M {0}/m && truncate -s 64M {0}/d", dir_.path())), 0);
    loop_ = output_of(fmt::format("losetup -f --show {}/m", dir_.path()));
    under_ = unique_name("swt-under");
    ASSERT_EQ(shell(fmt::format("dmsetup create {} --table '0 16384 linear {} 0' >/dev/null", under_, loop_)), 0);
    ASSERT_EQ(shell(fmt::format("dmsetup mknodes {}", under_)), 0);
    spec_.place = {unique_name("swt"), dir_.file("d"), dm::path_of(under_)};
    spec_.data_size = 64 * kMiB;
    const auto made = create_thin_pool(spec_);
    ASSERT_TRUE(made) << made.error().describe();
    broken_ = ThinPool::open({.name = spec_.place.name}).value();
  }
  void TearDown() override {
    if (loop_.empty()) return;
    swap("linear {} 0");
    EXPECT_TRUE(destroy_thin_pool(spec_.place));
    EXPECT_EQ(shell("dmsetup remove " + under_ + " >/dev/null && losetup -d " + loop_), 0);
  }
  void swap(const std::string& table) {
    const auto line = "0 16384 " + fmt::format(fmt::runtime(table), loop_);
    ASSERT_EQ(shell(fmt::format("dmsetup suspend --noflush --nolockfs {0} && dmsetup load {0} --table '{1}' && "
                                "dmsetup resume {0} >/dev/null",
                                under_, line)),
              0);
  }

  sys::TempDir dir_;
  std::string loop_;
  std::string under_;
  ThinPoolSpec spec_;
  std::unique_ptr<ThinPool> broken_;
};

TEST_F(ThinBrokenTest, AChangeThatIsNotOnDiskIsAnErrorAndThePoolSaysThatItNeedsChecking) {
  const DeviceSpec volume{{7}, unique_name("swt-v"), kSize};
  ASSERT_TRUE(broken_->create(volume));
  swap("flakey {} 0 0 600 1 error_writes");
  EXPECT_FALSE(broken_->create({{8}, volume.name, kSize}));
  const auto status = broken_->status();
  ASSERT_TRUE(status) << status.error().describe();
  EXPECT_THAT(status->problems, Contains(AnyOf(HasSubstr("must be checked"), HasSubstr("every request"))));
  EXPECT_EQ(broken_->create({{9}, volume.name, kSize}).error().kind(), ErrorKind::kCorrupt);
  EXPECT_FALSE(broken_->list());

  // Checked and repaired, it has what was on disk.
  swap("linear {} 0");
  ASSERT_TRUE(stop_thin_pool(spec_.place));
  ASSERT_EQ(shell("thin_check --clear-needs-check-flag " + dm::path_of(under_) + " >/dev/null 2>&1"), 0);
  const auto started = start_thin_pool(spec_.place);
  ASSERT_TRUE(started) << started.error().describe();
  EXPECT_TRUE(broken_->find({7}).value());
  EXPECT_FALSE(broken_->find({8}).value());
  EXPECT_TRUE(broken_->create({{8}, volume.name, kSize}));
  ASSERT_TRUE(broken_->remove({{8}, volume.name, kSize}));
}

}  // namespace
}  // namespace slipway::volumes
