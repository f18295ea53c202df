#include "objects/s3_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "objects/open_source.h"
#include "objects/s3_endpoint.h"
#include "objects/time_text.h"
#include "sys/testing/temp_dir.h"

namespace slipway::objects {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string error_xml(const std::string& code) {
  return "<Error><Code>" + code + "</Code><Message>m</Message></Error>";
}

BadAnswer bad(int status, const std::string& code = "", net::Headers headers = {}) {
  net::HttpHead head{.status = status, .headers = std::move(headers)};
  return read_bad_answer(head, code.empty() ? "" : error_xml(code),
                         {.bucket = "b", .key = "k", .credentials_origin = "the environment"});
}

TEST(S3AnswerTest, KindsOfErrors) {
  EXPECT_EQ(bad(404, "NoSuchKey").error.kind(), ErrorKind::kNotFound);
  EXPECT_EQ(bad(404).error.kind(), ErrorKind::kNotFound);
  EXPECT_THAT(bad(404, "NoSuchBucket").error.hint(), HasSubstr("s3_bucket"));
  for (const char* code : {"AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", ""}) {
    EXPECT_EQ(bad(403, code).error.kind(), ErrorKind::kPermission) << code;
    EXPECT_THAT(bad(403, code).error.hint(), HasSubstr("the environment")) << code;
  }
  EXPECT_THAT(bad(403, "RequestTimeTooSkewed").error.hint(), HasSubstr("clock"));
  EXPECT_EQ(bad(412, "PreconditionFailed").error.kind(), ErrorKind::kConflict);
  EXPECT_EQ(bad(416, "InvalidRange").error.kind(), ErrorKind::kConflict);
  for (const int status : {500, 502, 503, 504, 429, 408}) {
    EXPECT_EQ(bad(status).error.kind(), ErrorKind::kUnavailable) << status;
  }
  EXPECT_EQ(bad(400, "RequestTimeout").error.kind(), ErrorKind::kUnavailable);
  EXPECT_TRUE(bad(400, "SlowDown").slow_down);
  EXPECT_TRUE(bad(503).slow_down);
  EXPECT_TRUE(bad(500).slow_down);
  EXPECT_TRUE(bad(502).slow_down);
  EXPECT_FALSE(bad(404).slow_down);
  EXPECT_TRUE(bad(400, "ExpiredToken").expired);
}

TEST(S3AnswerTest, TheRegionIsTakenFromHeaderOrBodyAndOnlyWhenItIsOne) {
  EXPECT_EQ(bad(301, "PermanentRedirect", {{"x-amz-bucket-region", "eu-west-1"}}).region, "eu-west-1");
  EXPECT_EQ(bad(400, "", {{"x-amz-bucket-region", "eu-west-1"}}).region, "eu-west-1");
  EXPECT_EQ(bad(301, "PermanentRedirect", {{"x-amz-bucket-region", "evil.example.com/"}}).region, std::nullopt);
  EXPECT_EQ(bad(403, "AccessDenied", {{"x-amz-bucket-region", "eu-west-1"}}).region, std::nullopt);
}

TEST(S3AnswerTest, TextsFromTheServerCannotBreakALine) {
  EXPECT_THAT(bad(400, "a\nb").error.message(), HasSubstr("a\\x0ab"));
}

TEST(S3AnswerTest, ChecksumsThatAreOfTheWholeObject) {
  const std::string md5 = "9e107d9d372bb6826bd81d3542a419d6";
  EXPECT_EQ(read_checksums({{"x-amz-checksum-crc32", "AAAAAQ=="}}).at(0).value, (DigestBytes{0, 0, 0, 1}));
  EXPECT_THAT(read_checksums({{"x-amz-checksum-crc32", "AAAAAQ==-3"}}), IsEmpty());
  EXPECT_THAT(read_checksums({{"x-amz-checksum-crc32", "AAAAAQ=="}, {"x-amz-checksum-type", "COMPOSITE"}}), IsEmpty());
  EXPECT_THAT(read_checksums({{"x-amz-checksum-sha256", "AAAAAQ=="}}), IsEmpty());
  EXPECT_EQ(read_checksums({{"ETag", '"' + md5 + '"'}}).at(0).algorithm, HashAlgorithm::kMd5);
  EXPECT_THAT(read_checksums({{"ETag", '"' + md5 + "-2\""}}), IsEmpty());
  EXPECT_THAT(read_checksums({{"ETag", "\"abc\""}}), IsEmpty());
  EXPECT_THAT(read_checksums({{"ETag", md5}, {"x-amz-server-side-encryption", "aws:kms"}}), IsEmpty());
  EXPECT_THAT(read_checksums({{"ETag", md5}, {"x-amz-server-side-encryption-customer-algorithm", "AES256"}}),
              IsEmpty());
  EXPECT_EQ(read_checksums({{"ETag", md5}, {"x-amz-server-side-encryption", "AES256"}}).size(), 1U);
  const auto better = read_checksums({{"ETag", md5}, {"x-amz-checksum-crc32", "AAAAAQ=="}});
  ASSERT_EQ(better.size(), 1U);
  EXPECT_EQ(better[0].algorithm, HashAlgorithm::kCrc32);
}

TEST(S3AnswerTest, OnlyTheRangeThatWasAskedForIsTaken) {
  const RangeRequest range{.key = "k", .etag = "e", .object_size = 100, .offset = 10, .length = 20};
  const auto check = [&](int status, net::Headers headers) {
    const auto checked = check_read_head({.status = status, .headers = std::move(headers)}, range);
    return checked ? std::optional<ErrorKind>() : checked.error().kind();
  };
  EXPECT_EQ(check(206, {{"ETag", "\"e\""}, {"Content-Range", "bytes 10-29/100"}}), std::nullopt);
  EXPECT_EQ(check(206, {{"Content-Range", "bytes 10-29/*"}}), std::nullopt);
  EXPECT_EQ(check(206, {{"ETag", "\"f\""}, {"Content-Range", "bytes 10-29/100"}}), ErrorKind::kConflict);
  EXPECT_EQ(check(206, {{"Content-Range", "bytes 10-29/99"}}), ErrorKind::kConflict);
  EXPECT_EQ(check(206, {{"Content-Range", "bytes 0-19/100"}}), ErrorKind::kCorrupt);
  EXPECT_EQ(check(206, {{"Content-Range", "bytes 10-99/100"}}), ErrorKind::kCorrupt);
  EXPECT_EQ(check(206, {{"Content-Range", "lines 10-29/100"}}), ErrorKind::kCorrupt);
  EXPECT_EQ(check(206, {}), ErrorKind::kCorrupt);
  EXPECT_EQ(check(200, {{"ETag", "\"e\""}}), ErrorKind::kUnsupported);
  EXPECT_EQ(check(200, {{"ETag", "\"f\""}}), ErrorKind::kConflict);
}

TEST(S3EndpointTest, Addresses) {
  const auto url = [](std::string_view endpoint, std::string bucket, AddressStyle style = AddressStyle::kAuto) {
    return S3Endpoint::make(endpoint, std::move(bucket), style)->address("eu-west-1", "a b/\xc3\xa9").url;
  };
  EXPECT_EQ(url("", "buck"), "https://buck.s3.eu-west-1.amazonaws.com/a%20b/%C3%A9");
  EXPECT_EQ(url("", "bu.ck"), "https://s3.eu-west-1.amazonaws.com/bu.ck/a%20b/%C3%A9");
  EXPECT_EQ(url("", "buck", AddressStyle::kPath), "https://s3.eu-west-1.amazonaws.com/buck/a%20b/%C3%A9");
  EXPECT_EQ(url("http://Host:9000/", "buck"), "http://host:9000/buck/a%20b/%C3%A9");
  EXPECT_EQ(url("http://host:9000/base", "buck"), "http://host:9000/base/buck/a%20b/%C3%A9");
  EXPECT_EQ(url("https://host", "buck", AddressStyle::kVirtualHost), "https://buck.host/a%20b/%C3%A9");
  EXPECT_EQ(url("http://host:80", "Under_Score"), "http://host/Under_Score/a%20b/%C3%A9");
  const auto bucket = S3Endpoint::make("http://h:1", "buck", AddressStyle::kAuto)->address("r", "");
  EXPECT_EQ(bucket.url, "http://h:1/buck");
  EXPECT_EQ(bucket.host, "h:1");
  EXPECT_EQ(S3Endpoint::make("", "buck", AddressStyle::kAuto)->address("cn-north-1", "").url,
            "https://buck.s3.cn-north-1.amazonaws.com.cn/");
}

TEST(OpenSourceTest, AFolderOrABucket) {
  const sys::TempDir dir;
  const auto folder = open_source({.bucket = "file://" + dir.path()});
  ASSERT_TRUE(folder) << folder.error().describe();
  EXPECT_EQ((*folder)->describe(), "file://" + dir.path());
  const auto bucket = open_source({.bucket = "my-bucket", .region = "eu-west-1"});
  ASSERT_TRUE(bucket) << bucket.error().describe();
  EXPECT_EQ((*bucket)->describe(), "s3://my-bucket at https://s3.eu-west-1.amazonaws.com");
}

TEST(OpenSourceTest, WhatIsNeitherNamesTheRule) {
  const auto kind = [](std::string name) { return open_source({.bucket = std::move(name)}).error().kind(); };
  EXPECT_EQ(kind(""), ErrorKind::kInvalid);
  EXPECT_EQ(kind("s3://bucket"), ErrorKind::kInvalid);
  EXPECT_EQ(kind("file://host/path"), ErrorKind::kInvalid);
  EXPECT_EQ(kind("file:relative"), ErrorKind::kInvalid);
  EXPECT_EQ(kind("file:///no/such/folder/anywhere"), ErrorKind::kNotFound);
  EXPECT_EQ(kind("UPPER"), ErrorKind::kInvalid);
  EXPECT_THAT(open_source({.bucket = "UPPER"}).error().message(), HasSubstr("lower-case"));
}

}  // namespace
}  // namespace slipway::objects
