#include "objects/s3_source.h"

#include <optional>
#include <thread>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/testing/tls_server.h"
#include "objects/download.h"
#include "objects/open_source.h"
#include "objects/testing/fake_s3.h"
#include "objects/testing/object_source_contract.h"
#include "sys/testing/temp_dir.h"

namespace slipway::objects {
namespace {

using ::testing::HasSubstr;
using List = FakeS3Quirks::List;

template <FakeS3Quirks (*quirks)()>
class S3Bucket final : public TestBucket {
 public:
  S3Bucket() : server_(quirks()), source_(*S3Source::make(server_.options())) {}
  static std::unique_ptr<TestBucket> make() { return std::make_unique<S3Bucket>(); }
  ObjectSource& source() override { return *source_; }
  void put(const std::string& key, const std::string& bytes) override { server_.put(key, bytes); }

 private:
  FakeS3 server_;
  std::unique_ptr<S3Source> source_;
};

FakeS3Quirks aws_like() { return {}; }
FakeS3Quirks without_if_match() { return {.if_match = false}; }
FakeS3Quirks version_1() { return {.list = List::kMarker}; }
FakeS3Quirks version_1_bare() { return {.encodes_keys = false, .list = List::kBareMarker}; }

// Each of them is a server that keeps the contract, in its own way.
INSTANTIATE_TEST_SUITE_P(S3, ObjectSourceContract,
                         ::testing::Values(&S3Bucket<&aws_like>::make, &S3Bucket<&without_if_match>::make,
                                           &S3Bucket<&version_1>::make, &S3Bucket<&version_1_bare>::make));

class S3SourceTest : public ::testing::Test {
 protected:
  void start(FakeS3Quirks quirks = {}) {
    server_.emplace(quirks);
    open(server_->options());
  }
  void open(S3Options options) { source_ = *S3Source::make(std::move(options)); }

  std::optional<FakeS3> server_;
  std::unique_ptr<S3Source> source_;
};

TEST_F(S3SourceTest, ChecksumsAreReadFromHead) {
  for (const auto algorithm : {HashAlgorithm::kCrc32, HashAlgorithm::kCrc32c, HashAlgorithm::kCrc64Nvme,
                               HashAlgorithm::kSha1, HashAlgorithm::kSha256}) {
    start({.checksum = algorithm});
    server_->put("k", "bytes");
    const auto info = source_->head("k", {});
    ASSERT_TRUE(info) << info.error().describe();
    ASSERT_EQ(info->checksums.size(), 1U);
    EXPECT_EQ(info->checksums[0].algorithm, algorithm);
    EXPECT_EQ(info->checksums[0].value, digest(algorithm, "bytes"));
  }
}

TEST_F(S3SourceTest, AListThatGoesRoundInCirclesIsAnError) {
  for (const auto list : {List::kSameToken, List::kSamePage}) {
    start({.list = list});
    server_->put("a", "x");
    ListRequest request;
    Result<ObjectPage> page;
    for (int i = 0; i < 10; ++i) {
      page = source_->list(request, {});
      if (!page) break;
      ASSERT_FALSE(page->next.empty());
      request.after = page->next;
    }
    ASSERT_FALSE(page);
    EXPECT_EQ(page.error().kind(), ErrorKind::kCorrupt) << page.error().describe();
  }
}

TEST_F(S3SourceTest, ABadCursorIsInvalid) {
  start();
  EXPECT_EQ(source_->list({.after = "nonsense"}, {}).error().kind(), ErrorKind::kInvalid);
}

TEST_F(S3SourceTest, FolderMarkersAreNotKeys) {
  start();
  server_->put("images/", "");
  server_->put("images/a", "x");
  const auto page = source_->list({.prefix = "images/"}, {});
  ASSERT_TRUE(page);
  ASSERT_EQ(page->objects.size(), 1U);
  EXPECT_EQ(page->objects[0].key, "images/a");
}

TEST_F(S3SourceTest, AnotherRegionIsFollowedOnceAndRemembered) {
  start({.region = "eu-west-1"});
  server_->put("k", "bytes");
  const auto info = source_->head("k", {});
  ASSERT_TRUE(info) << info.error().describe();
  EXPECT_EQ(server_->proxy().count("HEAD"), 2U);
  EXPECT_EQ(read_range(*source_, range_of(*info, 1, 2)).bytes, "yt");
  EXPECT_EQ(server_->proxy().count("GET"), 1U);
}

TEST_F(S3SourceTest, ARedirectToAnotherHostIsNotFollowed) {
  start();
  server_->put("k", "bytes");
  server_->proxy().add({.times = -1,
                        .fault = net::Answer{.status = 301,
                                             .headers = {{"x-amz-bucket-region", "eu-west-1"},
                                                         {"Location", "http://elsewhere.invalid/"}},
                                             .body = "<Error><Code>PermanentRedirect</Code></Error>"}});
  const auto info = source_->head("k", {});
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().kind(), ErrorKind::kInvalid);
  EXPECT_THAT(info.error().describe(), HasSubstr("s3_region"));
  EXPECT_EQ(server_->proxy().count("HEAD"), 2U);
}

TEST_F(S3SourceTest, WrongCredentialsNameTheirOrigin) {
  start();
  server_->put("k", "bytes");
  auto options = server_->options();
  options.credentials = fixed_credentials({"AKIDTEST", "wrong", ""});
  open(options);
  const auto wrong = source_->list({}, {});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().kind(), ErrorKind::kPermission);
  EXPECT_THAT(wrong.error().describe(), HasSubstr("the settings"));
  EXPECT_THAT(wrong.error().describe(), ::testing::Not(HasSubstr("\"wrong\"")));
  options.credentials = fixed_credentials({});
  open(options);
  const auto anonymous = source_->head("k", {});
  ASSERT_FALSE(anonymous);
  EXPECT_EQ(anonymous.error().kind(), ErrorKind::kPermission);
  EXPECT_THAT(anonymous.error().hint(), HasSubstr("does not allow anonymous reading"));
  EXPECT_THAT(anonymous.error().hint(), HasSubstr("AWS_ACCESS_KEY_ID"));
  EXPECT_FALSE(server_->proxy().requests().back().headers.get("Authorization"));
}

