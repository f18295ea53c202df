// What others do to a thin pool behind the program's back: `doctor` names it, `doctor --fix` heals what is safe.
#include <array>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/identity.h"
#include "e2e/workshop.h"
#include "vm/thin_devices.h"
#include "volumes/thin/device_mapper.h"

namespace slipway {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using volumes::output_of;
using volumes::shell;

class ThinDoctorTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = Workshop::why_not(Backend::kThin); !why.empty()) GTEST_SKIP() << why;
    workshop_ = std::make_unique<Workshop>(Place::kFolder, Backend::kThin);
    workshop_->put("x.tar", bytes_);
    fetch();
  }

  void fetch() {
    const auto ended = workshop_->run({"fetch-and-create", "x.tar", "--quiet"});
    ASSERT_EQ(ended.code, 0) << ended.err;
    image_ = workshop_->image("x.tar").image_id;
    snapshot_ = catalog::default_snapshot_name(image_);
  }

  struct Said {
    int code = 0;
    std::vector<std::string> rules{};
    std::vector<std::string> unhealed{};
    std::string all{};
  };
  Said doctor(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"doctor", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const auto ended = workshop_->run(words);
    Said said{.code = ended.code, .all = ended.out + ended.err};
    EXPECT_FALSE(ended.out.empty()) << ended.err;
    if (ended.out.empty()) return said;
    const auto json = ended.json();
    for (const auto& finding : json.at("findings")) {
      said.rules.push_back(finding.at("rule"));
      if (!finding.at("healed").get<bool>()) said.unhealed.push_back(finding.at("rule"));
    }
    return said;
  }
  void expect_said(const std::string& rule) {
    const auto said = doctor();
    EXPECT_EQ(said.code, 1);
    EXPECT_THAT(said.rules, ElementsAre(rule)) << said.all;
  }
  // What a crash or a reboot leaves is healed before the doctor's own look, and is not told then.
  void expect_healed(const std::string& rule) {
    const auto healed = doctor({"--fix"});
    EXPECT_EQ(healed.code, 0) << healed.all;
    EXPECT_THAT(healed.rules, testing::AnyOf(IsEmpty(), ElementsAre(rule))) << healed.all;
    EXPECT_THAT(healed.unhealed, IsEmpty()) << healed.all;
    expect_silence();
  }
  void expect_silence() {
    const auto said = doctor();
    EXPECT_EQ(said.code, 0) << said.all;
    EXPECT_THAT(said.rules, IsEmpty()) << said.all;
  }

  void message(const std::string& text) {
    ASSERT_EQ(shell(fmt::format("dmsetup message {} 0 '{}'", workshop_->ground().name(), text)), 0) << text;
  }
  // A device that another program has made, with a text on it.
  void make_by_hand(DeviceId id, const std::string& text) {
    message(fmt::format("create_thin {}", id));
    with_device(id, [&](const std::string& path) { std::ofstream(path) << text << std::flush; });
  }
  std::string text_by_hand(DeviceId id) {
    std::string text;
    with_device(id, [&](const std::string& path) { std::getline(std::ifstream(path), text, '\0'); });
    return text;
  }
  template <class Body>
  void with_device(DeviceId id, const Body& body) {
    const auto name = volumes::unique_name("by-hand");
    const auto number = volumes::dm::info(workshop_->ground().name()).value()->number;
    ASSERT_EQ(shell(fmt::format("dmsetup create {0} --table '0 2048 thin {1} {2}' >/dev/null && dmsetup mknodes {0}",
                                name, number, id)),
              0);
    body(volumes::dm::path_of(name));
    ASSERT_EQ(shell("dmsetup remove " + name + " >/dev/null"), 0);
  }

  const std::string bytes_ = sample_image(100'000);
  std::unique_ptr<Workshop> workshop_;
  std::string image_;
  std::string snapshot_;
};

