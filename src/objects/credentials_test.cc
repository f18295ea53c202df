#include "objects/credentials.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/testing/test_http.h"
#include "objects/metadata_credentials.h"
#include "objects/profile_file.h"
#include "sys/testing/manual_clock.h"
#include "sys/testing/temp_dir.h"

namespace slipway::objects {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class CredentialsTest : public ::testing::Test {
 protected:
  CredentialsTest() {
    set("AWS_EC2_METADATA_DISABLED", "true");
    std::filesystem::create_directory(dir_.file(".aws"));
  }

  void set(const std::string& name, const std::string& value) { variables_[name] = value; }
  void write(const std::string& name, const std::string& text) { std::ofstream(dir_.file(name)) << text; }

  CredentialsChain& chain(std::optional<Credentials> given = {}) {
    chain_.emplace(
        CredentialsChainOptions{.given = std::move(given),
                                .environment = [this](const std::string& name) -> std::optional<std::string> {
                                  const auto found = variables_.find(name);
                                  if (found == variables_.end()) return std::nullopt;
                                  return found->second;
                                },
                                .home = dir_.path()},
        clock_);
    return *chain_;
  }
  Result<ResolvedCredentials> get() { return chain().get({}); }

  void expect_invalid(const std::string& words) {
    const auto found = get();
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().kind(), ErrorKind::kInvalid);
    EXPECT_THAT(found.error().describe(), HasSubstr(words));
    EXPECT_THAT(found.error().describe(), Not(HasSubstr("HUSH")));
  }

  sys::TempDir dir_;
  sys::ManualClock clock_;
  std::map<std::string, std::string> variables_;
  std::optional<CredentialsChain> chain_;
};

TEST_F(CredentialsTest, WithoutAnyRequestsAreAnonymous) {
  const auto found = get();
  ASSERT_TRUE(found) << found.error().describe();
  EXPECT_TRUE(found->credentials.anonymous());
}

TEST_F(CredentialsTest, GivenBeforeEnvironmentBeforeFiles) {
  write(".aws/credentials", "[default]\naws_access_key_id = FILE\naws_secret_access_key = HUSH\n");
  EXPECT_EQ(get()->credentials.access_key_id, "FILE");
  set("AWS_ACCESS_KEY_ID", "ENV");
  set("AWS_SECRET_ACCESS_KEY", "HUSH");
  set("AWS_SESSION_TOKEN", "TOKEN");
  EXPECT_EQ(get()->credentials.access_key_id, "ENV");
  EXPECT_EQ(get()->credentials.session_token, "TOKEN");
  EXPECT_EQ(get()->origin, "the environment");
  EXPECT_EQ(chain(Credentials{"GIVEN", "HUSH", ""}).get({})->credentials.access_key_id, "GIVEN");
}

TEST_F(CredentialsTest, WhatIsSetHalfIsAnError) {
  set("AWS_ACCESS_KEY_ID", "ENV");
  expect_invalid("AWS_SECRET_ACCESS_KEY is not");
  variables_.erase("AWS_ACCESS_KEY_ID");
  set("AWS_SECRET_ACCESS_KEY", "HUSH");
  expect_invalid("AWS_ACCESS_KEY_ID is not");
  set("AWS_ACCESS_KEY_ID", "");  // empty is not set
  expect_invalid("AWS_ACCESS_KEY_ID is not");
  variables_.erase("AWS_SECRET_ACCESS_KEY");
  write(".aws/credentials", "[default]\naws_secret_access_key = HUSH\n");
  expect_invalid("aws_access_key_id");
}

TEST_F(CredentialsTest, Profiles) {
  write(".aws/credentials",
        "# a comment\n[one]\n aws_ignored = x\naws_access_key_id=ONE\naws_secret_access_key = S#1 ; why\n");
  write(".aws/config",
        "[profile two]\nregion = x\ns3 =\n  addressing_style = path\nAWS_ACCESS_KEY_ID = TWO\n"
        "aws_secret_access_key = S2\naws_session_token = T2\n[default]\nregion = y\n");
  EXPECT_TRUE(get()->credentials.anonymous());
  set("AWS_PROFILE", "one");
  EXPECT_EQ(get()->credentials.access_key_id, "ONE");
  EXPECT_EQ(get()->credentials.secret_access_key, "S#1");
  set("AWS_PROFILE", "two");
  EXPECT_EQ(get()->credentials.access_key_id, "TWO");
  EXPECT_EQ(get()->credentials.session_token, "T2");
  EXPECT_THAT(get()->origin, HasSubstr("two"));
  set("AWS_PROFILE", "three");
  expect_invalid("three");
  write("other", "[three]\naws_access_key_id = THREE\naws_secret_access_key = S3\n");
  set("AWS_SHARED_CREDENTIALS_FILE", dir_.file("other"));
  EXPECT_EQ(get()->credentials.access_key_id, "THREE");
}

TEST_F(CredentialsTest, ProfilesOfKindsThatAreNotKnownSaySo) {
  write(".aws/config", "[default]\nrole_arn = arn:aws:iam::1:role/x\n");
  const auto found = get();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind(), ErrorKind::kUnsupported);
  EXPECT_THAT(found.error().describe(), HasSubstr("role_arn"));
}