TEST_F(S3SourceTest, InVirtualHostStyleTheBucketIsInTheHost) {
  start();
  server_->put("a b/k", "bytes");
  auto options = server_->options();
  // Names below localhost are this machine (RFC 6761), for curl without asking anybody.
  options.endpoint = fmt::format("http://localhost:{}", server_->proxy().port());
  options.style = AddressStyle::kVirtualHost;
  open(options);
  const auto info = source_->head("a b/k", {});
  ASSERT_TRUE(info) << info.error().describe();
  EXPECT_EQ(read_range(*source_, range_of(*info, 0, 5)).bytes, "bytes");
  EXPECT_EQ(source_->list({}, {})->objects.at(0).key, "a b/k");
  for (const auto& request : server_->proxy().requests()) {
    EXPECT_EQ(request.headers.get("Host"), fmt::format("{}.localhost:{}", FakeS3::kBucket, server_->proxy().port()));
    EXPECT_THAT(request.target, ::testing::Not(HasSubstr(FakeS3::kBucket)));
  }
}

// The server is no S3: what counts is whether its answer is heard at all.
TEST(S3CaFileTest, DecidesWhoIsTrusted) {
  if (!net::TestCertificates::there()) GTEST_SKIP() << "there is no openssl program";
  const net::TestCertificates certificates;
  const net::TlsServer server(certificates);
  SourceSettings settings{.bucket = "bucket", .endpoint = server.url(), .credentials = Credentials{}};
  const auto stranger = (*open_source(settings))->list({}, {});
  ASSERT_FALSE(stranger);
  EXPECT_EQ(stranger.error().kind(), ErrorKind::kPermission) << stranger.error().describe();
  EXPECT_THAT(stranger.error().hint(), HasSubstr("s3_ca_file"));
  settings.ca_file = certificates.ca_file();
  const auto trusted = (*open_source(settings))->list({}, {});
  ASSERT_FALSE(trusted);
  EXPECT_EQ(trusted.error().kind(), ErrorKind::kCorrupt) << trusted.error().describe();
}

TEST_F(S3SourceTest, AnErrorNamesTheKeyOnce) {
  start();
  sys::TempDir folder;
  const auto error = download(*source_, {.key = "the-key", .file = folder.file("x")}, {}).error().message();
  EXPECT_THAT(error, ::testing::ContainsRegex("the-key"));
  EXPECT_EQ(error.find("the-key"), error.rfind("the-key")) << error;
  EXPECT_EQ(error.find(FakeS3::kBucket), error.rfind(FakeS3::kBucket)) << error;
}