TEST_F(ThinDoctorTest, ASnapshotsDeviceThatWasRemovedIsNotedAndComesBackOnRequest) {
  expect_silence();
  ASSERT_EQ(shell("dmsetup remove " + snapshot_ + " >/dev/null"), 0);
  expect_said("snapshot-not-active");
  expect_healed("snapshot-not-active");
  const auto back = workshop_->run({"activate", image_});
  EXPECT_EQ(back.code, 0) << back.err;
  EXPECT_EQ(back.out, volumes::dm::path_of(snapshot_) + "\n");
  EXPECT_EQ(workshop_->faults_of("x.tar", bytes_), "");
}

TEST_F(ThinDoctorTest, AnActiveVolumeThatNobodyNeedsIsTakenDown) {
  const auto volume = catalog::first_volume_id(image_);
  const auto number = volumes::dm::info(workshop_->ground().name()).value()->number;
  const auto hand = volumes::unique_name("by-hand");
  ASSERT_EQ(shell(fmt::format("dmsetup create {} --table '0 2048 thin {} {}' >/dev/null", hand, number, volume)), 0);
  expect_said("device-active");
  expect_healed("device-active");
  EXPECT_FALSE(volumes::dm::info(hand).value());
}

TEST_F(ThinDoctorTest, ADeviceMadeByHandIsToldOfAndNeverTouched) {
  make_by_hand({4242}, "somebody's");
  expect_said("device-of-others");
  const auto tried = doctor({"--fix"});
  EXPECT_EQ(tried.code, 1);
  EXPECT_THAT(tried.unhealed, ElementsAre("device-of-others"));
  EXPECT_EQ(text_by_hand({4242}), "somebody's");
  message("delete 4242");
  expect_silence();
}

TEST_F(ThinDoctorTest, IdsThatAreTakenArePassedOver) {
  workshop_->forget();
  const auto volume = catalog::first_volume_id(image_);
  const auto snapshot = catalog::first_snapshot_id(image_, snapshot_);
  make_by_hand(volume, "not a volume");
  make_by_hand(snapshot, "not a snapshot");
  fetch();
  const auto said = doctor();
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.rules, ElementsAre("device-of-others", "device-of-others")) << said.all;
  EXPECT_EQ(text_by_hand(volume), "not a volume");
  EXPECT_EQ(text_by_hand(snapshot), "not a snapshot");
  message(fmt::format("delete {}", volume));
  message(fmt::format("delete {}", snapshot));
  EXPECT_EQ(workshop_->faults_of("x.tar", bytes_), "");
}

TEST_F(ThinDoctorTest, ATransactionIdOfSomebodyElseIsTakenOverWhenNothingIsMissing) {
  message("set_transaction_id 0 5");
  expect_said("pool-transaction");
  expect_healed("pool-transaction");
  EXPECT_EQ(workshop_->run({"pool", "status", "--json"}).json().at("transaction_id"), 5);
}

TEST_F(ThinDoctorTest, AVolumeWhoseDeviceIsGoneIsMadeAgain) {
  ASSERT_EQ(workshop_->run({"deactivate", snapshot_, "--delete"}).code, 0);
  message(fmt::format("delete {}", catalog::first_volume_id(image_)));
  message("set_transaction_id 0 7");
  const auto said = doctor();
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.rules, testing::UnorderedElementsAre("volume-without-device", "pool-transaction")) << said.all;
  // Whether it is the right pool is known only when nothing is missing any more.
  EXPECT_THAT(doctor({"--fix"}).unhealed, ElementsAre("pool-transaction"));
  expect_healed("pool-transaction");
  fetch();
  EXPECT_EQ(workshop_->faults_of("x.tar", bytes_), "");
}

