// Proxies named by the environment.
#include <array>
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/http_client.h"
#include "net/http_url.h"
#include "net/testing/test_http.h"

namespace slipway::net {
namespace {

constexpr std::array kNames = {"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY",
                               "all_proxy",  "ALL_PROXY",  "no_proxy",    "NO_PROXY"};

// The tests of this program talk to loopback, whatever the environment they run in says.
class NoProxies : public ::testing::Environment {
 public:
  void SetUp() override {
    for (const auto* name : kNames) unsetenv(name);
  }
};
const auto* const kNoProxies = ::testing::AddGlobalTestEnvironment(new NoProxies);

class HttpClientProxyTest : public ::testing::Test {
 protected:
  void TearDown() override {
    for (const auto* name : kNames) unsetenv(name);
  }
  static void set(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

  TestServer proxy_{[](const ServerRequest& request, ResponseWriter& answer) {
    (void)answer.send(200, {}, "proxied " + request.target + " for " + request.headers.get("Host").value_or(""));
  }};
  TestServer direct_{[](const ServerRequest&, ResponseWriter& answer) { (void)answer.send(200, {}, "direct"); }};
};

TEST_F(HttpClientProxyTest, HttpGoesThroughHttpProxy) {
  set("http_proxy", proxy_.url());
  HttpClient client({});
  const auto answer = client.fetch({.url = "http://bucket.invalid/a/../b?c=%20"}, {}, {});
  ASSERT_TRUE(answer) << answer.error().describe();
  EXPECT_EQ(answer->body, "proxied http://bucket.invalid/a/../b?c=%20 for bucket.invalid");
}

TEST_F(HttpClientProxyTest, NoProxyNamesTheExceptions) {
  set("http_proxy", proxy_.url());
  set("no_proxy", "example.invalid,127.0.0.1");
  HttpClient client({});
  EXPECT_EQ(client.fetch({.url = direct_.url("/")}, {}, {})->body, "direct");
}

TEST_F(HttpClientProxyTest, TheEnvironmentIsReadWhenTheClientIsMade) {
  HttpClient client({});
  set("http_proxy", proxy_.url());
  EXPECT_EQ(client.fetch({.url = direct_.url("/")}, {}, {})->body, "direct");
}

TEST_F(HttpClientProxyTest, HttpsAsksTheProxyForATunnel) {
  TestServer refusing([](const ServerRequest&, ResponseWriter& answer) { (void)answer.send(403, {}, "no"); });
  set("https_proxy", refusing.url());
  HttpClient client({});
  const auto answer = client.fetch({.url = "https://bucket.invalid/"}, {}, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(refusing.connections(), 1U);
}

TEST_F(HttpClientProxyTest, NamesAreReadAsCurlReadsThem) {
  set("HTTP_PROXY", "http://capital");
  set("HTTPS_PROXY", "http://s");
  set("ALL_PROXY", "http://all");
  set("NO_PROXY", "n");
  const auto read = ProxySettings::from_environment();
  EXPECT_EQ(read.http, "http://all");
  EXPECT_EQ(read.https, "http://s");
  EXPECT_EQ(read.no_proxy, "n");
}

}  // namespace
}  // namespace slipway::net
