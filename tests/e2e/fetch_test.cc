// The whole program, from the command line to the catalog.
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "archive/testing/tar_builder.h"
#include "base/digest.h"
#include "e2e/workshop.h"

namespace slipway {
namespace {

using testing::HasSubstr;

// Until `text` stands in what the command said on standard error.
void await(sys::Command& command, const std::string& text) {
  while (command.err_so_far().find(text) == std::string::npos) {
    ASSERT_TRUE(command.running()) << command.finish().err;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

class FetchTest : public testing::TestWithParam<Place> {
 protected:
  FetchTest() : workshop_(GetParam()) {}

  Workshop workshop_;
};

TEST_P(FetchTest, AnImageIsFetchedOnceAndThenThere) {
  const std::string bytes = sample_image(3 << 20);
  workshop_.put("x.tar", bytes);
  const auto first = workshop_.run({"fetch-and-create", "x.tar", "--json"});
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.json().at("downloaded"), true);
  EXPECT_EQ(first.json().at("image").at("status"), "ready");
  EXPECT_EQ(first.json().at("image").at("checksum"), sha256_hex(bytes));
  EXPECT_EQ(workshop_.faults_of("x.tar", bytes), "");

  const auto second = workshop_.run({"process-image", "--s3-key", "images/x.tar", "--json"});
  ASSERT_EQ(second.code, 0) << second.err;
  EXPECT_EQ(second.json().at("downloaded"), false);
  EXPECT_EQ(second.json().at("image").at("image_id"), first.json().at("image").at("image_id"));
  EXPECT_EQ(workshop_.faults_of("x.tar", bytes), "");
}

TEST_P(FetchTest, ThePrintedResultNamesStatusChecksumAndFile) {
  const std::string bytes = sample_image(1000);
  workshop_.put("x.tar", bytes);
  const auto ended = workshop_.run({"fetch-and-create", "x.tar"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("ready"));
  EXPECT_THAT(ended.out, HasSubstr("sha256:" + sha256_hex(bytes)));
  EXPECT_THAT(ended.out, HasSubstr("not scanned"));
  EXPECT_THAT(ended.err, HasSubstr("validate"));
  for (const char* name : {"x.tar", "images/x.tar", "x-"}) {
    EXPECT_EQ(workshop_.run({"show", name, "--json"}).json().at("checksum"), sha256_hex(bytes)) << name;
  }
}

TEST_P(FetchTest, WhatTheBucketHasIsListedWithWhatIsHere) {
  workshop_.put("a b+c%.tar", sample_image(1000));
  workshop_.put("x.tar", sample_image(1000));
  ASSERT_EQ(workshop_.run({"fetch-and-create", "a b+c%.tar", "--quiet"}).code, 0);
  const auto ended = workshop_.run({"list", "--remote", "--json"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto objects = ended.json().at("objects");
  ASSERT_EQ(objects.size(), 2U);
  EXPECT_EQ(objects[0].at("key"), "images/a b+c%.tar");
  EXPECT_EQ(objects[0].at("status"), "ready");
  EXPECT_EQ(objects[1].at("key"), "images/x.tar");
  EXPECT_TRUE(objects[1].at("status").is_null());
}

TEST_P(FetchTest, AMissingKeyIsAnErrorThatNamesIt) {
  const auto ended = workshop_.run({"fetch-and-create", "nothing.tar"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err, HasSubstr("images/nothing.tar"));
}

TEST_P(FetchTest, AMaliciousImageIsRefusedByRuleAndSetting) {
  workshop_.put("x.tar", archive::small_rootfs().symlink("usr/out", "../../../etc/shadow").finish());
  const auto ended = workshop_.run({"fetch-and-create", "x.tar"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err, HasSubstr("usr/out"));
  EXPECT_THAT(ended.err, HasSubstr("policy_symlink_escape"));
  EXPECT_TRUE(std::filesystem::is_empty(workshop_.images()));
  const auto list = workshop_.run({"list", "--json"}).json().at("images");
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].at("status"), "failed");
}

TEST_P(FetchTest, APolicySettingIsHeeded) {
  workshop_.put("x.tar", archive::small_rootfs().file("usr/su", "x", 04755).finish());
  EXPECT_EQ(workshop_.run({"fetch-and-create", "x.tar", "--set", "policy_setuid=refuse"}).code, 1);
  EXPECT_EQ(workshop_.run({"fetch-and-create", "x.tar"}).code, 0);
  const auto unknown = workshop_.run({"list", "--set", "policy_setuit=refuse"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("policy_setuit"));
}

TEST_P(FetchTest, TwoCommandsAtOnceShareOneDownload) {
  const std::string bytes = sample_image(32 << 20);
  workshop_.put("x.tar", bytes);
  const auto first = workshop_.start({"fetch-and-create", "x.tar", "--json"});
  const auto second = workshop_.start({"fetch-and-create", "x.tar", "--json"});
  const auto one = first->finish();
  const auto two = second->finish();
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(two.code, 0) << two.err;
  EXPECT_EQ(one.json().at("image").at("checksum"), two.json().at("image").at("checksum"));
  EXPECT_EQ(workshop_.faults_of("x.tar", bytes), "");
}

TEST_P(FetchTest, ARunThatFailedIsTriedAgainByItsVersion) {
  workshop_.put("x.tar", "no archive");
  ASSERT_EQ(workshop_.run({"fetch-and-create", "x.tar"}).code, 1);
  const auto runs = workshop_.run({"runs", "--machine", "process-image", "--json"}).json().at("runs");
  ASSERT_EQ(runs.size(), 1U);
  const std::string bytes = sample_image(1000);
  workshop_.put("x.tar", bytes);
  const auto retried = workshop_.run({"runs", "retry", runs[0].at("version"), "--json"});
  ASSERT_EQ(retried.code, 0) << retried.err;
  EXPECT_EQ(retried.json().at("ending"), "completed");
  EXPECT_EQ(workshop_.faults_of("x.tar", bytes), "");
  const auto again = workshop_.run({"runs", "retry", retried.json().at("run")});
  EXPECT_EQ(again.code, 1);
  EXPECT_THAT(again.err, HasSubstr("has ended well"));
}

INSTANTIATE_TEST_SUITE_P(Places, FetchTest, testing::Values(Place::kFolder, Place::kS3),
                         [](const auto& named) { return named.param == Place::kS3 ? "S3" : "Folder"; });

// A download that stands still in the middle, for as long as the test wants.
class StalledFetchTest : public testing::Test {
 protected:
  StalledFetchTest() : workshop_(Place::kS3) {
    workshop_.put("x.tar", bytes_);
    workshop_.s3().proxy().add(
        {.method = "GET", .path = "x.tar", .skip = 1, .times = 1000, .fault = net::StallAt{1000}});
  }
  void go_on() {
    workshop_.s3().proxy().clear();
    workshop_.s3().proxy().release();
  }

  const std::string bytes_ = sample_image(64 << 20);
  Workshop workshop_;
};

TEST_F(StalledFetchTest, CtrlCEndsCleanlySaysHowToResumeAndTheNextTimeGoesOn) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const auto command = workshop_.start({"fetch-and-create", "x.tar"});
    await(*command, "download");
    workshop_.s3().proxy().wait_for_stalls(1);
    command->signal(signal);
    const auto ended = command->finish();
    EXPECT_EQ(ended.code, 130) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("the same command again goes on from there"));
  }
  go_on();
  ASSERT_EQ(workshop_.run({"fetch-and-create", "x.tar"}).code, 0);
  EXPECT_EQ(workshop_.faults_of("x.tar", bytes_), "");
}

TEST_F(StalledFetchTest, CtrlCTwiceEndsAtOnceAndIsStillSafe) {
  const auto command = workshop_.start({"fetch-and-create", "x.tar"});
  await(*command, "download");
  command->signal(SIGINT);
  command->signal(SIGTERM);
  EXPECT_EQ(command->finish().code, 130);
  go_on();
  ASSERT_EQ(workshop_.run({"fetch-and-create", "x.tar"}).code, 0);
  EXPECT_EQ(workshop_.faults_of("x.tar", bytes_), "");
}

TEST_F(StalledFetchTest, WhenTheOwnerIsKilledTheOtherTakesOver) {
  const auto owner = workshop_.start({"fetch-and-create", "x.tar"});
  await(*owner, "download");
  const auto other = workshop_.start({"fetch-and-create", "x.tar"});
  await(*other, "download");
  owner->signal(SIGKILL);
  go_on();
  const auto ended = other->finish();
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(workshop_.faults_of("x.tar", bytes_), "");
}

TEST_F(StalledFetchTest, CtrlCWhileAnotherOwnsTheRunLeavesItToThatOne) {
  const auto owner = workshop_.start({"fetch-and-create", "x.tar"});
  await(*owner, "download");
  const auto other = workshop_.start({"fetch-and-create", "x.tar"});
  await(*other, "download");
  other->signal(SIGINT);
  const auto ended = other->finish();
  EXPECT_EQ(ended.code, 130) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("goes on in the process that owns it"));
  go_on();
  EXPECT_EQ(owner->finish().code, 0);
  EXPECT_EQ(workshop_.faults_of("x.tar", bytes_), "");
}

TEST_F(StalledFetchTest, ARunIsCancelledFromOutsideAndLeavesNothing) {
  const auto owner = workshop_.start({"fetch-and-create", "x.tar"});
  await(*owner, "download");
  const auto runs = workshop_.run({"runs", "--machine", "process-image", "--json"}).json().at("runs");
  ASSERT_EQ(runs.size(), 1U);
  const auto cancelled = workshop_.run({"runs", "cancel", runs[0].at("version"), "--reason", "not wanted"});
  EXPECT_EQ(cancelled.code, 0) << cancelled.err;
  const auto ended = owner->finish();
  EXPECT_EQ(ended.code, 1) << ended.err;  // nobody interrupted it, and it will not go on
  EXPECT_THAT(ended.err, HasSubstr("was cancelled: not wanted (runs cancel, user"));
  const auto after = workshop_.run({"runs", "--json"}).json().at("runs");
  ASSERT_EQ(after.size(), 2U);
  for (const auto& run : after) EXPECT_EQ(run.at("ending"), "cancelled");
  EXPECT_TRUE(std::filesystem::is_empty(workshop_.images()));
  EXPECT_EQ(workshop_.run({"list", "--json"}).json().at("images")[0].at("status"), "failed");
}

TEST(FetchSettings, WithoutABucketTheErrorSaysHowToSetOne) {
  const Workshop workshop(Place::kFolder);
  auto variables = workshop.variables();
  variables.erase("SLIPWAY_S3_BUCKET");
  const auto ended = start_program(Workshop::program(), {"fetch-and-create", "x.tar"}, variables)->finish();
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("s3_bucket"));
}

// As when its disk is not mounted.
TEST(PoolElsewhere, NothingIsForgottenOrMadeWhileTheFolderOfDevicesIsNotThere) {
  Workshop workshop(Place::kFolder);
  const auto bytes = sample_image(1U << 16U);
  workshop.put("x.tar", bytes);
  workshop.put("y.tar", sample_image(1U << 15U));
  ASSERT_EQ(workshop.run({"fetch-and-create", "x.tar", "--quiet"}).code, 0);
  const auto image = workshop.image("x.tar").image_id;
  const auto volumes = workshop.state() / "volumes";
  const auto away = workshop.state() / "away";
  std::filesystem::rename(volumes, away);
  std::filesystem::create_directory(volumes);
  const std::vector<std::vector<std::string>> commands{{"activate", image},
                                                       {"activate", image, "--name", "another"},
                                                       {"rm", image},
                                                       {"rm", image, "--force"},
                                                       {"fetch-and-create", "y.tar"},
                                                       {"doctor", "--fix"}};
  for (const auto& command : commands) {
    const auto refused = workshop.run(command);
    EXPECT_EQ(refused.code, 1) << command[0];
    EXPECT_THAT(refused.err, HasSubstr("mount its disk")) << command[0];
  }
  const auto doctor = workshop.run({"doctor"});
  EXPECT_EQ(doctor.code, 1);
  EXPECT_THAT(doctor.out, HasSubstr("pool-lost"));
  std::filesystem::remove_all(volumes);
  std::filesystem::rename(away, volumes);
  EXPECT_EQ(workshop.faults_of("x.tar", bytes), "");
}

TEST(PoolElsewhere, WithoutTheCatalogTheDoctorTellsOfDevicesThatNobodyKnows) {
  Workshop workshop(Place::kFolder);
  workshop.put("x.tar", sample_image(1U << 15U));
  EXPECT_EQ(workshop.run({"doctor"}).code, 0);
  ASSERT_EQ(workshop.run({"fetch-and-create", "x.tar", "--quiet"}).code, 0);
  for (const char* name : {"catalog.db", "catalog.db-wal", "catalog.db-shm"}) {
    std::filesystem::remove(workshop.state() / name);
  }
  const auto doctor = workshop.run({"doctor"});
  EXPECT_EQ(doctor.code, 1);
  EXPECT_THAT(doctor.out, HasSubstr("catalog-missing"));
}

// The databases are on the same disk: what fills it would keep them from noting that it is full.
TEST(FullDisk, AnImageThatWouldFillItIsRefusedAndNothingIsLeft) {
  if (::geteuid() != 0) GTEST_SKIP() << "mounting needs root";
  Workshop workshop(Place::kFolder);
  workshop.put("x.tar", sample_image(40U << 20U));
  std::filesystem::create_directory(workshop.state());
  const auto script = fmt::format(
      "set -e; mount -t tmpfs -o size=320m none '{0}'; cd '{0}'; "
      "if '{1}' fetch-and-create x.tar --quiet; then echo it went well; fi; "
      "'{1}' doctor; ls volumes/devices volumes/active 2>/dev/null || true; '{1}' rm x; ls images",
      workshop.state().native(), Workshop::program());
  auto variables = workshop.variables();
  variables["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin";
  const auto ended = start_program("/usr/bin/unshare", {"-m", "/bin/sh", "-c", script}, variables)->finish();
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, HasSubstr("is filled with 41 MiB"));
  EXPECT_THAT(ended.err, HasSubstr("slipway rm"));
}

// What an interrupted command has begun is finished by the next one, though that wants something else.
TEST(InterruptedFetch, AnotherRequestForTheImageFinishesTheFirstOne) {
  Workshop workshop(Place::kFolder);
  workshop.put("x.tar", sample_image(1U << 16U));
  auto variables = workshop.variables();
  variables["SLIPWAY_FAULT"] = "volumes.file.sync=kill@1";
  const std::vector<std::string> fetch{"fetch-and-create", "x.tar", "--quiet"};
  ASSERT_EQ(start_program(Workshop::faulty_program(), fetch, variables)->finish().code, 128 + SIGKILL);
  const auto other = workshop.run({"fetch-and-create", "x.tar", "--snapshot", "mine", "--json"});
  ASSERT_EQ(other.code, 0) << other.err;
  EXPECT_EQ(other.json().at("snapshot"), "mine");
  const auto first = workshop.run({"fetch-and-create", "x.tar", "--json"});
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.json().at("activated"), false);
}

TEST(SnapshotNames, ThoseOfVolumesAndPoolsAreRefused) {
  Workshop workshop(Place::kFolder);
  workshop.put("x.tar", sample_image(1U << 15U));
  ASSERT_EQ(workshop.run({"fetch-and-create", "x.tar", "--quiet"}).code, 0);
  const auto image = workshop.image("x.tar").image_id;
  for (const char* name : {"thin-123cb64a", "slipway-pool"}) {
    const auto refused = workshop.run({"activate", image, "--name", name});
    EXPECT_EQ(refused.code, 2) << name;
    EXPECT_THAT(refused.err, HasSubstr("kept for volumes and pools"));
  }
  EXPECT_EQ(workshop.run({"activate", image, "--name", "thin-client"}).code, 0);
}

// What is active is gone after one: here, the second names of the files.
TEST(FetchAfterReboot, WhateverWasDoneByThenItsDeviceIsThere) {
  Workshop workshop(Place::kFolder);
  const auto bytes = sample_image(1U << 16U);
  workshop.put("x.tar", bytes);
  const std::vector<std::string> fetch{"fetch-and-create", "x.tar", "--quiet"};
  int reboots = 0;
  for (int hit = 1;; ++hit) {
    workshop.forget();
    auto variables = workshop.variables();
    variables["SLIPWAY_FAULT"] = "fsm.commit.after=kill@" + std::to_string(hit);
    if (start_program(Workshop::faulty_program(), fetch, variables)->finish().code == 0) break;
    if (std::filesystem::remove_all(workshop.state() / "volumes/active") < 2) continue;
    ++reboots;
    const auto ended = workshop.run(fetch);
    ASSERT_EQ(ended.code, 0) << ended.err;
    ASSERT_EQ(workshop.faults_of("x.tar", bytes), "") << "killed after commit " << hit;
  }
  EXPECT_GE(reboots, 3);
}

}  // namespace
}  // namespace slipway