TEST_F(ThinDoctorTest, WhatACrashLeavesInTheKernelIsRemoved) {
  auto variables = workshop_->variables();
  variables["SLIPWAY_FAULT"] = "volumes.thin.metadata-held=kill@1";
  ASSERT_EQ(start_program(Workshop::faulty_program(), {"doctor"}, variables)->finish().code, 128 + SIGKILL);
  expect_silence();  // the look itself takes it over
  variables["SLIPWAY_FAULT"] = "volumes.thin.loaded=kill@1";
  ASSERT_EQ(workshop_->run({"deactivate", snapshot_}).code, 0);
  ASSERT_EQ(start_program(Workshop::faulty_program(), {"activate", image_}, variables)->finish().code, 128 + SIGKILL);
  EXPECT_FALSE(volumes::dm::info(snapshot_).value()->has_table);
  const auto healed = doctor({"--fix"});
  EXPECT_EQ(healed.code, 0) << healed.all;
  expect_silence();
}

// The flag that the kernel sets in a pool's superblock when it could not write the metadata.
class ThinNeedsCheckTest : public ThinDoctorTest {
 protected:
  static constexpr std::size_t kBlock = 4096;
  static constexpr std::size_t kFlagsAt = 4;
  static constexpr std::uint32_t kNeedsCheck = 1;

  static std::uint32_t crc32c(const char* data, std::size_t size) {
    std::uint32_t sum = ~0U;
    for (std::size_t i = 0; i < size; ++i) {
      sum ^= static_cast<unsigned char>(data[i]);
      for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1U) ^ ((sum & 1U) != 0 ? 0x82F63B78U : 0U);
    }
    return sum;
  }
  void set_flag() {
    constexpr std::uint32_t kSalt = 160774;
    std::array<char, kBlock> block{};
    std::fstream file(workshop_->ground().place().metadata, std::ios::in | std::ios::out | std::ios::binary);
    file.read(block.data(), block.size());
    std::uint32_t stored = 0;
    std::memcpy(&stored, block.data(), sizeof(stored));
    ASSERT_EQ(stored, crc32c(block.data() + kFlagsAt, kBlock - kFlagsAt) ^ kSalt);
    std::uint32_t flags = 0;
    std::memcpy(&flags, block.data() + kFlagsAt, sizeof(flags));
    flags |= kNeedsCheck;
    std::memcpy(block.data() + kFlagsAt, &flags, sizeof(flags));
    stored = crc32c(block.data() + kFlagsAt, kBlock - kFlagsAt) ^ kSalt;
    std::memcpy(block.data(), &stored, sizeof(stored));
    file.seekp(0);
    file.write(block.data(), block.size());
    ASSERT_TRUE(file.flush());
  }
};

TEST_F(ThinNeedsCheckTest, APoolThatNeedsCheckingIsNamedAndTakesNothingUntilItIsChecked) {
  auto& ground = workshop_->ground();
  ground.take_down();
  set_flag();
  expect_said("pool-not-running");
  const auto tried = doctor({"--fix"});
  EXPECT_EQ(tried.code, 1) << tried.all;
  EXPECT_THAT(tried.unhealed, testing::Contains("pool")) << tried.all;
  const auto said = doctor();
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.rules, testing::Contains("pool")) << said.all;
  EXPECT_THAT(said.all, HasSubstr("thin_check"));
  workshop_->put("y.tar", sample_image(50'000));
  const auto refused = workshop_->run({"fetch-and-create", "y.tar", "--quiet"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("thin_check"));

  ground.take_down();
  // On a loop device: the program asks for more than a file in memory can do.
  const auto metadata = output_of("losetup -f --show " + ground.place().metadata.native());
  EXPECT_EQ(shell("thin_check --clear-needs-check-flag " + metadata), 0);
  ASSERT_EQ(shell("losetup -d " + metadata), 0);
  ASSERT_EQ(doctor({"--fix"}).code, 0);
  expect_silence();
  EXPECT_EQ(workshop_->run({"activate", image_}).code, 0);
  EXPECT_EQ(workshop_->run({"fetch-and-create", "y.tar", "--quiet"}).code, 0);
  expect_silence();
}

}  // namespace
}  // namespace slipway
