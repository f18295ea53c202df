// Downloads from an S3 server through a proxy that breaks things: whatever happens on the way, the file is right or
// there is none.
#include <chrono>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "objects/download.h"
#include "objects/testing/download_fixture.h"
#include "objects/testing/fake_s3.h"
#include "objects/testing/object_source_contract.h"

namespace slipway::objects {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class S3DownloadFaultTest : public ::testing::Test {
 protected:
  S3DownloadFaultTest() {
    request_ = {.key = "images/a b.tar", .file = dir_.file("file"), .tuning = tiny_tuning()};
    start();
  }

  void start(FakeS3Quirks quirks = {}) {
    source_.reset();
    server_.emplace(quirks);
    server_->put(request_.key, bytes_);
    options_ = server_->options();
    source_ = *S3Source::make(options_);
  }

  net::ScriptedProxy& proxy() { return server_->proxy(); }
  Result<Downloaded> get() { return download(*source_, request_, {}); }

  void expect_right(const std::string& bytes) {
    const auto done = get();
    ASSERT_TRUE(done) << done.error().describe();
    EXPECT_EQ(done->sha256, sha256_hex(bytes));
    EXPECT_TRUE(bytes_of(request_.file) == bytes);
    EXPECT_THAT(names_in(dir_.path()), ElementsAre("file"));
  }
  void expect_nothing(ErrorKind kind) {
    const auto done = get();
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().kind(), kind) << done.error().describe();
    EXPECT_THAT(names_in(dir_.path()), IsEmpty());
  }

  sys::TempDir dir_;
  std::string bytes_ = random_bytes(1'500'000);
  DownloadRequest request_;
  std::optional<FakeS3> server_;
  S3Options options_;
  std::unique_ptr<S3Source> source_;
};

TEST_F(S3DownloadFaultTest, NothingBroken) {
  expect_right(bytes_);
  EXPECT_GT(proxy().count("GET"), 4U);
  for (const auto& request : proxy().requests()) {
    EXPECT_TRUE(request.method != "GET" || request.headers.get("If-Match"));
  }
}

TEST_F(S3DownloadFaultTest, CutConnections) {
  for (const bool reset : {false, true}) {
    for (const std::uint64_t at : {0U, 1U, 50'000U, 99'999U}) {
      start();
      proxy().add({.method = "GET", .times = 3, .fault = net::CutAt{.at = at, .reset = reset}});
      expect_right(bytes_);
    }
  }
}

TEST_F(S3DownloadFaultTest, BusyAFewTimes) {
  for (const int status : {500, 502, 503, 504, 429}) {
    start();
    proxy().add({.times = 3, .fault = net::Answer{.status = status, .headers = {{"Retry-After", "0"}}}});
    proxy().add({.method = "GET", .skip = 3, .times = 2, .fault = net::Answer{.status = status}});
    expect_right(bytes_);
  }
}

TEST_F(S3DownloadFaultTest, BusyForEverKeepsWhatIsThere) {
  proxy().add({.method = "GET", .skip = 5, .times = -1, .fault = net::Answer{.status = 503}});
  const auto done = get();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind(), ErrorKind::kUnavailable);
  EXPECT_THAT(names_in(dir_.path()), ElementsAre("file.part", "file.part.state"));
  proxy().clear();
  const auto again = get();
  ASSERT_TRUE(again) << again.error().describe();
  EXPECT_GE(again->resumed, 100'000U);
  EXPECT_TRUE(bytes_of(request_.file) == bytes_);
}

TEST_F(S3DownloadFaultTest, AStallIsNoticedByTheLackOfProgress) {
  options_.stall_timeout = std::chrono::milliseconds(1000);
  request_.tuning.tries = 100;  // a busy machine may look like a stall, too
  source_ = *S3Source::make(options_);
  proxy().add({.method = "GET", .times = 2, .fault = net::StallAt{.at = 1000}});
  proxy().add({.method = "GET", .skip = 4, .times = 1, .fault = net::StallAt{.before_head = true}});
  expect_right(bytes_);
  proxy().release();
}

