// The requests, times, keys and signatures are those of AWS's published signing test suite ("aws-sig-v4-test-suite")
// and of the examples in S3's documentation of header-based authentication.
#include "objects/sigv4.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "objects/time_text.h"

namespace slipway::objects {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr const char* kSuiteDate = "2015-08-30T12:36:00Z";
constexpr const char* kS3Date = "2013-05-24T00:00:00Z";

const Credentials kSuiteCredentials{.access_key_id = "AKIDEXAMPLE",
                                    .secret_access_key = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"};
const Credentials kS3Credentials{.access_key_id = "AKIAIOSFODNN7EXAMPLE",
                                 .secret_access_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"};

SignedRequest suite_request() {
  return {.headers = {{"Host", "example.amazonaws.com"}}, .payload_sha256 = sha256_hex("")};
}

// The signature alone; the suite's requests carry their date as the last header.
std::string suite_signature(SignedRequest request) {
  request.headers.add("X-Amz-Date", "20150830T123600Z");
  const std::string value = authorization(request, kSuiteCredentials, {.region = "us-east-1", .service = "service"},
                                          *parse_iso8601(kSuiteDate));
  return value.substr(value.rfind('=') + 1);
}

TEST(SigV4SuiteTest, GetVanilla) {
  EXPECT_EQ(suite_signature(suite_request()), "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
}

TEST(SigV4SuiteTest, PostVanilla) {
  auto request = suite_request();
  request.method = "POST";
  EXPECT_EQ(suite_signature(request), "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");
}

TEST(SigV4SuiteTest, QueryIsSortedByName) {
  auto request = suite_request();
  request.query = {{"Param2", "value2"}, {"Param1", "value1"}};
  EXPECT_EQ(suite_signature(request), "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500");
}

TEST(SigV4SuiteTest, QueryIsSortedByValueWithinAName) {
  auto request = suite_request();
  request.query = {{"Param1", "value2"}, {"Param1", "Value1"}};
  EXPECT_EQ(suite_signature(request), "eedbc4e291e521cf13422ffca22be7d2eb8146eecf653089df300a15b2382bd1");
}

TEST(SigV4SuiteTest, UnreservedCharactersStayInQueryAndPath) {
  const std::string unreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  auto query = suite_request();
  query.query = {{unreserved, unreserved}};
  EXPECT_EQ(suite_signature(query), "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197");
  auto path = suite_request();
  path.path = "/" + unreserved;
  EXPECT_EQ(suite_signature(path), "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f");
}

TEST(SigV4SuiteTest, Utf8InQueryAndPath) {
  auto query = suite_request();
  query.query = {{"\xe1\x88\xb4", "bar"}};
  EXPECT_EQ(suite_signature(query), "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04");
  auto path = suite_request();
  path.path = "/%E1%88%B4";
  EXPECT_EQ(suite_signature(path), "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85");
}

TEST(SigV4SuiteTest, HeadersOfOneNameAreJoinedInTheirOrder) {
  auto request = suite_request();
  for (const char* value : {"value4", "value1", "value3", "value2"}) request.headers.add("My-Header1", value);
  EXPECT_EQ(suite_signature(request), "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01");
}

TEST(SigV4SuiteTest, HeaderValuesAreTrimmed) {
  auto request = suite_request();
  request.headers.add("My-Header1", " value1");
  request.headers.add("My-Header2", " \"a   b   c\"");
  EXPECT_EQ(suite_signature(request), "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736");
}

TEST(SigV4SuiteTest, BodyAndContentType) {
  SignedRequest request{
      .method = "POST",
      .headers = {{"Content-Type", "application/x-www-form-urlencoded"}, {"Host", "example.amazonaws.com"}},
      .payload_sha256 = sha256_hex("Param1=value1")};
  EXPECT_EQ(suite_signature(request), "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a");
}

SignedRequest s3_request() {
  return {.headers = {{"Host", "examplebucket.s3.amazonaws.com"}}, .payload_sha256 = sha256_hex("")};
}

std::string s3_authorization(SignedRequest request) {
  sign_s3(request, kS3Credentials, {.region = "us-east-1"}, *parse_iso8601(kS3Date));
  return request.headers.get("Authorization").value_or("none");
}

TEST(SigV4S3Test, GetObjectWithARange) {
  auto request = s3_request();
  request.path = "/test.txt";
  request.headers.add("Range", "bytes=0-9");
  EXPECT_EQ(s3_authorization(request),
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
            "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
            "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST(SigV4S3Test, PutObjectWithAnEscapedKey) {
  auto request = s3_request();
  request.method = "PUT";
  request.path = "/test%24file.text";
  request.payload_sha256 = sha256_hex("Welcome to Amazon S3.");
  request.headers.add("Date", "Fri, 24 May 2013 00:00:00 GMT");
  request.headers.add("x-amz-storage-class", "REDUCED_REDUNDANCY");
  EXPECT_THAT(s3_authorization(request), EndsWith("98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"));
}

TEST(SigV4S3Test, GetBucketLifecycle) {
  auto request = s3_request();
  request.query = {{"lifecycle", ""}};
  EXPECT_THAT(s3_authorization(request), EndsWith("fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"));
}

TEST(SigV4S3Test, ListObjects) {
  auto request = s3_request();
  request.query = {{"prefix", "J"}, {"max-keys", "2"}};
  EXPECT_THAT(s3_authorization(request), EndsWith("34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"));
}

TEST(SigV4S3Test, ThePathIsNeitherNormalisedNorEncodedAgain) {
  auto request = s3_request();
  request.path = "/a//b/../c%20d";
  EXPECT_THAT(canonical_request(request), HasSubstr("\n/a//b/../c%20d\n"));
}

TEST(SigV4S3Test, ASessionTokenIsSentAndSigned) {
  auto request = s3_request();
  request.payload_sha256 = kUnsignedPayload;
  Credentials credentials = kS3Credentials;
  credentials.session_token = "TOKEN";
  sign_s3(request, credentials, {.region = "eu-west-1"}, *parse_iso8601(kS3Date));
  EXPECT_EQ(request.headers.get("x-amz-security-token"), "TOKEN");
  EXPECT_EQ(request.headers.get("x-amz-content-sha256"), "UNSIGNED-PAYLOAD");
  EXPECT_THAT(*request.headers.get("Authorization"),
              HasSubstr("SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,"));
}

TEST(SigV4S3Test, AnonymousRequestsCarryNothing) {
  auto request = s3_request();
  sign_s3(request, {}, {.region = "us-east-1"}, *parse_iso8601(kS3Date));
  EXPECT_EQ(request.headers.size(), 1U);
}

}  // namespace
}  // namespace slipway::objects