TEST_F(CredentialsTest, BadFilesNameTheLineAndNotItsText) {
  write(".aws/credentials", "[default]\naws_access_key_id = X\nHUSH\n");
  expect_invalid("line 3");
  write(".aws/credentials", "aws_secret_access_key = HUSH\n");
  expect_invalid("line 1");
  write(".aws/credentials", "[default\n");
  expect_invalid("line 1");
}

TEST_F(CredentialsTest, OnlyThisMachineAndKnownAddressesAreAskedOverHttp) {
  for (const char* uri :
       {"https://example.com/x", "http://127.0.0.1:80/x", "http://127.1.2.3/", "http://localhost/x", "http://[::1]:80/",
        "http://169.254.170.2/x", "http://169.254.170.23/", "http://[fd00:ec2::23]/"}) {
    EXPECT_TRUE(check_container_uri(uri)) << uri;
  }
  for (const char* uri : {"http://example.com/", "http://127.0.0.1.example.com/", "http://169.254.169.254/",
                          "ftp://localhost/", "http://localhost@example.com/", "http://localhost.example.com/", ""}) {
    EXPECT_FALSE(check_container_uri(uri)) << uri;
  }
}

TEST_F(CredentialsTest, NoneWhenThatIsWhatIsGiven) {
  set("AWS_ACCESS_KEY_ID", "ENV");
  set("AWS_SECRET_ACCESS_KEY", "HUSH");
  const auto found = chain(Credentials{}).get({});
  EXPECT_TRUE(found->credentials.anonymous());
  EXPECT_THAT(found->origin, HasSubstr("s3_anonymous"));
}

// A stand-in for both services.
class MetadataTest : public CredentialsTest {
 protected:
  MetadataTest() {
    variables_.erase("AWS_EC2_METADATA_DISABLED");
    set("AWS_EC2_METADATA_SERVICE_ENDPOINT", server_.url());
  }

  void serve(const net::ServerRequest& request, net::ResponseWriter& writer) {
    ++asked_;
    if (request.method == "CONNECT" || request.target.starts_with("http://")) ++proxied_;
    const std::string role = "/latest/meta-data/iam/security-credentials/";
    const bool token = request.headers.get("X-aws-ec2-metadata-token") == "TOKEN";
    if (request.path == "/container") {
      const bool right = request.headers.get("Authorization") == "Basic x";
      static_cast<void>(writer.send(right ? 200 : 401, {}, right ? document() : ""));
    } else if (broken_) {
      static_cast<void>(writer.send(500, {}, ""));
    } else if (request.method == "PUT" && request.path == "/latest/api/token") {
      static_cast<void>(
          writer.send(request.headers.get("X-aws-ec2-metadata-token-ttl-seconds") ? 200 : 400, {}, "TOKEN"));
    } else if (!token) {
      static_cast<void>(writer.send(401, {}, ""));
    } else if (request.path == role) {
      static_cast<void>(writer.send(has_role_ ? 200 : 404, {}, "my-role"));
    } else {
      static_cast<void>(writer.send(request.path == role + "my-role" ? 200 : 404, {}, document()));
    }
  }

  std::string document() {
    const TimePoint expires = clock_.now() + lifetime_;
    return fmt::format(
        R"({{"Code":"{}","AccessKeyId":"META{}","SecretAccessKey":"HUSH","Token":"T","Expiration":"{}"}})", code_,
        ++documents_, to_iso8601(expires));
  }

  std::atomic<bool> broken_ = false;
  std::atomic<bool> has_role_ = true;
  std::atomic<int> documents_ = 0;
  std::atomic<int> asked_ = 0;
  std::atomic<int> proxied_ = 0;
  std::chrono::minutes lifetime_{60};
  std::string code_ = "Success";
  net::TestServer server_{[this](const auto& request, auto& writer) { serve(request, writer); }};
};

TEST_F(MetadataTest, TheInstanceIsAskedByVersionTwo) {
  const auto found = get();
  ASSERT_TRUE(found) << found.error().describe();
  EXPECT_EQ(found->credentials.access_key_id, "META1");
  EXPECT_EQ(found->credentials.session_token, "T");
  EXPECT_EQ(found->expires, clock_.now() + std::chrono::hours(1));
  EXPECT_EQ(asked_, 3);
}

TEST_F(MetadataTest, NoServiceOrNoRoleIsAnonymous) {
  has_role_ = false;
  EXPECT_TRUE(get()->credentials.anonymous());
  broken_ = true;
  EXPECT_TRUE(get()->credentials.anonymous());
  server_.stop();
  EXPECT_TRUE(get()->credentials.anonymous());
}

TEST_F(MetadataTest, ABadDocumentIsAnErrorWithoutItsText) {
  code_ = "Failure";
  const auto found = get();
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().describe(), Not(HasSubstr("HUSH")));
}