TEST_F(S3DownloadFaultTest, TruncatedWithARightAndAWrongLength) {
  proxy().add({.method = "GET", .times = 2, .fault = net::TruncateTo{.size = 70'000}});
  proxy().add({.method = "GET", .skip = 2, .times = 2, .fault = net::TruncateTo{.size = 70'000, .stated = 100'000}});
  expect_right(bytes_);
}

TEST_F(S3DownloadFaultTest, ReplacedBetweenTwoRanges) {
  for (const bool if_match : {true, false}) {
    start({.if_match = if_match});
    const std::string other = random_bytes(1'400'000, 77);
    proxy().add(
        {.method = "GET", .skip = 6, .fault = net::Before{[&](const auto&) { server_->put(request_.key, other); }}});
    expect_right(other);
    EXPECT_GE(proxy().count("HEAD"), 2U);
  }
}

TEST_F(S3DownloadFaultTest, ReplacedBetweenHeadAndGetWithoutETagsItIsTheNewOne) {
  start({.etags = false});
  const std::string other = random_bytes(1'500'000, 78);
  proxy().add({.method = "GET", .fault = net::Before{[&](const auto&) { server_->put(request_.key, other); }}});
  expect_right(other);
}

TEST_F(S3DownloadFaultTest, AFlippedByteIsFoundWhereAChecksumIsStated) {
  for (const auto algorithm : {HashAlgorithm::kCrc32c, HashAlgorithm::kCrc64Nvme, HashAlgorithm::kSha256}) {
    start({.checksum = algorithm});
    proxy().add({.method = "GET", .skip = 2, .fault = net::FlipAt{12'345}});
    expect_nothing(ErrorKind::kCorrupt);
  }
}

TEST_F(S3DownloadFaultTest, AFlippedByteIsFoundByAnETagThatIsAnMd5) {
  proxy().add({.method = "GET", .skip = 2, .fault = net::FlipAt{12'345}});
  expect_nothing(ErrorKind::kCorrupt);
}

TEST_F(S3DownloadFaultTest, WithNothingStatedTheDigestTellsWhatCame) {
  server_->put(request_.key, bytes_);  // the second version has an ETag that is no MD5
  proxy().add({.method = "GET", .skip = 2, .fault = net::FlipAt{12'345}});
  const auto done = get();
  ASSERT_TRUE(done) << done.error().describe();
  EXPECT_NE(done->sha256, sha256_hex(bytes_));
  EXPECT_EQ(done->sha256, sha256_hex(bytes_of(request_.file)));
}

TEST_F(S3DownloadFaultTest, AnotherRegionInTheMiddle) {
  start({.region = "eu-central-1"});
  request_.known = *source_->head(request_.key, {});
  source_ = *S3Source::make(options_);  // knows nothing of the region yet
  request_.tuning.one_stream = 10'000'000;
  expect_right(bytes_);
}

TEST_F(S3DownloadFaultTest, AServerWithoutRanges) {
  start({.ranges = false});
  proxy().add({.method = "GET", .skip = 4, .fault = net::CutAt{.at = 700'000}});
  expect_right(bytes_);
}

TEST_F(S3DownloadFaultTest, ASmallObjectFromAListIsOneRequest) {
  server_->put("small", "hello");
  const auto page = source_->list({.prefix = "small"}, {});
  request_.key = "small";
  request_.known = page->objects.at(0);
  const auto before = proxy().requests().size();
  ASSERT_TRUE(get());
  EXPECT_EQ(proxy().requests().size(), before + 1);
}

TEST_F(S3DownloadFaultTest, AChecksumThatComesWithASmallObjectIsVerified) {
  for (const bool damaged : {false, true}) {
    start({.checksum = HashAlgorithm::kCrc32c, .damaged_checksum = damaged});
    server_->put("small", "hello");
    request_.key = "small";
    request_.known = source_->list({.prefix = "small"}, {})->objects.at(0);
    const auto done = get();
    EXPECT_EQ(done.has_value(), !damaged);
    if (damaged) {
      EXPECT_EQ(done.error().kind(), ErrorKind::kCorrupt);
    }
  }
}

TEST_F(S3DownloadFaultTest, GoneAndForbidden) {
  proxy().add({.method = "GET",
               .skip = 3,
               .times = -1,
               .fault = net::Answer{.status = 403, .body = "<Error><Code>AccessDenied</Code></Error>"}});
  expect_nothing(ErrorKind::kPermission);
  request_.key = "none";
  expect_nothing(ErrorKind::kNotFound);
}

TEST_F(S3DownloadFaultTest, ConnectionsAreUsedAgain) {
  for (int i = 0; i < 30; ++i) server_->put(fmt::format("s{:02}", i), "small");
  for (int i = 0; i < 30; ++i) {
    request_.key = fmt::format("s{:02}", i);
    ASSERT_TRUE(get());
  }
  EXPECT_LE(proxy().connections(), 2U);
}

}  // namespace
}  // namespace slipway::objects
