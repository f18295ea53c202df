#include "net/testing/scripted_proxy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/http_client.h"

namespace slipway::net {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ScriptedProxyTest : public ::testing::Test {
 protected:
  Result<HttpAnswer> get(const std::string& path, Headers headers = {}) {
    return client_.fetch({.url = proxy_.url(path), .headers = std::move(headers)}, {}, {});
  }
  std::shared_ptr<RecordingReceiver> start(const std::string& path) {
    auto receiver = std::make_shared<RecordingReceiver>();
    client_.start({.url = proxy_.url(path)}, receiver, {});
    return receiver;
  }

  std::string object() {
    const sys::Lock lock(mutex_);
    return object_;
  }
  void replace_object(std::string by) {
    const sys::Lock lock(mutex_);
    object_ = std::move(by);
  }

  sys::Mutex mutex_;
  std::string object_ SLIPWAY_GUARDED_BY(mutex_) = "0123456789";
  HttpClient client_{{}};
  ScriptedProxy proxy_{[this](const ServerRequest& request, ResponseWriter& answer) {
    const Headers headers{{"ETag", "\"e\""}, {"x-amz-checksum-sha256", "c"}, {"X-Other", "o"}};
    if (request.path == "/chunked") {
      (void)answer.begin(200, headers, std::nullopt);
      (void)answer.write("01234");
      (void)answer.write("56789");
    } else if (request.path == "/mirror") {
      std::string seen = request.method + " " + request.target + "\n";
      for (const auto& [name, value] : request.headers) seen += name + ": " + value + "\n";
      (void)answer.send(200, headers, seen + request.body);
    } else {
      (void)answer.send(200, headers, object());
    }
  }};
};

TEST_F(ScriptedProxyTest, ForwardsExactlyWhatNoRuleTouches) {
  const auto answer = client_.fetch({.method = "PUT",
                                     .url = proxy_.url("/mirror?x=%2f%2F&y=a+b"),
                                     .headers = {{"Host", "bucket.example"}, {"B", "2"}, {"a", "1"}},
                                     .body = "body"},
                                    {}, {});
  ASSERT_TRUE(answer) << answer.error().describe();
  EXPECT_THAT(answer->body, HasSubstr("PUT /mirror?x=%2f%2F&y=a+b\nHost: bucket.example\n"));
  EXPECT_THAT(answer->body, HasSubstr("B: 2\na: 1\n"));
  EXPECT_THAT(answer->body, ::testing::EndsWith("\nbody"));
  EXPECT_EQ(answer->headers.get("etag"), "\"e\"");
  EXPECT_EQ(get("/chunked")->body, "0123456789");
  const auto head = client_.fetch({.method = "HEAD", .url = proxy_.url("/o")}, {}, {});
  EXPECT_EQ(head->headers.get("Content-Length"), "10");
}

TEST_F(ScriptedProxyTest, RecordsRequests) {
  (void)get("/a?q=1", {{"Range", "bytes=0-1"}});
  (void)client_.fetch({.method = "POST", .url = proxy_.url("/b"), .body = "x"}, {}, {});
  const auto requests = proxy_.requests();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].path, "/a");
  EXPECT_EQ(requests[0].query, "q=1");
  EXPECT_EQ(requests[0].headers.get("range"), "bytes=0-1");
  EXPECT_EQ(requests[1].body, "x");
  EXPECT_EQ(proxy_.count("GET"), 1U);
  EXPECT_EQ(proxy_.count("POST", "/b"), 1U);
  EXPECT_EQ(proxy_.count("POST", "/a"), 0U);
}

TEST_F(ScriptedProxyTest, RulesMatchByMethodPathQueryRangeAndTurn) {
  const Answer busy{.status = 503, .headers = {{"Retry-After", "7"}}, .body = "<Error/>"};
  proxy_.add(
      {.method = "GET", .path = "/k", .query = "p=1", .range = "bytes=0-4", .skip = 1, .times = 2, .fault = busy});
  EXPECT_EQ(client_.fetch({.method = "HEAD", .url = proxy_.url("/k?p=1")}, {}, {})->status, 200);
  EXPECT_EQ(get("/other?p=1", {{"Range", "bytes=0-4"}})->status, 200);
  EXPECT_EQ(get("/k?p=2", {{"Range", "bytes=0-4"}})->status, 200);
  EXPECT_EQ(get("/k?p=1", {{"Range", "bytes=5-9"}})->status, 200);
  std::vector<int> statuses;
  for (int i = 0; i < 4; ++i) statuses.push_back(get("/k?p=1", {{"Range", "bytes=0-4"}})->status);
  EXPECT_THAT(statuses, ElementsAre(200, 503, 503, 200));
  EXPECT_EQ(proxy_.acted(0), 2);
}