TEST_F(MetadataTest, TheContainerIsAskedWithItsToken) {
  set("AWS_CONTAINER_CREDENTIALS_FULL_URI", server_.url("/container"));
  EXPECT_EQ(get().error().kind(), ErrorKind::kPermission);
  set("AWS_CONTAINER_AUTHORIZATION_TOKEN", "Basic x");
  EXPECT_EQ(get()->credentials.access_key_id, "META1");
  write("token", "Basic x\n");
  set("AWS_CONTAINER_AUTHORIZATION_TOKEN", "old");
  set("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", dir_.file("token"));
  EXPECT_EQ(get()->credentials.access_key_id, "META2");
  set("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://example.com/");
  EXPECT_EQ(get().error().kind(), ErrorKind::kInvalid);
}

TEST_F(MetadataTest, RenewedBeforeTheyExpireAndKeptWhileTheyHold) {
  auto& credentials = chain();
  EXPECT_EQ(credentials.get({})->credentials.access_key_id, "META1");
  clock_.advance(std::chrono::minutes(50));
  EXPECT_EQ(credentials.get({})->credentials.access_key_id, "META1");
  broken_ = true;
  clock_.advance(std::chrono::minutes(6));
  EXPECT_EQ(credentials.get({})->credentials.access_key_id, "META1");
  const int asked = asked_;
  EXPECT_EQ(credentials.get({})->credentials.access_key_id, "META1");  // not asked at once again
  EXPECT_EQ(asked_, asked);
  broken_ = false;
  clock_.advance(std::chrono::minutes(1));
  EXPECT_EQ(credentials.get({})->credentials.access_key_id, "META2");
  EXPECT_TRUE(credentials.refused());
  EXPECT_EQ(credentials.get({})->credentials.access_key_id, "META3");
}

TEST_F(MetadataTest, ThoseWithLittleTimeLeftAreNotAskedForAtEachRequest) {
  lifetime_ = std::chrono::minutes(4);
  auto& credentials = chain();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(credentials.get({})->credentials.access_key_id, "META1");
  EXPECT_EQ(documents_, 1);
  clock_.advance(std::chrono::seconds(31));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(credentials.get({})->credentials.access_key_id, "META2");
  EXPECT_EQ(documents_, 2);
}

TEST_F(MetadataTest, LateRefusalsOfTheOldOnesDoNotRenewTheNewOnes) {
  auto& credentials = chain();
  EXPECT_EQ(credentials.get({})->credentials.access_key_id, "META1");
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(credentials.refused());
    EXPECT_EQ(credentials.get({})->credentials.access_key_id, "META2");
  }
  clock_.advance(std::chrono::seconds(31));
  EXPECT_TRUE(credentials.refused());
  EXPECT_EQ(credentials.get({})->credentials.access_key_id, "META3");
}

TEST_F(MetadataTest, AServiceThatFailsOnceIsAskedAgainLater) {
  broken_ = true;
  auto& credentials = chain();
  const auto first = credentials.get({});
  ASSERT_TRUE(first) << first.error().describe();
  EXPECT_TRUE(first->credentials.anonymous());
  EXPECT_THAT(first->origin, HasSubstr("answered 500"));
  broken_ = false;
  EXPECT_TRUE(credentials.get({})->credentials.anonymous());  // not at each request
  EXPECT_EQ(asked_, 1);
  clock_.advance(std::chrono::seconds(31));
  EXPECT_EQ(credentials.get({})->credentials.access_key_id, "META1");
}

TEST_F(MetadataTest, AServiceThatIsNotThereIsAskedEverMoreSeldom) {
  broken_ = true;
  auto& credentials = chain();
  for (int minute = 0; minute < 600; ++minute) {
    EXPECT_TRUE(credentials.get({})->credentials.anonymous());
    clock_.advance(std::chrono::minutes(1));
  }
  EXPECT_LT(asked_, 20);
  EXPECT_GT(asked_, 10);
}

TEST_F(MetadataTest, ExpiredOnesDoNotTurnIntoNoneWhenTheServiceFails) {
  auto& credentials = chain();
  EXPECT_EQ(credentials.get({})->credentials.access_key_id, "META1");
  broken_ = true;
  clock_.advance(std::chrono::minutes(61));
  EXPECT_EQ(credentials.get({}).error().kind(), ErrorKind::kUnavailable);
  broken_ = false;
  EXPECT_EQ(credentials.get({})->credentials.access_key_id, "META2");
}

TEST_F(MetadataTest, TheServiceIsNotAskedThroughAProxy) {
  setenv("http_proxy", server_.url().c_str(), 1);
  EXPECT_EQ(get()->credentials.access_key_id, "META1");
  unsetenv("http_proxy");
  EXPECT_EQ(proxied_, 0);
}

TEST_F(MetadataTest, ManyThreadsAskOnce) {
  auto& credentials = chain();
  std::vector<std::jthread> threads;
  std::atomic<int> good = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] { good += credentials.get({})->credentials.access_key_id == "META1" ? 1 : 0; });
  }
  threads.clear();
  EXPECT_EQ(good, 8);
  EXPECT_EQ(documents_, 1);
}

}  // namespace
}  // namespace slipway::objects
