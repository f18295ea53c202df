// `slipway pool` from its making to its end, on files and on block devices that are given.
#include <algorithm>
#include <csignal>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/identity.h"
#include "e2e/workshop.h"
#include "vm/thin_devices.h"
#include "volumes/thin/device_mapper.h"

namespace slipway {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using volumes::output_of;
using volumes::shell;

constexpr std::uint64_t kMiB = 1ULL << 20U;

class PoolCommandsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = Workshop::why_not(Backend::kThin); !why.empty()) GTEST_SKIP() << why;
    workshop_ = std::make_unique<Workshop>(Place::kFolder, Backend::kThinWithoutPool);
    workshop_->put("x.tar", bytes_);
  }

  sys::Ended good(const std::vector<std::string>& words) {
    auto ended = workshop_->run(words);
    EXPECT_EQ(ended.code, 0) << words.front() << ": " << ended.err;
    return ended;
  }
  // Refused, with these words.
  void refused(const std::vector<std::string>& words, const std::string& why) {
    const auto ended = workshop_->run(words);
    EXPECT_NE(ended.code, 0) << ended.out;
    EXPECT_THAT(ended.err, HasSubstr(why));
  }
  Json status() { return good({"pool", "status", "--json"}).json(); }
  void fetch() { good({"fetch-and-create", "x.tar", "--quiet"}); }
  std::string snapshot() { return catalog::default_snapshot_name(workshop_->image("x.tar").image_id); }
  [[nodiscard]] const volumes::ThinPoolPlace& place() const { return workshop_->ground().place(); }

  const std::string bytes_ = sample_image(100'000);
  std::unique_ptr<Workshop> workshop_;
};

TEST_F(PoolCommandsTest, APoolOfFilesIsMadeUsedGrownAndDestroyed) {
  EXPECT_THAT(good({"pool", "status"}).out, HasSubstr("slipway pool create"));
  refused({"fetch-and-create", "x.tar", "--quiet"}, "slipway pool create");
  EXPECT_THAT(volumes::looped_files(workshop_->folder()), IsEmpty());

  const auto made = good({"pool", "create", "--json"}).json();
  EXPECT_EQ(made.at("name"), place().name);
  EXPECT_EQ(made.at("backend"), "thin");
  EXPECT_EQ(made.at("running"), true);
  EXPECT_EQ(made.at("data_path"), place().data.native());
  EXPECT_EQ(made.at("data").at("total"), ThinGround::kDataSize);
  EXPECT_EQ(made.at("metadata").at("total"), ThinGround::kMetadataSize);
  EXPECT_EQ(made.at("data").at("used"), 0);
  EXPECT_EQ(made.at("transaction_id"), 0);
  EXPECT_TRUE(made.at("problems").empty());
  EXPECT_TRUE(std::filesystem::exists(place().data));
  refused({"pool", "create"}, "there is a pool");

  fetch();
  EXPECT_EQ(workshop_->faults_of("x.tar", bytes_), "");
  const auto used = status();
  EXPECT_EQ(used.at("volumes"), 1);
  EXPECT_EQ(used.at("active_snapshots"), 1);
  EXPECT_GT(used.at("data").at("used"), 0);

  // While a snapshot of it is in use.
  refused({"pool", "grow"}, "nothing is to grow");
  EXPECT_EQ(good({"pool", "grow", "--data-size", "64MiB", "--json"}).json().at("data").at("total"), 64 * kMiB);
  EXPECT_EQ(good({"pool", "grow", "--metadata-size", "4MiB", "--json"}).json().at("metadata").at("total"), 4 * kMiB);
  EXPECT_EQ(workshop_->faults_of("x.tar", bytes_), "");

  refused({"pool", "destroy", "--force"}, "1 snapshots in the pool");
  good({"deactivate", snapshot()});
  refused({"pool", "destroy"}, "holds 1 volumes and 1 snapshots");
  good({"pool", "destroy", "--force"});
  EXPECT_THAT(volumes::looped_files(workshop_->folder()), IsEmpty());
  EXPECT_FALSE(volumes::dm::info(place().name).value());
  EXPECT_FALSE(std::filesystem::exists(place().data));
  EXPECT_FALSE(std::filesystem::exists(place().metadata));
  refused({"pool", "destroy", "--force"}, "there is no thin pool");
  EXPECT_THAT(workshop_->run({"doctor"}).out, HasSubstr("slipway pool create"));
}

