#include "pipeline/doctor.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "pipeline/remove_image.h"
#include "pipeline/testing/volume_fixture.h"
#include "volumes/testing/memory_pool.h"

namespace slipway::pipeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class DoctorTest : public VolumeFixture {
 protected:
  DoctorTest() {
    unpack("the-image", kVolume, "thin-1");
    activate("the-image", kVolume, {101}, "snap-a");
    open();
  }

  void add_machines(fsm::Manager& manager) override {
    remove_ = *add_remove_image(manager, {.catalog = catalog_, .pool = pool_});
  }
  std::vector<std::string> rules() {
    std::vector<std::string> out;
    const auto found = examine(doctor());
    EXPECT_TRUE(found) << found.error().message();
    for (const auto& ailment : *found) out.push_back(ailment.rule);
    return out;
  }
  // The rules of what was healed, once more, and that nothing is left.
  std::vector<std::string> healed() {
    std::vector<std::string> out;
    const auto treated = heal(doctor(), {}).value();
    for (const auto& treatment : treated) {
      EXPECT_TRUE(treatment.healed) << treatment.ailment.sentence << ": " << treatment.why_not;
      out.push_back(treatment.ailment.rule);
    }
    EXPECT_THAT(rules(), IsEmpty());
    EXPECT_EQ(breaches(), "");
    return out;
  }

  std::optional<RemoveImageMachine> remove_;
};

TEST_F(DoctorTest, IsSilentWhenAllIsWell) { EXPECT_THAT(rules(), IsEmpty()); }

TEST_F(DoctorTest, ASnapshotWhoseDeviceIsGoneIsForgotten) {
  stage_->drop({101});
  EXPECT_THAT(healed(), ElementsAre("snapshot-without-device"));
  EXPECT_FALSE(*catalog_->find_snapshot("snap-a"));
  EXPECT_EQ(ids().size(), 1);
}

TEST_F(DoctorTest, AVolumeWhoseDeviceIsGoneIsForgottenUnlessSnapshotsNeedItsRow) {
  stage_->drop(kVolume);
  const auto found = examine(doctor());
  ASSERT_EQ(found->size(), 1);
  EXPECT_EQ(found->front().rule, "volume-without-device");
  EXPECT_EQ(found->front().cure, Ailment::Cure::kNone);
  EXPECT_THAT(found->front().advice, HasSubstr("take the old ones down"));
  ASSERT_TRUE(catalog_->delete_snapshot("snap-a", catalog::DeviceFate::kGone));
  stage_->drop({101});
  EXPECT_THAT(healed(), ElementsAre("volume-without-device"));
  EXPECT_FALSE(*catalog_->find_volume("the-image"));
}

TEST_F(DoctorTest, AfterARebootSnapshotsAreNotedAsInactive) {
  stage_->reboot();
  EXPECT_THAT(healed(), ElementsAre("snapshot-not-active"));
  EXPECT_FALSE(catalog_->find_snapshot("snap-a").value()->active);
  EXPECT_TRUE(*pool_->find({101}));
}

TEST_F(DoctorTest, ActiveDevicesThatNobodyNeedsAreTakenDown) {
  ASSERT_TRUE(pool_->activate({kVolume, "thin-1", kSize}));
  ASSERT_TRUE(catalog_->deactivate_snapshot("snap-a"));
  EXPECT_THAT(healed(), ElementsAre("device-active", "device-active"));
  const auto devices = pool_->list().value();
  for (const auto& device : devices) EXPECT_FALSE(device.active());
}

TEST_F(DoctorTest, WhatWasBegunAndIsNothingIsDeleted) {
  const auto id = catalog_->reserve({.pool = pool_->name(), .image_id = "the-image", .start = {500}});
  EXPECT_EQ(id->device_id, kVolume);  // its volume has one
  const auto snap = catalog_->reserve({.pool = pool_->name(),
                                       .purpose = catalog::Purpose::kSnapshot,
                                       .image_id = "the-image",
                                       .snapshot_name = "half",
                                       .start = {500}});
  ASSERT_TRUE(catalog_->mark_made(*snap));
  ASSERT_TRUE(pool_->snapshot({{500}, "half", kSize}, {kVolume, "thin-1", kSize}));
  ASSERT_TRUE(pool_->activate({{500}, "half", kSize}));
  EXPECT_THAT(healed(), ElementsAre("device-without-row"));
  EXPECT_FALSE(*pool_->find({500}));
}

