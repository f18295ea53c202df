// Each row of the table of download-image, apart from what resumes (download_image_resume_test.cc) and
// what is validated (download_image_validate_test.cc).
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "pipeline/testing/download_fixture.h"
#include "sys/fault.h"

namespace slipway::pipeline {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class DownloadImageTest : public DownloadImageFixture {};

// --- the whole way ---

TEST_F(DownloadImageTest, AnObjectBecomesAVerifiedFileAndARow) {
  const std::string bytes = image(500'000);
  source_->put("the/key.tar", bytes);
  open();
  const auto got = fetch();
  ASSERT_TRUE(got) << got.error().message();
  EXPECT_TRUE(got->downloaded);
  EXPECT_EQ(got->checksum, sha256_hex(bytes));
  EXPECT_EQ(got->size, bytes.size());
  EXPECT_EQ(got->local_path, file().string());
  EXPECT_TRUE(got->findings.empty() && got->etag.empty()) << "what only the run needs is not in its result";
  EXPECT_THAT(files(), ElementsAre("the-image.tar"));
  EXPECT_EQ(row().download_status, catalog::DownloadStatus::kCompleted);
  EXPECT_EQ(row().checksum, sha256_hex(bytes));
  EXPECT_EQ(row().etag, source_->head("the/key.tar", {})->etag);
  EXPECT_EQ(row().archive->kind, "rootfs");
  EXPECT_TRUE(row().verified_file);
}

// --- check-exists ---

TEST_F(DownloadImageTest, WhatIsThereAndUnchangedIsNotReadAgain) {
  source_->put("the/key.tar", image(1000));
  open();
  ASSERT_TRUE(fetch());
  const auto verified = row().verified_at;
  const int reads = source_->reads();
  const auto run = start();
  const auto again = wait(run);
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->downloaded);
  EXPECT_EQ(again->checksum, row().checksum);
  EXPECT_EQ(ending(run), "handed-off");
  EXPECT_EQ(source_->reads(), reads);
  EXPECT_EQ(row().verified_at, verified) << "the file was hashed again";
}

TEST_F(DownloadImageTest, AFileThatWasTouchedIsHashedOnceAndThenTrusted) {
  source_->put("the/key.tar", image(1000));
  open();
  ASSERT_TRUE(fetch());
  const auto verified = row().verified_at;
  std::filesystem::last_write_time(file(), std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_FALSE(fetch()->downloaded);
  const auto hashed = row().verified_at;
  EXPECT_GT(hashed, verified);
  EXPECT_FALSE(fetch()->downloaded);
  EXPECT_EQ(row().verified_at, hashed);
}

TEST_F(DownloadImageTest, VerifyHashesEvenWhatLooksUnchanged) {
  source_->put("the/key.tar", image(1000));
  open();
  ASSERT_TRUE(fetch());
  const auto verified = row().verified_at;
  EXPECT_FALSE(fetch(/*verify=*/true)->downloaded);
  EXPECT_GT(row().verified_at, verified);
}

TEST_F(DownloadImageTest, AFileThatIsGoneOrChangedIsDownloadedAgain) {
  const std::string bytes = image(1000);
  source_->put("the/key.tar", bytes);
  open();
  ASSERT_TRUE(fetch());
  const auto spoil = [&](const std::string& content) { std::ofstream(file(), std::ios::binary) << content; };
  std::string flipped = bytes;
  flipped[700] ^= 1;
  const std::vector<std::function<void()>> harms = {[&] { std::filesystem::remove(file()); }, [&] { spoil("short"); },
                                                    [&] { spoil(flipped); },
                                                    [&] {
                                                      std::filesystem::remove(file());
                                                      std::filesystem::create_symlink("/dev/zero", file());
                                                    }};
  for (const auto& harm : harms) {
    harm();
    const auto got = fetch();
    ASSERT_TRUE(got) << got.error().message();
    EXPECT_TRUE(got->downloaded);
    EXPECT_FALSE(std::filesystem::is_symlink(file()));
    EXPECT_FALSE(fetch()->downloaded);
  }
}

TEST_F(DownloadImageTest, AReplacedObjectIsDownloadedAgain) {
  source_->put("the/key.tar", image(1000, 'a'));
  open();
  ASSERT_TRUE(fetch());
  const std::string bytes = image(1000, 'b');
  source_->put("the/key.tar", bytes);
  const auto got = fetch();
  ASSERT_TRUE(got);
  EXPECT_TRUE(got->downloaded);
  EXPECT_EQ(row().checksum, sha256_hex(bytes));
  EXPECT_THAT(log_lines(), Contains(HasSubstr("is downloaded again: the object's ETag is")));
}

TEST_F(DownloadImageTest, ASourceThatCannotBeAskedCountsAsUnchangedWithAWarning) {
  source_->put("the/key.tar", image(1000));
  open();
  ASSERT_TRUE(fetch());
  source_->fail_heads(Error(ErrorKind::kUnavailable, "no network"));
  const auto got = fetch();
  ASSERT_TRUE(got);
  EXPECT_FALSE(got->downloaded);
  EXPECT_THAT(log_lines(), Contains(testing::AllOf(HasSubstr("WARN"), HasSubstr("no network"))));
}

TEST_F(DownloadImageTest, AnObjectThatLeftTheBucketIsAnErrorAndTheOldFileStays) {
  source_->put("the/key.tar", image(1000));
  open();
  ASSERT_TRUE(fetch());
  source_->remove("the/key.tar");
  const auto got = fetch();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind(), ErrorKind::kNotFound);
  EXPECT_THAT(files(), ElementsAre("the-image.tar"));
  EXPECT_EQ(row().download_status, catalog::DownloadStatus::kCompleted);
}

TEST_F(DownloadImageTest, WhatAnEarlierTryPutInPlaceUnseenIsRemovedWhenTheRunEndsBadly) {
  source_->put("the/key.tar", image(1000));
  open();
  ASSERT_TRUE(fetch());
  std::ofstream(file(), std::ios::binary) << "put here by a try that was cut off after its rename";
  source_->remove("the/key.tar");
  EXPECT_EQ(fetch().error().kind(), ErrorKind::kNotFound);
  EXPECT_THAT(files(), IsEmpty());
  EXPECT_EQ(row().download_status, catalog::DownloadStatus::kFailed);
}

TEST_F(DownloadImageTest, ABucketThatIsNotThereCountsAsUnchanged) {
  source_->put("the/key.tar", image(1000));
  open();
  ASSERT_TRUE(fetch());
  crash();
  source_.reset();
  open();
  const auto got = fetch();
  ASSERT_TRUE(got) << got.error().message();
  EXPECT_FALSE(got->downloaded);
}

TEST_F(DownloadImageTest, OneObjectIsNotTwoImages) {
  source_->put("the/key.tar", image(1000));
  open();
  ASSERT_TRUE(fetch());
  request_.image_id = "another";
  const auto got = fetch();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind(), ErrorKind::kConflict);
  EXPECT_THAT(got.error().message(), HasSubstr("the-image"));
  EXPECT_EQ(row().download_status, catalog::DownloadStatus::kCompleted);
}