TEST_F(ScriptedProxyTest, AnswersInsteadOfTheServer) {
  proxy_.add({.fault = Answer{.status = 301,
                              .headers = {{"Location", "http://elsewhere/"}, {"x-amz-bucket-region", "eu-1"}},
                              .body = "<ListBucketResult><unclosed"}});
  const auto answer = get("/");
  EXPECT_EQ(answer->status, 301);
  EXPECT_EQ(answer->headers.get("x-amz-bucket-region"), "eu-1");
  EXPECT_EQ(answer->body, "<ListBucketResult><unclosed");
  EXPECT_EQ(get("/")->body, object());
}

TEST_F(ScriptedProxyTest, CutsTheBody) {
  for (const auto* path : {"/o", "/chunked"}) {
    for (const std::uint64_t at : {0U, 4U, 7U}) {
      proxy_.clear();
      proxy_.add({.fault = CutAt{at}});
      const auto receiver = start(path);
      const auto how = receiver->wait();
      ASSERT_FALSE(how) << path << at;
      EXPECT_EQ(how.error().kind(), ErrorKind::kUnavailable);
      EXPECT_EQ(receiver->body(), object().substr(0, at));
    }
  }
  proxy_.add({.fault = CutAt{.at = 4, .reset = true}});
  EXPECT_FALSE(get("/o"));
  EXPECT_EQ(get("/o")->body, object());
}

TEST_F(ScriptedProxyTest, StallsUntilReleased) {
  proxy_.add({.fault = StallAt{.at = 4}});
  proxy_.add({.skip = 1, .fault = StallAt{.before_head = true}});
  const auto in_body = start("/o");
  proxy_.wait_for_stalls(1);
  const auto before_head = start("/o");
  proxy_.wait_for_stalls(2);
  EXPECT_EQ(before_head->times_done(), 0);
  proxy_.release();
  EXPECT_TRUE(in_body->wait());
  EXPECT_EQ(in_body->body(), object());
  EXPECT_TRUE(before_head->wait());
  EXPECT_EQ(before_head->body(), object());
}

TEST_F(ScriptedProxyTest, AStallEndsWithTheClientsPatience) {
  proxy_.add({.fault = StallAt{.at = 4}});
  const auto answer = client_.fetch({.url = proxy_.url("/o"), .stall_timeout = std::chrono::milliseconds(50)}, {}, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind(), ErrorKind::kTimeout);
}

TEST_F(ScriptedProxyTest, TruncatesWithARightAndWithAWrongLength) {
  proxy_.add({.fault = TruncateTo{.size = 4}});
  const auto shorter = get("/o");
  ASSERT_TRUE(shorter);
  EXPECT_EQ(shorter->body, "0123");
  EXPECT_EQ(shorter->headers.get("Content-Length"), "4");
  proxy_.clear();
  proxy_.add({.fault = TruncateTo{.size = 4, .stated = 10}});
  const auto receiver = start("/o");
  EXPECT_FALSE(receiver->wait());
  EXPECT_EQ(receiver->body(), "0123");
}

TEST_F(ScriptedProxyTest, FlipsBytesAndDropsHeaders) {
  proxy_.add({.fault = FlipAt{0}});
  proxy_.add({.fault = FlipAt{9}});
  proxy_.add({.fault = DropHeaders{{"x-amz-checksum-*", "etag"}}});
  const auto answer = get("/chunked");
  EXPECT_EQ(answer->body, "1123456788");
  EXPECT_EQ(answer->headers.get("x-amz-checksum-sha256"), std::nullopt);
  EXPECT_EQ(answer->headers.get("ETag"), std::nullopt);
  EXPECT_EQ(answer->headers.get("X-Other"), "o");
}

TEST_F(ScriptedProxyTest, ReplacesTheObjectBetweenTwoRequests) {
  proxy_.add({.skip = 1, .fault = Before{[&](const ServerRequest&) { replace_object("replaced"); }}});
  EXPECT_EQ(get("/o")->body, "0123456789");
  EXPECT_EQ(get("/o")->body, "replaced");
}

TEST_F(ScriptedProxyTest, StripsHeadersOfTheRequest) {
  proxy_.add({.fault = StripRequestHeaders{{"If-Match"}}});
  EXPECT_THAT(get("/mirror", {{"If-Match", "\"e\""}})->body, ::testing::Not(HasSubstr("If-Match")));
  EXPECT_THAT(get("/mirror", {{"If-Match", "\"e\""}})->body, HasSubstr("If-Match"));
}

TEST_F(ScriptedProxyTest, AServerThatIsNotThereIsA502) {
  ScriptedProxy lonely(Upstream{"127.0.0.1", 1});
  EXPECT_EQ(client_.fetch({.url = lonely.url("/")}, {}, {})->status, 502);
}

}  // namespace
}  // namespace slipway::net
