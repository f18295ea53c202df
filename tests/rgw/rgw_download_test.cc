// Whole downloads from the real server, and through a proxy that breaks things on the way.
#include <filesystem>
#include <string>
#include <vector>

#include "base/digest.h"
#include "net/testing/scripted_proxy.h"
#include "objects/testing/download_fixture.h"
#include "objects/testing/object_source_contract.h"
#include "rgw_fixture.h"

namespace slipway::rgw {
namespace {

using objects::bytes_of;
using objects::names_in;
using objects::random_bytes;

constexpr std::size_t kMiB = std::size_t{1} << 20U;

class RgwDownloadTest : public RgwTest {
 protected:
  void SetUp() override {
    RgwTest::SetUp();
    proxy_ = std::make_unique<net::ScriptedProxy>(net::Upstream{.port = server().port});
    through_proxy_ = open_bucket(bucket_, owner(), proxy_->url());
    request_.key = "an object";
    request_.file = folder_.file("file");
    // An object of some MiB is a big one: many parts, several at once.
    request_.tuning.one_stream = kMiB;
    request_.tuning.min_part = kMiB;
    request_.tuning.max_part = kMiB;
    request_.tuning.retry_delay = std::chrono::milliseconds(1);
  }

  [[nodiscard]] Result<objects::Downloaded> download() { return objects::download(*through_proxy_, request_, {}); }

  void expect_file(const Result<objects::Downloaded>& done, const std::string& body) {
    ASSERT_TRUE(done) << done.error().describe();
    EXPECT_EQ(done->object.size, body.size());
    EXPECT_EQ(done->sha256, sha256_hex(body));
    EXPECT_TRUE(bytes_of(request_.file) == body);
    EXPECT_THAT(names_in(folder_.path()), ::testing::ElementsAre("file"));
  }

  [[nodiscard]] std::size_t gets() { return proxy_->count("GET", "an%20object"); }

  sys::TempDir folder_;
  std::unique_ptr<net::ScriptedProxy> proxy_;
  std::unique_ptr<objects::ObjectSource> through_proxy_;
  objects::DownloadRequest request_;
};

TEST_F(RgwDownloadTest, ABigObjectComesByManyRanges) {
  const std::string body = random_bytes(64 * kMiB + 12345);
  put(request_.key, body);
  request_.tuning = {};
  expect_file(download(), body);
  EXPECT_GT(gets(), 1U);
}

TEST_F(RgwDownloadTest, ASmallObjectComesByOneRequest) {
  const std::string body = random_bytes(kMiB / 2);
  put(request_.key, body);
  expect_file(download(), body);
  EXPECT_EQ(gets(), 1U);
}

TEST_F(RgwDownloadTest, AnEmptyObjectIsAnEmptyFile) {
  put(request_.key, "");
  expect_file(download(), "");
}

// Its ETag is the MD5 of MD5s, then "-3": to take it for the MD5 of the object would refuse every such object.
TEST_F(RgwDownloadTest, TheETagOfAnObjectOfPartsIsNotTakenForItsMd5) {
  const std::vector<std::string> parts = {random_bytes(5 * kMiB, 1), random_bytes(5 * kMiB, 2), random_bytes(1000, 3)};
  uploader_->put_parts(bucket_, request_.key, parts);
  const auto done = download();
  expect_file(done, parts[0] + parts[1] + parts[2]);
  EXPECT_THAT(done->object.etag, ::testing::EndsWith("-3"));
}

TEST_F(RgwDownloadTest, AnObjectReplacedBetweenTwoRangesIsStartedAgain) {
  const std::string old_body = random_bytes(6 * kMiB, 1);
  const std::string new_body = random_bytes(7 * kMiB + 1, 2);
  put(request_.key, old_body);
  proxy_->add({.method = "GET", .path = "an%20object", .skip = 2, .fault = net::Before{[&](const net::ServerRequest&) {
                                                                    put(request_.key, new_body);
                                                                  }}});
  expect_file(download(), new_body);
  EXPECT_EQ(proxy_->acted(0), 1);
}

TEST_F(RgwDownloadTest, AServerThatAsksForPatienceGetsIt) {
  const std::string body = random_bytes(4 * kMiB);
  put(request_.key, body);
  proxy_->add({.method = "GET",
               .times = 3,
               .fault = net::Answer{.status = 503,
                                    .headers = {{"Content-Type", "application/xml"}},
                                    .body = "<?xml version=\"1.0\"?><Error><Code>SlowDown</Code></Error>"}});
  expect_file(download(), body);
  EXPECT_EQ(proxy_->acted(0), 3);
}

TEST_F(RgwDownloadTest, ACutConnectionIsMadeGood) {
  const std::string body = random_bytes(5 * kMiB);
  put(request_.key, body);
  proxy_->add({.method = "GET", .skip = 1, .times = 2, .fault = net::CutAt{.at = 100'000}});
  proxy_->add({.method = "GET", .skip = 4, .times = 1, .fault = net::CutAt{.at = 0, .reset = true}});
  expect_file(download(), body);
  EXPECT_EQ(proxy_->acted(0), 2);
  EXPECT_EQ(proxy_->acted(1), 1);
}

TEST_F(RgwDownloadTest, AFlippedBitIsNoticedByTheETag) {
  for (const std::size_t size : {kMiB / 2, 4 * kMiB}) {
    SCOPED_TRACE(size);
    put(request_.key, random_bytes(size));
    proxy_->clear();
    proxy_->add({.method = "GET", .times = -1, .fault = net::FlipAt{.at = 77'777}});
    const auto done = download();
    ASSERT_EQ(kind_of(done), ErrorKind::kCorrupt);
    EXPECT_THAT(names_in(folder_.path()), ::testing::ElementsAre());
  }
}

TEST_F(RgwDownloadTest, WhatIsNotThereLeavesNothing) {
  EXPECT_EQ(kind_of(download()), ErrorKind::kNotFound);
  EXPECT_THAT(names_in(folder_.path()), ::testing::ElementsAre());
}

}  // namespace
}  // namespace slipway::rgw
