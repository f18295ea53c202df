#include "pipeline/unpack_image.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/testing/tar_builder.h"
#include "base/digest.h"
#include "catalog/identity.h"
#include "pipeline/testing/volume_fixture.h"
#include "sys/fault.h"
#include "volumes/file/file_pool.h"
#include "volumes/testing/extractor_program.h"
#include "volumes/testing/memory_pool.h"
#include "volumes/testing/mounted.h"

namespace slipway::pipeline {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class UnpackImageTest : public VolumeFixture {
 protected:
  UnpackImageTest() {
    download(archive::small_rootfs().file("usr/payload", std::string(100'000, 'x')).finish());
    open();
  }

  // The image as download-image leaves it.
  void download(const std::string& bytes) {
    request_.local_path = images() / "the-image.tar";
    request_.checksum = sha256_hex(bytes);
    std::ofstream(request_.local_path, std::ios::binary) << bytes;
    ASSERT_TRUE(catalog_->store_image({.source = {.image_id = "the-image", .bucket = "bucket", .key = "the.tar"},
                                       .local_path = request_.local_path,
                                       .checksum = request_.checksum,
                                       .size_bytes = bytes.size()}));
  }
  void add_machines(fsm::Manager& manager) override {
    machine_ = *add_unpack_image(
        manager, {.catalog = catalog_,
                  .pool = pool_,
                  .extractor = std::make_shared<const volumes::ext4::Extractor>(volumes::ext4::test_extractor(how_))});
  }
  fsm::RunVersion start() { return *machine_->start("the-image", request_); }
  Result<UnpackImageResponse> unpack_it() { return machine_->wait(start()); }
  // Waits for the run's end, with the clock moved on whenever it waits for its next try.
  std::string patient_ending(fsm::RunVersion run) {
    for (;;) {
      const auto record = harness_.manager().run(run);
      if (fsm::is_finished(record->progress.state)) return harness_.ending(run);
      const auto* waits = std::get_if<fsm::BackingOff>(&record->progress.state);
      if (waits != nullptr && waits->due > harness_.clock.now()) harness_.clock.set(waits->due);
      std::this_thread::yield();
    }
  }
  void expect_nothing_left() {
    EXPECT_THAT(*pool_->list(), IsEmpty());
    EXPECT_THAT(ids(), IsEmpty());
    EXPECT_FALSE(*catalog_->find_lock("the-image"));
    EXPECT_FALSE(*catalog_->find_volume("the-image"));
    EXPECT_EQ(breaches(), "");
  }
  void expect_unpacked() {
    const auto volume = catalog_->find_unpacked("the-image").value();
    ASSERT_TRUE(volume);
    EXPECT_EQ(volume->source_checksum, request_.checksum);
    EXPECT_EQ(volume->device_size, request_.device_size);
    ASSERT_EQ(pool_->list()->size(), 1);
    EXPECT_EQ(pool_->list()->front().id, volume->device_id);
    EXPECT_FALSE(pool_->list()->front().active());
    EXPECT_EQ(ids().size(), 1);
    EXPECT_FALSE(*catalog_->find_lock("the-image"));
    EXPECT_EQ(breaches(), "");
    EXPECT_THAT(*examine(doctor()), IsEmpty());
  }

  std::string how_;  // the extractor misbehaves so
  std::optional<UnpackImageMachine> machine_;
  UnpackImageRequest request_{.image_id = "the-image", .pool = pool_->name(), .device_size = 64U << 20};
};

TEST_F(UnpackImageTest, TheImageBecomesAVolumeAtRest) {
  const auto made = unpack_it();
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_TRUE(made->unpacked);
  EXPECT_EQ(made->device_name, catalog::volume_name("the-image"));
  EXPECT_EQ(made->device_id, catalog::first_volume_id("the-image").value);
  EXPECT_GE(made->bytes, 100'000);
  EXPECT_GE(made->files, 1);
  expect_unpacked();
}

TEST_F(UnpackImageTest, WhatIsThereIsHandedOutWithoutTouchingThePool) {
  const auto first = unpack_it();
  ASSERT_TRUE(first);
  const int before = stage_->changes();
  const auto second = unpack_it();
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->unpacked);
  EXPECT_EQ(second->device_id, first->device_id);
  EXPECT_EQ(second->files, first->files);
  EXPECT_EQ(stage_->changes(), before);
  expect_unpacked();
}

TEST_F(UnpackImageTest, AVolumeThatHasLostItsDeviceIsMadeAgain) {
  const auto first = unpack_it();
  ASSERT_TRUE(first);
  stage_->drop({first->device_id});
  const auto second = unpack_it();
  ASSERT_TRUE(second) << second.error().message();
  EXPECT_TRUE(second->unpacked);
  expect_unpacked();
}

TEST_F(UnpackImageTest, AVolumeWhoseContentIsDestroyedIsMadeAgainWhenItIsLookedAt) {
  const auto first = unpack_it();
  ASSERT_TRUE(first);
  const volumes::DeviceSpec device{{first->device_id}, first->device_name, request_.device_size};
  request_.verify = true;
  const auto sound = unpack_it();
  ASSERT_TRUE(sound) << sound.error().message();
  EXPECT_FALSE(sound->unpacked);
  expect_unpacked();
  const auto path = pool_->activate(device);
  ASSERT_TRUE(path);
  {
    std::fstream file(*path, std::ios::in | std::ios::out | std::ios::binary);
    file << std::string(1U << 20U, 'x');
  }
  ASSERT_TRUE(pool_->deactivate(device));
  const auto again = unpack_it();
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_TRUE(again->unpacked);
  expect_unpacked();
}

TEST_F(UnpackImageTest, OtherContentTakesThePlaceOfTheOld) {
  ASSERT_TRUE(unpack_it());
  download(archive::small_rootfs().file("usr/other", "y").finish());
  const auto second = unpack_it();
  ASSERT_TRUE(second) << second.error().message();
  EXPECT_TRUE(second->unpacked);
  expect_unpacked();
}

TEST_F(UnpackImageTest, OtherContentWaitsUntilTheSnapshotsOfTheOldAreGone) {
  const auto first = unpack_it();
  ASSERT_TRUE(first);
  activate("the-image", {first->device_id}, {7}, "snap-a");
  download(archive::small_rootfs().file("usr/other", "y").finish());
  const auto refused = unpack_it();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kConflict);
  EXPECT_THAT(refused.error().message(), HasSubstr("snap-a"));
  EXPECT_EQ(pool_->list()->size(), 2);
  EXPECT_FALSE(*catalog_->find_lock("the-image"));
}

TEST_F(UnpackImageTest, AnIdThatSomebodyElseHasTakenIsPassedOver) {
  const DeviceId first = catalog::first_volume_id("the-image");
  ASSERT_TRUE(pool_->create({first, "made-by-hand", kSize}));
  const auto made = unpack_it();
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_NE(made->device_id, first.value);
  EXPECT_TRUE(*pool_->find(first));
}

TEST_F(UnpackImageTest, AFullPoolAborts) {
  stage_->set_full(true);
  const auto run = start();
  EXPECT_THAT(harness_.ending(run),
              AllOf(StartsWith("aborted: "), testing::AnyOf(HasSubstr("full"), HasSubstr("metadata space left"))));
  expect_nothing_left();
}

TEST_F(UnpackImageTest, ADeviceThatIsTooSmallAborts) {
  request_.device_size = 8U << 20;
  download(archive::small_rootfs().file("usr/payload", std::string(20U << 20, 'x')).finish());
  EXPECT_THAT(harness_.ending(start()), StartsWith("aborted: "));
  expect_nothing_left();
}

TEST_F(UnpackImageTest, ADiskThatIsFullBeforeTheVolumeIsSyncedAbortsAndSaysWhatToDo) {
  const fault::Scope full("volumes.ext4.sync", {.times = 1, .error = Error(ErrorKind::kNoSpace, "injected")});
  const auto made = unpack_it();
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind(), ErrorKind::kNoSpace) << made.error().message();
  EXPECT_THAT(made.error().hint(), HasSubstr("slipway rm"));
  expect_nothing_left();
  EXPECT_TRUE(unpack_it());
}

TEST_F(UnpackImageTest, ADiskThatIsFullInTheMiddleAbortsAndSaysWhatToDo) {
  harness_.close();  // threads that are there already would not see the mount
  const volumes::Mounted small("tmpfs", "none", "size=8m");
  if (!small.ok()) GTEST_SKIP() << small.why();
  pool_ = volumes::FilePool::open({.folder = small.file("pool"), .name = "small", .least_free = 0}).value();
  request_.pool = "small";
  download(archive::small_rootfs().file("usr/payload", std::string(20U << 20, 'x')).finish());
  open();
  const auto made = unpack_it();
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind(), ErrorKind::kNoSpace) << made.error().message();
  EXPECT_THAT(made.error().message(), HasSubstr("the-image.tar"));
  EXPECT_THAT(made.error().hint(), HasSubstr("slipway rm"));
  expect_nothing_left();
  EXPECT_THAT(*pool_->leftovers(), IsEmpty());
  EXPECT_LT(pool_->status()->data.used, 1U << 20);