TEST_F(S3SourceTest, EtagsThatLookLikeMd5AndAreNoneHaveAWayOut) {
  start({.odd_etags = true});
  server_->put("k", "bytes");
  sys::TempDir folder;
  const auto refused = download(*source_, {.key = "k", .file = folder.file("x")}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kCorrupt);
  EXPECT_THAT(refused.error().hint(), HasSubstr("s3_verify_etag"));
  auto options = server_->options();
  options.etag = EtagUse::kOpaque;
  open(options);
  const auto done = download(*source_, {.key = "k", .file = folder.file("x")}, {});
  ASSERT_TRUE(done) << done.error().describe();
  EXPECT_EQ(done->sha256, sha256_hex("bytes"));
}

TEST_F(S3SourceTest, ABusyServerIsTriedAgainAFewTimes) {
  start();
  server_->put("k", "bytes");
  server_->proxy().add(
      {.times = 3, .fault = net::Answer{.status = 503, .body = "<Error><Code>SlowDown</Code></Error>"}});
  EXPECT_TRUE(source_->head("k", {}));
  server_->proxy().clear();
  server_->proxy().add({.times = -1, .fault = net::Answer{.status = 500}});
  const auto down = source_->list({}, {});
  ASSERT_FALSE(down);
  EXPECT_EQ(down.error().kind(), ErrorKind::kUnavailable);
}

TEST_F(S3SourceTest, SlowDownSlowsAllOfTheEndpointDown) {
  start();
  server_->put("k", "bytes");
  auto options = server_->options();
  open(options);
  const double before = options.throttle->limit();
  server_->proxy().add({.fault = net::Answer{.status = 429}});
  EXPECT_TRUE(source_->head("k", {}));
  EXPECT_LT(options.throttle->limit(), before);
}

TEST_F(S3SourceTest, MalformedAnswersAreCorruptOrWhatTheirStatusSays) {
  start();
  server_->put("k", "bytes");
  server_->proxy().add({.method = "GET", .fault = net::Answer{.status = 200, .body = "<ListBucketResult><oops"}});
  EXPECT_EQ(source_->list({}, {}).error().kind(), ErrorKind::kCorrupt);
  server_->proxy().add({.method = "GET", .fault = net::Answer{.status = 404, .body = "<html>what?"}});
  EXPECT_EQ(source_->list({}, {}).error().kind(), ErrorKind::kNotFound);
}

TEST_F(S3SourceTest, AServerWithoutRangesSaysSo) {
  start({.ranges = false});
  server_->put("k", "bytes");
  const auto info = source_->head("k", {});
  EXPECT_EQ(read_range(*source_, range_of(*info, 1, 2)).how.error().kind(), ErrorKind::kUnsupported);
  EXPECT_EQ(read_range(*source_, range_of(*info, 0, 5)).bytes, "bytes");
}

TEST_F(S3SourceTest, WithoutETagsTheTimeTellsVersionsApart) {
  start({.etags = false});
  server_->put("k", "bytes");
  const auto info = source_->head("k", {});
  ASSERT_TRUE(info);
  EXPECT_EQ(info->etag, "");
  EXPECT_EQ(read_range(*source_, range_of(*info, 1, 2)).bytes, "yt");
  server_->put("k", "other");
  const auto read = read_range(*source_, range_of(*info, 1, 2));
  ASSERT_FALSE(read.how);
  EXPECT_EQ(read.how.error().kind(), ErrorKind::kConflict);
}

TEST_F(S3SourceTest, ClosingTheSourceEndsItsReads) {
  start();
  server_->put("k", std::string(100'000, 'x'));
  const auto info = source_->head("k", {});
  server_->proxy().add({.method = "GET", .fault = net::StallAt{.at = 10}});
  std::thread closer([&] {
    server_->proxy().wait_for_stalls(1);
    source_.reset();
  });
  const auto read = read_range(*source_, range_of(*info, 0, info->size));
  closer.join();
  ASSERT_FALSE(read.how);
  EXPECT_EQ(read.how.error().kind(), ErrorKind::kCancelled);
}

TEST_F(S3SourceTest, SettingsThatCanNeverWork) {
  for (const auto& [bucket, region, endpoint] :
       {std::tuple{"Bad_Bucket", "us-east-1", ""}, std::tuple{"ab", "us-east-1", ""},
        std::tuple{"good-bucket", "Us East", ""}, std::tuple{"good-bucket", "us-east-1", "localhost:9000"},
        std::tuple{"good-bucket", "us-east-1", "http://user@host"}, std::tuple{"10.0.0.1", "us-east-1", ""}}) {
    const auto made = S3Source::make({.bucket = bucket, .region = region, .endpoint = endpoint});
    ASSERT_FALSE(made) << bucket << region << endpoint;
    EXPECT_EQ(made.error().kind(), ErrorKind::kInvalid);
  }
}

}  // namespace
}  // namespace slipway::objects
