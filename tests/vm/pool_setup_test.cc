#include "volumes/thin/pool_setup.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "pool_fixture.h"
#include "sys/fault.h"
#include "sys/testing/child_process.h"
#include "volumes/thin/device_mapper.h"
#include "volumes/thin/loop_device.h"

namespace slipway::volumes {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t kMiB = 1ULL << 20;

class PoolSetupTest : public ThinTest {
 protected:
  [[nodiscard]] ThinPoolSpec other() const {
    return {.place = {name("other"), dir_.file("data"), dir_.file("metadata")}, .data_size = 32 * kMiB};
  }
  static ErrorKind kind(const Result<>& result) { return result ? ErrorKind::kInternal : result.error().kind(); }
  static bool attached(const std::filesystem::path& file) { return find_loop(file).value().has_value(); }
  static void die_at(const std::string& point, const std::function<Result<>()>& body) {
    sys::ChildProcess child([&](const auto&) {
      const fault::Scope kill(point, {.action = fault::Action::kKill});
      (void)body();
      return 0;
    });
    ASSERT_EQ(child.wait(), 128 + SIGKILL) << point;
  }

  sys::TempDir dir_;
};

TEST_F(PoolSetupTest, APoolThatIsThereIsNotMadeAgain) {
  put(make(spec(7)), 0, "precious");
  ThinPoolSpec again{.place = test_->place(), .data_size = 64 * kMiB};
  EXPECT_EQ(kind(create_thin_pool(again)), ErrorKind::kAlreadyExists);
  ASSERT_TRUE(pool().deactivate(spec(7)));
  ASSERT_TRUE(stop_thin_pool(test_->place()));
  EXPECT_EQ(kind(create_thin_pool(again)), ErrorKind::kAlreadyExists);
  again.place.name = name("another-name");
  EXPECT_EQ(kind(create_thin_pool(again)), ErrorKind::kAlreadyExists);
  ASSERT_TRUE(start_thin_pool(test_->place()));
  EXPECT_EQ(get(pool().activate(spec(7)).value(), 0, 8), "precious");
}

TEST_F(PoolSetupTest, StoppedAndStartedItHasWhatItHad) {
  put(make(spec(7)), 4096, "kept");
  ASSERT_TRUE(pool().snapshot(spec(9), spec(7)));
  EXPECT_EQ(kind(stop_thin_pool(test_->place())), ErrorKind::kUnavailable);
  EXPECT_EQ(kind(destroy_thin_pool(test_->place())), ErrorKind::kUnavailable);
  ASSERT_TRUE(pool().deactivate(spec(7)));
  ASSERT_TRUE(stop_thin_pool(test_->place()));
  ASSERT_TRUE(stop_thin_pool(test_->place()));
  EXPECT_FALSE(attached(test_->place().data));
  EXPECT_EQ(ThinPool::open({.name = test_->name()}).error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(pool().status().error().kind(), ErrorKind::kNotFound);
  ASSERT_TRUE(start_thin_pool(test_->place()));
  ASSERT_TRUE(start_thin_pool(test_->place()));
  EXPECT_EQ(get(pool().activate(spec(9)).value(), 4096, 4), "kept");
  EXPECT_EQ(pool().list()->size(), 2);
}

TEST_F(PoolSetupTest, WhereNoPoolIsNoneIsStarted) {
  EXPECT_EQ(kind(start_thin_pool(other().place)), ErrorKind::kNotFound);
  ASSERT_EQ(shell(fmt::format("truncate -s 32M {0}/data && truncate -s 4M {0}/metadata", dir_.path())), 0);
  EXPECT_EQ(kind(start_thin_pool(other().place)), ErrorKind::kNotFound);  // zeros would become an empty pool
  EXPECT_FALSE(attached(dir_.file("data")));
  EXPECT_FALSE(dm::info(other().place.name).value());
}

TEST_F(PoolSetupTest, OtherDataIsNotOverwritten) {
  for (const auto* file : {"data", "metadata"}) {
    std::ofstream(dir_.file(file)) << "a diary";
    const auto refused = create_thin_pool(other());
    EXPECT_EQ(kind(refused), ErrorKind::kAlreadyExists);
    EXPECT_EQ(output_of("cat " + dir_.file(file)), "a diary");
    std::filesystem::remove(dir_.file(file));
  }
}

TEST_F(PoolSetupTest, SettingsThatCannotBeAreRefused) {
  auto bad = other();
  bad.block_size = 1000;
  EXPECT_EQ(kind(create_thin_pool(bad)), ErrorKind::kInvalid);
  bad = other();
  bad.data_size = 1;
  EXPECT_EQ(kind(create_thin_pool(bad)), ErrorKind::kInvalid);
  bad = other();
  bad.metadata_size = 4096;
  EXPECT_EQ(kind(create_thin_pool(bad)), ErrorKind::kInvalid);
  for (const std::string pool : {"", "a/b", "x-of", std::string(65, 'x').c_str()}) {
    bad = other();
    bad.place.name = pool;
    EXPECT_EQ(kind(create_thin_pool(bad)), ErrorKind::kInvalid) << pool;
  }
  EXPECT_FALSE(std::filesystem::exists(dir_.file("data")));
}

TEST_F(PoolSetupTest, ACreationThatDiesIsFinishedByTheNext) {
  for (const auto* point : {"volumes.thin.pool.files", "volumes.thin.pool.attached", "volumes.thin.pool.half-made"}) {
    die_at(point, [&] { return create_thin_pool(other()); });
    const auto made = create_thin_pool(other());
    ASSERT_TRUE(made) << point << ": " << made.error().describe();
    auto opened = ThinPool::open({.name = other().place.name});
    ASSERT_TRUE(opened) << opened.error().describe();
    EXPECT_TRUE((*opened)->create({{1}, name("v"), kSize}));
    opened->reset();
    die_at("volumes.thin.pool.stopped", [&] { return destroy_thin_pool(other().place); });
    ASSERT_TRUE(destroy_thin_pool(other().place));
    EXPECT_FALSE(std::filesystem::exists(dir_.file("data")));
    EXPECT_FALSE(attached(dir_.file("data")));
  }
}

TEST_F(PoolSetupTest, AGrowthThatDiesIsFinishedByTheNextAndNothingHangs) {
  const auto path = make(spec(7));
  for (const auto* point : {"volumes.thin.pool.file-grown", "volumes.thin.pool.suspended"}) {
    die_at(point, [&] { return grow_thin_pool(test_->place(), {.data_size = 96 * kMiB}); });
    EXPECT_TRUE(pool().find({7}).value()) << point;
    put(path, 0, "it can be written");
  }
  ASSERT_TRUE(grow_thin_pool(test_->place(), {.data_size = 96 * kMiB}));
  EXPECT_EQ(pool().status()->data.total, 96 * kMiB);
  EXPECT_EQ(get(path, 0, 6), "it can");
}

TEST_F(PoolSetupTest, ADataFileThatHasShrunkIsNoticed) {
  ASSERT_TRUE(pool().create(spec(7)));
  ASSERT_TRUE(stop_thin_pool(test_->place()));
  std::filesystem::resize_file(test_->place().data, 32 * kMiB);
  const auto refused = start_thin_pool(test_->place());
  EXPECT_EQ(kind(refused), ErrorKind::kCorrupt);
  EXPECT_THAT(refused.error().message(), HasSubstr("smaller"));
  EXPECT_FALSE(dm::info(test_->name()).value());
  EXPECT_FALSE(attached(test_->place().data));
  std::filesystem::resize_file(test_->place().data, 64 * kMiB);
  ASSERT_TRUE(start_thin_pool(test_->place()));
  EXPECT_TRUE(pool().find({7}).value());
}

TEST_F(PoolSetupTest, DamagedMetadataIsNotTaken) {
  ASSERT_TRUE(stop_thin_pool(test_->place()));
  {
    std::fstream file(test_->place().metadata, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(48);
    file.write("damage", 6);
  }
  EXPECT_EQ(kind(start_thin_pool(test_->place())), ErrorKind::kCorrupt);
  EXPECT_FALSE(dm::info(test_->name()).value());
  EXPECT_FALSE(attached(test_->place().metadata));
}

}  // namespace
}  // namespace slipway::volumes