TEST_F(DownloadImageTest, AnIdThatCannotBeAFileNameIsRefused) {
  open();
  request_.image_id = "../evil";
  const auto run = start();
  EXPECT_THAT(ending(run), testing::StartsWith("aborted: "));
  EXPECT_THAT(files(), IsEmpty());
}

// --- download ---

struct Refusal {
  const char* name;
  ErrorKind kind;
};

class DownloadRefused : public DownloadImageFixture, public testing::WithParamInterface<Refusal> {};

TEST_P(DownloadRefused, AbortsAtOnceAndLeavesNothing) {
  source_->put("the/key.tar", image(500'000));
  source_->on_read([](const objects::RangeRequest&, int) {
    return objects::ReadFault{.after = 1000, .error = Error(GetParam().kind, "the server says so")};
  });
  open();
  const auto run = start();
  EXPECT_THAT(ending(run), testing::StartsWith("aborted: "));
  EXPECT_EQ(tries(run, "download"), 1);
  EXPECT_THAT(files(), IsEmpty());
  EXPECT_EQ(row().download_status, catalog::DownloadStatus::kFailed);
  EXPECT_THAT(row().error, HasSubstr("the server says so"));
}

INSTANTIATE_TEST_SUITE_P(Kinds, DownloadRefused,
                         testing::Values(Refusal{"AccessDenied", ErrorKind::kPermission},
                                         Refusal{"NoSuchKey", ErrorKind::kNotFound}),
                         [](const auto& named) { return named.param.name; });

TEST_F(DownloadImageTest, ABadKeyAborts) {
  open();
  request_.key = "a/../b";
  EXPECT_THAT(ending(start()), testing::StartsWith("aborted: "));
  EXPECT_FALSE(*catalog_->find_image("the-image"));
}

TEST_F(DownloadImageTest, AnObjectOverTheLimitAbortsBeforeItIsRead) {
  source_->put("the/key.tar", image(500'000));
  request_.rules.max_image_size = 1000;
  open();
  const auto got = fetch();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind(), ErrorKind::kRejected);
  EXPECT_EQ(source_->reads(), 0);
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(DownloadImageTest, AFullDiskAbortsAndThePartialFileIsGone) {
  source_->put("the/key.tar", image(500'000));
  open();
  const fault::Scope full("objects.part.write", {.times = -1, .error = {ErrorKind::kNoSpace, "disk full"}});
  const auto run = start();
  EXPECT_THAT(ending(run), HasSubstr("disk full"));
  EXPECT_EQ(tries(run, "download"), 1);
  EXPECT_THAT(files(), IsEmpty());
  EXPECT_EQ(row().download_status, catalog::DownloadStatus::kFailed);
}

TEST_F(DownloadImageTest, TroubleOnTheWayIsTriedAgainAndGoesOnWhereItWas) {
  const std::string bytes = image(800'000);
  source_->put("the/key.tar", bytes);
  source_->on_read([](const objects::RangeRequest&, int number) -> std::optional<objects::ReadFault> {
    if (number % 3 != 0 || number > 9) return std::nullopt;
    return objects::ReadFault{.after = 1000, .error = Error(ErrorKind::kUnavailable, "503 SlowDown")};
  });
  open();
  const auto got = fetch_patiently();
  ASSERT_TRUE(got) << got.error().message();
  EXPECT_EQ(got->checksum, sha256_hex(bytes));
}

TEST_F(DownloadImageTest, TroubleThatDoesNotEndFailsAfterFiveRetriesAndLeavesNothing) {
  source_->put("the/key.tar", image(500'000));
  source_->on_read([](const objects::RangeRequest&, int) {
    return objects::ReadFault{.error = Error(ErrorKind::kUnavailable, "503 SlowDown")};
  });
  open();
  const auto got = fetch_patiently();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind(), ErrorKind::kUnavailable);
  EXPECT_THAT(got.error().message(), HasSubstr("after 6 tries"));
  EXPECT_THAT(files(), IsEmpty());
  EXPECT_EQ(row().download_status, catalog::DownloadStatus::kFailed);
}

TEST_F(DownloadImageTest, ACancelLeavesNothing) {
  source_->put("the/key.tar", image(500'000));
  std::atomic<int> stalled = 0;
  source_->on_read([&](const objects::RangeRequest&, int number) -> std::optional<objects::ReadFault> {
    if (number < 3) return std::nullopt;
    ++stalled;
    return objects::ReadFault{.wait_for_stop = true};
  });
  open();
  const auto run = start();
  while (stalled == 0) std::this_thread::yield();
  EXPECT_THAT(files(), Not(IsEmpty()));
  ASSERT_TRUE(harness_.manager().cancel(run, "not wanted"));
  EXPECT_EQ(ending(run), "cancelled: cancelled: not wanted");
  EXPECT_THAT(files(), IsEmpty());
  EXPECT_EQ(row().download_status, catalog::DownloadStatus::kFailed);
}

}  // namespace
}  // namespace slipway::pipeline
