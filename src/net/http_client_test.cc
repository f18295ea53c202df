#include "net/http_client.h"

#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/testing/test_http.h"

namespace slipway::net {
namespace {

using ::testing::HasSubstr;

// The request as the server saw it, as the body of the answer.
void mirror(const ServerRequest& request, ResponseWriter& answer) {
  std::string body = request.method + " " + request.target + "\n";
  for (const auto& [name, value] : request.headers) body += name + ": " + value + "\n";
  (void)answer.send(200, {{"X-Answer", "yes"}}, body + "\n" + request.body);
}

class HttpClientTest : public ::testing::Test {
 protected:
  HttpAnswer fetch(HttpRequest request) {
    auto answer = client_.fetch(std::move(request), {}, {});
    EXPECT_TRUE(answer) << answer.error().describe();
    return answer.value_or(HttpAnswer{});
  }
  ErrorKind failure(HttpRequest request) {
    const auto answer = client_.fetch(std::move(request), {}, {});
    EXPECT_FALSE(answer);
    return answer ? ErrorKind::kInternal : answer.error().kind();
  }

  HttpClient client_{{.user_agent = "test/1"}};
};

TEST_F(HttpClientTest, GetsStatusHeadersAndBody) {
  TestServer server(mirror);
  const auto answer = fetch({.url = server.url("/x"), .headers = {{"X-Ask", "a b"}, {"X-Empty", ""}}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.http_version, 11);
  EXPECT_EQ(answer.headers.get("x-answer"), "yes");
  EXPECT_THAT(answer.body, HasSubstr("GET /x\n"));
  EXPECT_THAT(answer.body, HasSubstr("X-Ask: a b\n"));
  EXPECT_THAT(answer.body, HasSubstr("X-Empty: \n"));
  EXPECT_THAT(answer.body, HasSubstr("User-Agent: test/1\n"));
}

TEST_F(HttpClientTest, TheUrlIsSentAsItStands) {
  TestServer server(mirror);
  for (const auto* target : {"/", "/a/../b", "/./c//d/", "/%2e%2E/%2f?x=%2F&y=a+b&z", "/k?", "/a?b?c=/../d",
                             "/~!$&'()*,;=:@", "/{a}|^`\"<>\\"}) {
    EXPECT_THAT(fetch({.url = server.url(target)}).body, HasSubstr("GET " + std::string(target) + "\n"));
  }
}

TEST_F(HttpClientTest, MethodsAndBodiesAreSent) {
  TestServer server(mirror);
  for (const auto* method : {"POST", "PUT", "PATCH", "DELETE", "GET", "REPORT"}) {
    const auto answer = fetch({.method = method, .url = server.url("/"), .body = "some body"});
    EXPECT_THAT(answer.body, HasSubstr(std::string(method) + " /\n"));
    EXPECT_THAT(answer.body, HasSubstr("Content-Length: 9\n"));
    EXPECT_THAT(answer.body, ::testing::EndsWith("\n\nsome body"));
    EXPECT_THAT(answer.body, ::testing::Not(HasSubstr("Content-Type")));
  }
  EXPECT_THAT(fetch({.method = "PUT", .url = server.url("/")}).body, HasSubstr("Content-Length: 0\n"));
  EXPECT_THAT(fetch({.method = "DELETE", .url = server.url("/")}).body, HasSubstr("DELETE /\n"));
}

TEST_F(HttpClientTest, ALargeBodyIsSentWhole) {
  TestServer server([](const ServerRequest& request,
                       ResponseWriter& answer) { (void)answer.send(200, {}, std::to_string(request.body.size())); },
                    {.max_body_bytes = std::size_t{64} << 20});
  EXPECT_EQ(fetch({.method = "PUT", .url = server.url("/"), .body = std::string(std::size_t{20} << 20, 'x')}).body,
            std::to_string(std::size_t{20} << 20));
}

TEST_F(HttpClientTest, HeadHasALengthAndNoBody) {
  TestServer server(mirror);
  const auto answer = fetch({.method = "HEAD", .url = server.url("/")});
  EXPECT_TRUE(answer.headers.get("Content-Length"));
  EXPECT_EQ(answer.body, "");
}

TEST_F(HttpClientTest, AnyStatusIsAnAnswerAndRedirectsAreNotFollowed) {
  TestServer server([](const ServerRequest& request, ResponseWriter& answer) {
    const int status = std::stoi(request.path.substr(1));
    (void)answer.send(status, {{"Location", "/200"}, {"WWW-Authenticate", "Basic"}}, status == 304 ? "" : "why");
  });
  for (const int status : {204, 301, 304, 307, 401, 404, 500, 503}) {
    const auto answer = fetch({.url = server.url(fmt::format("/{}", status))});
    EXPECT_EQ(answer.status, status);
    EXPECT_EQ(answer.body, status == 204 || status == 304 ? "" : "why");
  }
}

TEST_F(HttpClientTest, BodiesAreNotDecompressed) {
  const std::string stored = "\x1f\x8b not really gzip";
  TestServer server([&](const ServerRequest&, ResponseWriter& answer) {
    (void)answer.send(200, {{"Content-Encoding", "gzip"}}, stored);
  });
  EXPECT_EQ(fetch({.url = server.url("/")}).body, stored);
}

TEST_F(HttpClientTest, InterimAnswersAndTrailersAreNotShown) {
  TestServer server([](const ServerRequest&, ResponseWriter& answer) {
    (void)answer.raw(
        "HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        "2\r\nok\r\n0\r\nX-Late: 1\r\n\r\n");
  });
  const auto answer = fetch({.url = server.url("/")});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "ok");
  EXPECT_EQ(answer.headers.get("X-Early"), std::nullopt);
  EXPECT_EQ(answer.headers.get("X-Late"), std::nullopt);
}

TEST_F(HttpClientTest, RequestsThatBreakARuleAreInvalidAndNotSent) {
  TestServer server(mirror);
  const auto url = server.url("/");
  using namespace std::string_literals;
  EXPECT_EQ(failure({.url = url + "\r\nX: y"}), ErrorKind::kInvalid);
  EXPECT_EQ(failure({.url = "ftp://127.0.0.1/"}), ErrorKind::kInvalid);
  EXPECT_EQ(failure({.url = "nonsense"}), ErrorKind::kInvalid);
  EXPECT_EQ(failure({.method = "GET /x", .url = url}), ErrorKind::kInvalid);
  EXPECT_EQ(failure({.method = "", .url = url}), ErrorKind::kInvalid);
  EXPECT_EQ(failure({.method = "CONNECT", .url = url}), ErrorKind::kInvalid);
  EXPECT_EQ(failure({.method = "HEAD", .url = url, .body = "x"}), ErrorKind::kInvalid);
  EXPECT_EQ(failure({.url = url, .headers = {{"X", "a\r\nY: b"}}}), ErrorKind::kInvalid);
  EXPECT_EQ(failure({.url = url, .headers = {{"X", "a\0b"s}}}), ErrorKind::kInvalid);
  EXPECT_EQ(failure({.url = url, .headers = {{"X: y\r\nZ", "a"}}}), ErrorKind::kInvalid);
  EXPECT_EQ(failure({.url = url, .headers = {{"", "a"}}}), ErrorKind::kInvalid);
  EXPECT_EQ(failure({.url = url, .headers = {{"Content-Length", "3"}}}), ErrorKind::kInvalid);
  EXPECT_EQ(failure({.url = url, .headers = {{"Transfer-Encoding", "chunked"}}}), ErrorKind::kInvalid);
  EXPECT_EQ(server.connections(), 0U);
}

TEST_F(HttpClientTest, AConnectionServesManyRequests) {
  TestServer server(mirror);
  for (int i = 0; i < 20; ++i) fetch({.url = server.url("/")});
  EXPECT_EQ(server.connections(), 1U);
}

TEST_F(HttpClientTest, AKeptConnectionThatTheServerClosedIsReplaced) {
  std::atomic<int> served = 0;
  TestServer server([&](const ServerRequest&, ResponseWriter& answer) {
    ++served;
    (void)answer.raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");  // and closes, without a word
  });
  for (int i = 0; i < 10; ++i) EXPECT_EQ(fetch({.url = server.url("/")}).body, "ok");
  EXPECT_EQ(served, 10);
}

TEST_F(HttpClientTest, ABodyAboveTheLimitIsCorrupt) {
  TestServer server([](const ServerRequest& request, ResponseWriter& answer) {
    if (request.path == "/chunked") {
      (void)answer.begin(200, {}, std::nullopt);
      (void)answer.write(std::string(1001, 'x'));
    } else {
      (void)answer.send(200, {}, std::string(1001, 'x'));
    }
  });
  for (const auto* path : {"/", "/chunked"}) {
    const auto over = client_.fetch({.url = server.url(path)}, {.max_body = 1000}, {});
    ASSERT_FALSE(over);
    EXPECT_EQ(over.error().kind(), ErrorKind::kCorrupt);
    EXPECT_THAT(over.error().message(), HasSubstr("1000 bytes"));
    const auto exact = client_.fetch({.url = server.url(path)}, {.max_body = 1001}, {});
    ASSERT_TRUE(exact);
    EXPECT_EQ(exact->body.size(), 1001U);
  }
}

TEST_F(HttpClientTest, ErrorsNameTheRequestButNoSecrets) {
  const auto answer = client_.fetch({.url = "http://127.0.0.1:1/bucket/key?X-Amz-Signature=abcdef"}, {}, {});
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().describe(), HasSubstr("GET http://127.0.0.1:1/bucket/key"));
  EXPECT_THAT(answer.error().describe(), ::testing::Not(HasSubstr("abcdef")));
}

TEST_F(HttpClientTest, SharesItsConnectionsBetweenThreads) {
  TestServer server(mirror);
  std::vector<std::jthread> threads;
  std::atomic<int> good = 0;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 25; ++i) {
        if (client_.fetch({.url = server.url("/")}, {}, {})) ++good;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(good, 200);
  EXPECT_LE(server.connections(), 8U);
}

}  // namespace
}  // namespace slipway::net