TEST_F(DoctorTest, AnIdThatWasReservedForNothingIsReleased) {
  ASSERT_TRUE(catalog_->reserve({.pool = pool_->name(),
                                 .purpose = catalog::Purpose::kSnapshot,
                                 .image_id = "the-image",
                                 .snapshot_name = "never",
                                 .start = {500}}));
  EXPECT_THAT(healed(), ElementsAre("id-without-device"));
  EXPECT_EQ(ids().size(), 2);
}

TEST_F(DoctorTest, WhatOthersHaveMadeIsToldOfAndLeftAlone) {
  ASSERT_TRUE(pool_->create({{900}, "by-hand", kSize}));
  ASSERT_TRUE(pool_->activate({{900}, "by-hand", kSize}));
  // A reservation that never got as far as looking does not make it ours.
  ASSERT_TRUE(catalog_->reserve({.pool = pool_->name(),
                                 .purpose = catalog::Purpose::kSnapshot,
                                 .image_id = "the-image",
                                 .snapshot_name = "unlucky",
                                 .start = {900}}));
  EXPECT_THAT(rules(), UnorderedElementsAre("device-of-others", "id-without-device"));
  const auto treated = heal(doctor(), {}).value();
  for (const auto& treatment : treated) {
    EXPECT_EQ(treatment.healed, treatment.ailment.rule == "id-without-device");
  }
  EXPECT_TRUE((*pool_->find({900}))->active());
}

TEST_F(DoctorTest, LocksOfTheDeadAreBroken) {
  ASSERT_TRUE(catalog_->acquire_lock("the-image", "long-ago"));
  EXPECT_THAT(healed(), ElementsAre("lock-of-dead-run"));
  EXPECT_FALSE(*catalog_->find_lock("the-image"));
}

TEST_F(DoctorTest, FilesOfNoImageAreRemovedAndLostOnesToldOf) {
  std::ofstream(images() / "gone.tar.part") << "x";
  std::ofstream(images() / "README") << "not ours";
  EXPECT_THAT(healed(), ElementsAre("file-without-image"));
  EXPECT_FALSE(std::filesystem::exists(images() / "gone.tar.part"));
  EXPECT_TRUE(std::filesystem::exists(images() / "README"));
  for (const char* theirs : {"backup.tar.gz", "a.tar.b.tar.gz.part", "whole.tar"})
    std::ofstream(images() / theirs) << "x";
  const auto treated = heal(doctor(), {}).value();
  ASSERT_EQ(treated.size(), 1U);
  EXPECT_THAT(treated.front().ailment.sentence, HasSubstr("whole.tar"));
  for (const char* theirs : {"backup.tar.gz", "a.tar.b.tar.gz.part", "whole.tar"}) {
    EXPECT_TRUE(std::filesystem::exists(images() / theirs)) << theirs;
  }
  std::filesystem::remove(images() / "whole.tar");
  std::filesystem::remove(images() / "the-image.tar");
  EXPECT_THAT(rules(), ElementsAre("image-without-file"));
}

TEST_F(DoctorTest, WhatARunIsUnderWayForIsLeftAlone) {
  ASSERT_TRUE(catalog_->deactivate_snapshot("snap-a"));
  ASSERT_THAT(rules(), ElementsAre("device-active"));
  // It waits for its turn: nothing of the image is anybody else's business.
  const auto begun = remove_->start("the-image", {.image_id = "the-image", .force = true},
                                    {.not_before = harness_.clock.now() + std::chrono::hours(1)});
  ASSERT_TRUE(begun);
  ASSERT_TRUE(catalog_->acquire_lock("the-image", begun->version.to_string()));
  EXPECT_THAT(rules(), IsEmpty());
  EXPECT_THAT(*heal(doctor(), {}), IsEmpty());
}

TEST_F(DoctorTest, APoolThatAnotherProgramWorksWithIsToldOf) {
  ASSERT_TRUE(catalog_->store_pool({.name = pool_->name(), .transaction_id = 0}));
  EXPECT_THAT(rules(), IsEmpty());
  stage_->set_transaction_id(7);
  EXPECT_THAT(healed(), ElementsAre("pool-transaction"));
  EXPECT_EQ(catalog_->find_pool(pool_->name()).value()->transaction_id, 7);
}