TEST_F(PoolCommandsTest, AfterADestroyedPoolTheImageIsUnpackedInTheNewOne) {
  good({"pool", "create"});
  fetch();
  good({"deactivate", snapshot()});
  good({"pool", "destroy", "--force"});
  EXPECT_TRUE(std::filesystem::exists(workshop_->image("x.tar").local_path));
  good({"pool", "create"});
  good({"doctor"});
  fetch();
  EXPECT_EQ(workshop_->faults_of("x.tar", bytes_), "");
}

TEST_F(PoolCommandsTest, AWorkerKeepsItsPool) {
  good({"pool", "create"});
  const auto worker = workshop_->start({"worker", "--poll-interval", "1s"});
  const auto ready = [&] {
    const auto listed = workshop_->run({"list", "--json"});
    return listed.code == 0 && listed.out.find("\"ready\"") != std::string::npos;
  };
  while (!ready()) {
    ASSERT_TRUE(worker->running()) << worker->finish().err;
    ::usleep(100'000);
  }
  refused({"pool", "destroy", "--force"}, "end it first");
  EXPECT_EQ(good({"pool", "grow", "--data-size", "64MiB", "--json"}).json().at("data").at("total"), 64 * kMiB);
  EXPECT_EQ(status().at("active_snapshots"), 1);
  worker->signal(SIGTERM);
  EXPECT_EQ(worker->finish().code, 0);
  EXPECT_EQ(workshop_->faults_of("x.tar", bytes_), "");
}

TEST_F(PoolCommandsTest, WhileAWorkerRunsThereIsNoNewPool) {
  auto variables = workshop_->variables();
  variables["SLIPWAY_VOLUME_BACKEND"] = "auto";
  std::filesystem::remove(workshop_->folder() / "bucket/images/x.tar");
  const auto worker = start_program(Workshop::program(), {"worker", "--poll-interval", "1s"}, variables);
  while (!std::filesystem::exists(workshop_->state() / "fsm.db.sock")) {
    ASSERT_TRUE(worker->running()) << worker->finish().err;
    ::usleep(100'000);
  }
  refused({"pool", "create"}, "end it first");
  EXPECT_FALSE(volumes::dm::info(place().name).value());
  worker->signal(SIGTERM);
  EXPECT_EQ(worker->finish().code, 0);
}

// Killed while the pool is made because it is needed; the next one goes on with what is there.
TEST_F(PoolCommandsTest, APoolThatIsMadeAtItsFirstUseSurvivesKillsInItsMaking) {
  auto variables = workshop_->variables();
  variables["SLIPWAY_DM_AUTO_CREATE"] = "true";
  const std::vector<std::string> words{"fetch-and-create", "x.tar", "--quiet"};
  for (const auto* point : {"volumes.thin.pool.files", "volumes.thin.pool.attached", "volumes.thin.pool.half-made"}) {
    variables["SLIPWAY_FAULT"] = point + std::string("=kill@1");
    EXPECT_EQ(start_program(Workshop::faulty_program(), words, variables)->finish().code, 128 + SIGKILL) << point;
  }
  variables.erase("SLIPWAY_FAULT");
  const auto ended = start_program(Workshop::program(), words, variables)->finish();
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(workshop_->faults_of("x.tar", bytes_), "");
}

TEST_F(PoolCommandsTest, APoolThatIsLostWithWhatItHeldIsNotMadeAnewUnasked) {
  good({"pool", "create"});
  fetch();
  workshop_->ground().take_down();
  std::filesystem::remove(place().metadata);
  auto variables = workshop_->variables();
  variables["SLIPWAY_DM_AUTO_CREATE"] = "true";
  const auto ended = start_program(Workshop::program(), {"fetch-and-create", "x.tar", "--quiet"}, variables)->finish();
  EXPECT_EQ(ended.code, 1) << ended.out;
  EXPECT_THAT(ended.err, HasSubstr("holds no pool"));
  EXPECT_FALSE(volumes::dm::info(place().name).value());
}

TEST_F(PoolCommandsTest, ADestroyThatIsKilledIsGoneOnWith) {
  good({"pool", "create"});
  auto variables = workshop_->variables();
  variables["SLIPWAY_FAULT"] = "volumes.thin.pool.stopped=kill@1";
  EXPECT_EQ(start_program(Workshop::faulty_program(), {"pool", "destroy"}, variables)->finish().code, 128 + SIGKILL);
  EXPECT_TRUE(std::filesystem::exists(place().data));
  good({"pool", "destroy"});
  EXPECT_FALSE(std::filesystem::exists(place().data));
  EXPECT_THAT(volumes::looped_files(workshop_->folder()), IsEmpty());
}

// Two loop devices of the test's own, as disks that were given.
class PoolOnDevicesTest : public PoolCommandsTest {
 protected:
  void SetUp() override {
    PoolCommandsTest::SetUp();
    if (IsSkipped()) return;
    data_ = attach("disk1", "40M");
    metadata_ = attach("disk2", "4M");
  }
  void TearDown() override {
    if (workshop_ == nullptr) return;
    volumes::take_down({place().name, data_, metadata_});
    for (const auto& device : {data_, metadata_}) EXPECT_EQ(shell("losetup -d " + device), 0);
  }
  std::string attach(const std::string& name, const std::string& size) {
    const auto file = (workshop_->folder() / name).native();
    EXPECT_EQ(shell("truncate -s " + size + " " + file), 0);
    return output_of("losetup -f --show " + file);
  }
  std::vector<std::string> create() { return {"pool", "create", "--data", data_, "--metadata", metadata_}; }

  std::string data_;
  std::string metadata_;
};

TEST_F(PoolOnDevicesTest, APoolOfBlockDevicesIsMadeUsedGrownAndDestroyed) {
  good(create());
  EXPECT_EQ(status().at("data_path"), data_);
  EXPECT_EQ(status().at("data").at("total"), 40 * kMiB);
  fetch();
  good({"doctor"});

  refused({"pool", "grow", "--data-size", "48MiB"}, "grow it first");
  ASSERT_EQ(shell(fmt::format("truncate -s 48M {}/disk1 && losetup -c {}", workshop_->folder().native(), data_)), 0);
  EXPECT_EQ(good({"pool", "grow", "--data-size", "48MiB", "--json"}).json().at("data").at("total"), 48 * kMiB);

  good({"deactivate", snapshot()});
  good({"pool", "destroy", "--force"});
  // They are the owner's again, ready for another pool.
  EXPECT_EQ(volumes::looped_files(workshop_->folder()).size(), 2U);
  good(create());
  good({"pool", "destroy"});
}

TEST_F(PoolOnDevicesTest, DevicesWithSomebodysDataAreRefused) {
  std::ofstream(metadata_) << "somebody's";
  refused(create(), "holds data that is not a pool's");
  refused({"pool", "create", "--data", data_}, "given together");
  EXPECT_EQ(output_of("head -c 10 " + metadata_), "somebody's");
  EXPECT_FALSE(volumes::dm::info(place().name).value());
  ASSERT_EQ(shell("dd if=/dev/zero of=" + metadata_ + " bs=4096 count=1 status=none"), 0);
  good(create());
  good({"pool", "destroy"});
}

}  // namespace
}  // namespace slipway
