#include "pipeline/bucket_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "fsm/testing/manager_harness.h"
#include "objects/testing/memory_source.h"
#include "pipeline/pipeline.h"
#include "sys/testing/temp_dir.h"

namespace slipway::pipeline {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

// process-image with an end that the test chooses.
class BucketWatchTest : public testing::Test {
 protected:
  BucketWatchTest() {
    harness_.clock.set(sys::system_clock().now() + 24h);  // objects are put before it
    settings_.prefix = "images/";
    settings_.request_for = [this](const std::string& key) {
      return complete({.bucket = "bucket", .key = key, .rules = rules_, .pool = "p", .device_size = 1});
    };
    open();
  }

  void open() {
    harness_.open([this](fsm::Manager& manager) {
      using Run = fsm::Context<ProcessImageRequest, ProcessImageResponse>;
      using Outcome = fsm::Outcome<ProcessImageResponse>;
      machine_ = *fsm::machine<ProcessImageRequest, ProcessImageResponse>("process-image")
                      .resource("image")
                      .start("work",
                             [this](const Run& run) -> Outcome {
                               processed_.push_back(run.request().key);
                               if (error_) return fsm::abort(*error_);
                               download(run.request());
                               return fsm::next(ProcessImageResponse{});
                             })
                      .end("complete")
                      .add_to(manager);
    });
  }
  void download(const ProcessImageRequest& request) {
    const auto etag = source_.head(request.key, {})->etag;
    EXPECT_TRUE(
        catalog_->store_image({.source = {.image_id = request.image_id, .bucket = request.bucket, .key = request.key},
                               .etag = etag,
                               .local_path = "/x",
                               .checksum = sha256_hex("x")}));
  }
  // What one look at the bucket has processed, waited for.
  std::vector<std::string> poll() {
    processed_.clear();
    BucketWatch watch(harness_.manager(), *catalog_, *machine_, settings_, {});
    const auto report = watch.poll(source_, {});
    EXPECT_TRUE(report) << report.error().message();
    const auto all = harness_.manager().runs({}).value();
    for (const auto& run : all) (void)harness_.manager().wait(run.spec.version);
    EXPECT_EQ(report ? report->started : 0, processed_.size());
    return processed_;
  }

  sys::TempDir folder_;
  std::shared_ptr<catalog::Catalog> catalog_ = *catalog::Catalog::open(folder_.file("catalog.db"), sys::system_clock());
  objects::MemorySource source_;
  fsm::ManagerHarness harness_;
  std::optional<ProcessImageMachine> machine_;
  WatchSettings settings_;
  ImageRules rules_;
  std::optional<Error> error_;
  std::vector<std::string> processed_;
};

TEST_F(BucketWatchTest, NewObjectsBelowThePrefixAreProcessedOnce) {
  source_.put("images/a.tar", "a");
  source_.put("other/b.tar", "b");
  EXPECT_THAT(poll(), ElementsAre("images/a.tar"));
  EXPECT_THAT(poll(), IsEmpty());
  source_.put("images/c.tar", "c");
  EXPECT_THAT(poll(), ElementsAre("images/c.tar"));
}

TEST_F(BucketWatchTest, AReplacedObjectIsProcessedAgain) {
  source_.put("images/a.tar", "a");
  poll();
  source_.put("images/a.tar", "another");
  EXPECT_THAT(poll(), ElementsAre("images/a.tar"));
  EXPECT_THAT(poll(), IsEmpty());
}

TEST_F(BucketWatchTest, WhatFailsIsTriedAgainAfterPausesThatGrow) {
  source_.put("images/a.tar", "a");
  error_ = Error(ErrorKind::kUnavailable, "no network");
  EXPECT_EQ(poll().size(), 1);
  EXPECT_THAT(poll(), IsEmpty());
  harness_.clock.advance(1min);
  EXPECT_EQ(poll().size(), 1);
  harness_.clock.advance(1min);
  EXPECT_THAT(poll(), IsEmpty());
  harness_.clock.advance(1min);
  EXPECT_EQ(poll().size(), 1);
  for (int i = 0; i < 20; ++i) {  // never more than an hour
    harness_.clock.advance(1h);
    EXPECT_EQ(poll().size(), 1);
  }
  harness_.clock.advance(1h);
  error_.reset();
  EXPECT_EQ(poll().size(), 1);
  EXPECT_THAT(poll(), IsEmpty());
}

TEST_F(BucketWatchTest, APauseOutlivesARestart) {
  source_.put("images/a.tar", "a");
  error_ = Error(ErrorKind::kUnavailable, "no network");
  poll();
  harness_.close();
  open();
  EXPECT_THAT(poll(), IsEmpty());
  harness_.clock.advance(1min);
  EXPECT_EQ(poll().size(), 1);
}

TEST_F(BucketWatchTest, WhatWasRefusedForWhatItIsWaitsForOtherBytesOrOtherRules) {
  source_.put("images/a.tar", "a");
  error_ = Error(ErrorKind::kRejected, "a setuid file");
  poll();
  harness_.clock.advance(10h);
  EXPECT_THAT(poll(), IsEmpty());
  rules_.max_image_size = 5;
  EXPECT_EQ(poll().size(), 1);
}

TEST_F(BucketWatchTest, AnImageThatIsUnderWayIsLeftAlone) {
  source_.put("images/a.tar", "a");
  const auto request = *settings_.request_for("images/a.tar");
  const auto waiting = machine_->start(request.image_id, request, {.not_before = harness_.clock.now() + 1h});
  ASSERT_TRUE(waiting);
  BucketWatch watch(harness_.manager(), *catalog_, *machine_, settings_, {});
  EXPECT_EQ(watch.poll(source_, {})->started, 0);
  ASSERT_TRUE(harness_.manager().cancel(waiting->version, "by hand"));
  EXPECT_EQ(watch.poll(source_, {})->started, 0);
  EXPECT_THAT(processed_, IsEmpty());
}

TEST_F(BucketWatchTest, AnImageWithANameOfItsOwnKeepsIt) {
  source_.put("images/a.tar", "a");
  auto request = *settings_.request_for("images/a.tar");
  request.image_id = "my-name";
  ASSERT_TRUE(machine_->wait(*machine_->start("my-name", request)));
  source_.put("images/a.tar", "new");
  poll();
  EXPECT_EQ(catalog_->list_images()->size(), 1);
}

TEST_F(BucketWatchTest, ATimeThatIsStillToComeIsNoNews) {
  source_.put("images/bad.tar", "x");
  auto object = *source_.head("images/bad.tar", {});
  error_ = Error(ErrorKind::kRejected, "no");
  ASSERT_EQ(poll().size(), 1U);
  const auto runs = harness_.manager().runs({}).value();
  auto last = harness_.manager().run(runs.front().spec.version).value();
  const auto now = harness_.clock.now();
  object.modified = now + 1h;
  const std::string request = last.request;
  const Known known{.image = {}, .runs = {std::move(last)}};
  EXPECT_FALSE(why_process(object, known, request, settings_, now));
  EXPECT_TRUE(why_process(object, known, request, settings_, now + 2h));
}

}  // namespace
}  // namespace slipway::pipeline