TEST_F(DoctorTest, AnotherPoolInThePlaceOfTheRecordedOneIsNotAdopted) {
  ASSERT_TRUE(catalog_->store_pool({.name = pool_->name(), .transaction_id = 3}));
  stage_->drop({101});
  EXPECT_THAT(rules(), ElementsAre("pool-transaction", "snapshot-without-device"));
  const auto treated = heal(doctor(), {}).value();
  EXPECT_FALSE(treated.front().healed);
  EXPECT_EQ(catalog_->find_pool(pool_->name()).value()->transaction_id, 3);
}

// Its metadata cannot be written, as when it needs checking: nothing can be listed.
class SickPool : public volumes::MemoryPool {
 public:
  using MemoryPool::MemoryPool;
  Result<volumes::PoolStatus> status() override {
    auto status = MemoryPool::status();
    status->problems.emplace_back("it must be checked");
    return status;
  }
  Result<std::vector<volumes::Device>> list() override { return fail(ErrorKind::kIo, "no list"); }
  Result<std::optional<volumes::Device>> find(DeviceId) override { return fail(ErrorKind::kIo, "no answer"); }
};

TEST_F(DoctorTest, OfASickPoolOnlyThatIsToldAndWhatIsKnown) {
  ASSERT_TRUE(catalog_->delete_snapshot("snap-a", catalog::DeviceFate::kMayRemain));  // its id is left to be deleted
  SickPool sick(std::make_shared<volumes::PoolMemory>(), pool_->name());
  auto parts = doctor();
  parts.pool = &sick;
  const auto found = examine(parts);
  ASSERT_TRUE(found) << found.error().message();
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ(found->front().rule, "pool");
  EXPECT_THAT(found->front().sentence, HasSubstr("must be checked"));
}

TEST_F(DoctorTest, APoolWithNothingOfWhatIsRecordedIsTakenForAnother) {
  stage_->drop({101});
  stage_->drop(kVolume);
  EXPECT_THAT(rules(), ElementsAre("pool-lost"));
  const auto treated = heal(doctor(), {}).value();
  EXPECT_FALSE(treated.front().healed);
  EXPECT_TRUE(*catalog_->find_snapshot("snap-a"));
  EXPECT_TRUE(*catalog_->find_volume("the-image"));
}

TEST_F(DoctorTest, AtAStartNothingIsForgotten) {
  stage_->drop({101});
  auto parts = doctor();
  parts.may_forget = false;
  const auto treated = heal(parts, {}).value();
  ASSERT_EQ(treated.size(), 1U);
  EXPECT_EQ(treated.front().ailment.rule, "snapshot-without-device");
  EXPECT_FALSE(treated.front().healed);
  EXPECT_TRUE(*catalog_->find_snapshot("snap-a"));
}

TEST_F(DoctorTest, AVolumeOfAnotherSizeIsDamaged) {
  ASSERT_TRUE(catalog_->store_volume({.image_id = "the-image",
                                      .pool = pool_->name(),
                                      .device_id = kVolume,
                                      .device_name = "thin-1",
                                      .device_path = "/dev/thin-1",
                                      .layout_verified = true,
                                      .source_checksum = sha256_hex("the-image"),
                                      .device_size = 2 * kSize}));
  const auto volume = pool_->find(kVolume).value();
  if (!volume->size) GTEST_SKIP() << "a pool that does not know the sizes of what rests";
  EXPECT_THAT(rules(), ElementsAre("volume-damaged"));
}

TEST_F(DoctorTest, ALightLookSeesWhatARebootLeaves) {
  stage_->reboot();
  ASSERT_TRUE(pool_->activate({kVolume, "thin-1", kSize}));
  auto parts = doctor();
  parts.thorough = false;
  const auto treated = heal(parts, {}).value();
  ASSERT_EQ(treated.size(), 2U);
  EXPECT_FALSE(catalog_->find_snapshot("snap-a").value()->active);
  EXPECT_FALSE(pool_->find(kVolume).value()->active());
  EXPECT_THAT(rules(), IsEmpty());
}

TEST_F(DoctorTest, ALightLookLeavesTheFilesAlone) {
  std::filesystem::remove(images() / "the-image.tar");
  auto parts = doctor();
  parts.thorough = false;
  EXPECT_THAT(*examine(parts), IsEmpty());
}

}  // namespace
}  // namespace slipway::pipeline