  download(archive::small_rootfs().file("usr/payload", std::string(100'000, 'x')).finish());
  EXPECT_TRUE(unpack_it());
  pool_.reset();
  harness_.close();
}

// Its devices fail what is written to them, and it says why.
class FullPool : public volumes::MemoryPool {
 public:
  using MemoryPool::MemoryPool;
  Result<volumes::PoolStatus> status() override {
    auto status = MemoryPool::status();
    status->data.used = status->data.total;
    status->problems.emplace_back("its data space is full");
    return status;
  }
};

TEST_F(UnpackImageTest, AVolumeThatCannotBeWrittenIsTriedThreeTimes) {
  int tries = 0;
  const fault::Scope counted("pipeline.unpack.create",
                             {.times = -1, .action = fault::Action::kCall, .call = [&] { ++tries; }});
  const fault::Scope sick("volumes.ext4.sync", {.times = -1, .error = Error(ErrorKind::kIo, "injected")});
  EXPECT_THAT(patient_ending(start()), StartsWith("failed: "));
  EXPECT_EQ(tries, 3);
  expect_nothing_left();
}

TEST_F(UnpackImageTest, APoolThatRunsFullMeanwhileAborts) {
  harness_.close();
  pool_ = std::make_shared<FullPool>(std::make_shared<volumes::PoolMemory>());
  request_.pool = pool_->name();
  open();
  const fault::Scope sick("volumes.ext4.sync", {.times = -1, .error = Error(ErrorKind::kIo, "injected")});
  EXPECT_THAT(harness_.ending(start()), AllOf(StartsWith("aborted: "), HasSubstr("data space is full")));
  expect_nothing_left();
}

TEST_F(UnpackImageTest, AFileThatIsNoLongerTheOneThatWasDownloadedAborts) {
  std::ofstream(request_.local_path, std::ios::binary | std::ios::app) << std::string(512, '\0');
  EXPECT_THAT(harness_.ending(start()), AllOf(StartsWith("aborted: "), HasSubstr("SHA-256")));
  expect_nothing_left();
}

TEST_F(UnpackImageTest, TheRulesAreAppliedAgain) {
  download(archive::small_rootfs().file("usr/bin/su", "x", 04755).finish());
  request_.rules.policy = archive::strict_policy();
  EXPECT_THAT(harness_.ending(start()), AllOf(StartsWith("aborted: "), HasSubstr("su")));
  expect_nothing_left();
}

TEST_F(UnpackImageTest, AReaderThatDiesOverItAborts) {
  harness_.close();
  how_ = "crash";
  open();
  EXPECT_THAT(patient_ending(start()), testing::Not(StartsWith("completed")));
  expect_nothing_left();
}

TEST_F(UnpackImageTest, KilledBeforeOrAfterAnyTransitionItGoesOnToOneVolume) {
  for (const char* transition : {"check-unpacked", "create-device", "extract-layers", "verify-layout", "update-db"}) {
    for (const bool after : {false, true}) {
      const auto run = cut_off(transition, after, [this] { return start(); });
      const auto made = machine_->wait(run);
      ASSERT_TRUE(made) << transition << after << ": " << made.error().message();
      EXPECT_TRUE(made->unpacked);
      expect_unpacked();
      ASSERT_TRUE(catalog_->delete_volume("the-image", catalog::DeviceFate::kGone));
      stage_->drop({made->device_id});
    }
  }
}

TEST_F(UnpackImageTest, ARebootBeforeItIsVerifiedIsNoHindrance) {
  const auto run = cut_off("verify-layout", /*after=*/false, [this] { return start(); }, [this] { stage_->reboot(); });
  ASSERT_TRUE(machine_->wait(run));
  expect_unpacked();
}

TEST_F(UnpackImageTest, ALockOfADeadRunIsTakenOver) {
  ASSERT_TRUE(catalog_->acquire_lock("the-image", "01HZZZZZZZZZZZZZZZZZZZZZZZ"));
  ASSERT_TRUE(unpack_it());
  expect_unpacked();
}

TEST_F(UnpackImageTest, CancelledInTheMiddleItLeavesNothing) {
  std::optional<fsm::RunVersion> run;
  const fault::Scope there("pipeline.unpack.create",
                           {.action = fault::Action::kCall, .call = [&] {
                              const auto active = harness_.manager().runs({});
                              EXPECT_TRUE(harness_.manager().cancel(active->front().spec.version, "by hand"));
                            }});
  EXPECT_THAT(harness_.ending(start()), HasSubstr("cancelled"));
  expect_nothing_left();
}

}  // namespace
}  // namespace slipway::pipeline
