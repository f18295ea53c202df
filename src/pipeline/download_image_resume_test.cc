// What becomes of a download whose process dies in each of its transitions, and of its parent.
#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "objects/part_state.h"
#include "pipeline/testing/download_fixture.h"

namespace slipway::pipeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class DownloadResumeTest : public DownloadImageFixture {
 protected:
  DownloadResumeTest() { source_->put("the/key.tar", bytes_); }

  // The process dies when a run is about to do that transition of download-image.
  void die_before(const std::string& transition, const std::function<void()>& begin) {
    fsm::Gate gate;
    before_ = [&](const fsm::RunContext& run) {
      const bool here = run.machine() == "download-image" && run.transition() == transition;
      return !here || gate.pass(run.stop());
    };
    open();
    begin();
    gate.await_arrivals(1);
    crash();
    before_ = {};
    reads_before_ = source_->requests().size();
    open();
  }

  // The process dies when the first bytes of the object are proven, and the second half has not come.
  fsm::RunVersion die_in_the_middle_of_the_bytes() {
    std::atomic<int> stalled = 0;
    source_->on_read([&](const objects::RangeRequest& request, int) -> std::optional<objects::ReadFault> {
      if (request.offset < 400'000) return std::nullopt;
      ++stalled;
      return objects::ReadFault{.wait_for_stop = true};
    });
    open();
    const auto run = start();
    const auto proven = [&] { return objects::read_part_state(file()).find(R"("have":[[0,)") != std::string::npos; };
    while (stalled == 0 || !proven()) std::this_thread::yield();
    crash();
    source_->on_read({});
    reads_before_ = source_->requests().size();
    return run;
  }

  // The reads since the process died.
  std::vector<objects::RangeRequest> reads_since() const {
    const auto all = source_->requests();
    return {all.begin() + static_cast<std::ptrdiff_t>(reads_before_), all.end()};
  }

  void expect_right_end(const Result<DownloadImageResponse>& got) {
    ASSERT_TRUE(got) << got.error().message();
    EXPECT_TRUE(got->downloaded);
    EXPECT_EQ(got->checksum, sha256_hex(bytes_));
    EXPECT_THAT(files(), ElementsAre("the-image.tar"));
    EXPECT_EQ(row().checksum, sha256_hex(bytes_));
    EXPECT_EQ(row().download_status, catalog::DownloadStatus::kCompleted);
  }

  const std::string bytes_ = image(800'000);
  std::size_t reads_before_ = 0;
};

TEST_F(DownloadResumeTest, InCheckExistsItChecksAgain) {
  fsm::RunVersion run;
  die_before("check-exists", [&] { run = start(); });
  expect_right_end(wait(run));
}

TEST_F(DownloadResumeTest, InDownloadItGoesOnFromWhatIsProven) {
  const auto run = die_in_the_middle_of_the_bytes();
  open();
  expect_right_end(wait(run));
  for (const auto& read : reads_since()) EXPECT_GT(read.offset, 0U) << "proven bytes were read again";
}

TEST_F(DownloadResumeTest, InDownloadOfAReplacedObjectItBeginsAfresh) {
  const auto run = die_in_the_middle_of_the_bytes();
  const std::string other = image(800'000, 'o');
  source_->put("the/key.tar", other);
  open();
  EXPECT_EQ(wait(run)->checksum, sha256_hex(other));
  EXPECT_THAT(files(), ElementsAre("the-image.tar"));
}

// The file was put in its place, and the process died before the run knew; then the object is gone. What stands there
// was never validated.
TEST_F(DownloadResumeTest, AFileThatNobodyValidatedDoesNotStayWhereAGoodOneWas) {
  open();
  ASSERT_TRUE(fetch());
  crash();
  source_->put("the/key.tar", archive::small_rootfs().symlink("usr/out", "../../../etc/shadow").finish());
  fsm::RunVersion run;
  die_before("validate", [&] { run = start(); });
  EXPECT_THAT(ending(run), HasSubstr("usr/out"));
  EXPECT_THAT(files(), IsEmpty());
  EXPECT_EQ(row().download_status, catalog::DownloadStatus::kFailed);
}

TEST_F(DownloadResumeTest, InValidateTheFileIsValidatedAsItIs) {
  fsm::RunVersion run;
  die_before("validate", [&] { run = start(); });
  expect_right_end(wait(run));
  EXPECT_THAT(reads_since(), IsEmpty());
}

TEST_F(DownloadResumeTest, InStoreMetadataItIsStoredAgain) {
  fsm::RunVersion run;
  die_before("store-metadata", [&] { run = start(); });
  expect_right_end(wait(run));
  EXPECT_THAT(reads_since(), IsEmpty());
}

TEST_F(DownloadResumeTest, ARowThatIsThereAlreadyIsASuccess) {
  catalog::DownloadedImage same;
  same.source = {"the-image", "bucket", "the/key.tar"};
  same.local_path = file();
  same.checksum = sha256_hex(bytes_);
  same.size_bytes = bytes_.size();
  bool stored = false;
  before_ = [&](const fsm::RunContext& run) {
    if (run.transition() == "store-metadata") stored = catalog_->store_image(same).has_value();
    return true;
  };
  open();
  expect_right_end(fetch());
  EXPECT_TRUE(stored);
}

// --- process-image over it ---

class ProcessResumeTest : public DownloadResumeTest {
 protected:
  fsm::RunVersion start_process(const ScanRules& scan = {}) {
    return *process_->start("the-image", {.bucket = "bucket",
                                          .key = request_.key,
                                          .image_id = "the-image",
                                          .pool = pool_->name(),
                                          .device_size = 64U << 20,
                                          .snapshot_name = "snap",
                                          .scan = scan});
  }
  bool awaits(fsm::RunVersion run, fsm::RunVersion other) {
    const auto record = harness_.manager().run(run).value();
    const auto* awaiting = std::get_if<fsm::Awaiting>(&record.progress.state);
    return awaiting != nullptr && *awaiting == fsm::Awaiting{other};
  }
};

TEST_F(ProcessResumeTest, TheParentHandsOnWhatItsChildrenMade) {
  open();
  const auto run = start_process();
  const auto whole = process_->wait(run);
  ASSERT_TRUE(whole) << whole.error().message();
  EXPECT_EQ(whole->checksum, sha256_hex(bytes_));
  EXPECT_TRUE(whole->downloaded);
  EXPECT_TRUE(whole->unpacked);
  EXPECT_TRUE(whole->activated);
  EXPECT_EQ(whole->snapshot_name, "snap");
  std::map<std::string, std::string> queues;
  const auto children = harness_.manager().children(run).value();
  for (const auto& child : children) queues[child.spec.machine] = child.spec.queue;
  EXPECT_THAT(queues, testing::ElementsAre(
                          testing::Pair("activate-image", ""), testing::Pair("download-image", kDownloadsQueue),
                          testing::Pair("scan-image", kScanningQueue), testing::Pair("unpack-image", kUnpackingQueue)));
  EXPECT_EQ(catalog_->image_status("the-image").value()->status, catalog::Status::kReady);
  EXPECT_THAT(*catalog_->check_consistency(), IsEmpty());
}

TEST_F(ProcessResumeTest, WhatIsThereIsHandedOutByAll) {
  open();
  const auto first = process_->wait(start_process());
  ASSERT_TRUE(first);
  const int before = memory_->changes();
  const int reads = source_->reads();
  const auto second = process_->wait(start_process());
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->downloaded);
  EXPECT_FALSE(second->unpacked);
  EXPECT_FALSE(second->activated);
  EXPECT_EQ(second->device_path, first->device_path);
  EXPECT_EQ(memory_->changes(), before);
  EXPECT_EQ(source_->reads(), reads);
}

TEST_F(ProcessResumeTest, ABadEndOfTheChildIsTheParents) {
  source_->put("the/key.tar", "no archive");
  open();
  EXPECT_THAT(harness_.ending(start_process()), testing::StartsWith("aborted: transition scan: transition validate"));
}

TEST_F(ProcessResumeTest, ACrashInTheChildDelaysTheParentOnly) {
  fsm::RunVersion run;
  die_before("validate", [&] { run = start_process(); });
  const auto whole = process_->wait(run);
  ASSERT_TRUE(whole) << whole.error().message();
  EXPECT_EQ(whole->checksum, sha256_hex(bytes_));
  EXPECT_EQ(harness_.manager().children(run)->size(), 4U);
}

TEST_F(ProcessResumeTest, ACrashBetweenTheChildsStartAndItsNoteMakesNoSecondChild) {
  fsm::Gate gate;
  bool cut = false;
  harness_.options().interceptors.push_back(
      [&](const fsm::RunContext& run, const std::function<fsm::EncodedOutcome()>& go_on) -> fsm::EncodedOutcome {
        auto outcome = go_on();
        if (run.machine() != "process-image" || run.transition() != "download" || cut) return outcome;
        (void)gate.pass(run.stop());
        return fsm::error(Error(ErrorKind::kCancelled, "cut off"));
      });
  open();
  const auto run = start_process();
  gate.await_arrivals(1);
  crash();
  cut = true;
  open();
  ASSERT_TRUE(process_->wait(run));
  EXPECT_EQ(harness_.manager().children(run)->size(), 4U);
}

TEST_F(ProcessResumeTest, AScanByOtherRulesThanItsOwnLetsNothingPass) {
  fsm::Gate gate;
  std::atomic<bool> held = false;
  before_ = [&](const fsm::RunContext& run) {
    if (run.transition() == "check-scanned" && !held.exchange(true)) (void)gate.pass(run.stop());
    return true;
  };
  open();
  const auto lax = scan_->start("the-image", {.image_id = "the-image", .scan = {.engine = "off"}})->version;
  gate.await_arrivals(1);
  const auto run = start_process({.engine = "builtin", .refuse_stale = true});
  while (!awaits(run, lax)) std::this_thread::yield();
  gate.open();
  EXPECT_THAT(harness_.ending(run), HasSubstr("no feeds' database"));
  EXPECT_EQ(catalog_->image_status("the-image").value()->status, catalog::Status::kDownloaded);
}

TEST_F(ProcessResumeTest, ACancelOfTheParentEndsTheChild) {
  std::atomic<int> stalled = 0;
  source_->on_read([&](const objects::RangeRequest&, int) {
    ++stalled;
    return objects::ReadFault{.wait_for_stop = true};
  });
  open();
  const auto run = start_process();
  while (stalled == 0) std::this_thread::yield();
  ASSERT_TRUE(harness_.manager().cancel(run, "not wanted"));
  EXPECT_THAT(harness_.ending(run), HasSubstr("not wanted"));
  const auto child = harness_.manager().children(run)->at(0).spec.version;
  EXPECT_THAT(harness_.ending(child), HasSubstr("its parent was cancelled"));
  EXPECT_THAT(files(), IsEmpty());
}

}  // namespace
}  // namespace slipway::pipeline
