#include "net/http_server.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/socket_stream.h"
#include "net/testing/test_http.h"

namespace slipway::net {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

void echo(const ServerRequest& request, ResponseWriter& answer) {
  (void)answer.send(200, {{"X-Target", request.target}}, request.method + " " + request.body);
}

constexpr std::string_view kClosing = "GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";

TEST(HttpServerTest, AnswersWithStatusHeadersAndBody) {
  TestServer server(echo);
  EXPECT_THAT(
      exchange(server.port(), "POST /a?b HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc"),
      AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("X-Target: /a?b\r\n"), HasSubstr("Content-Length: 8\r\n"),
            HasSubstr("Connection: close\r\n"), EndsWith("\r\n\r\nPOST abc")));
}

TEST(HttpServerTest, KeepsTheConnectionAndServesWhatWasSentAhead) {
  TestServer server(echo);
  const auto both = exchange(server.port(), "GET /1 HTTP/1.1\r\nHost: h\r\n\r\n" + std::string(kClosing));
  EXPECT_THAT(both, AllOf(HasSubstr("X-Target: /1\r\n"), HasSubstr("X-Target: /x\r\n")));
  EXPECT_EQ(server.connections(), 1U);
}

TEST(HttpServerTest, OldClientsAreAnsweredAndClosed) {
  TestServer server([](const ServerRequest&, ResponseWriter& answer) {
    (void)answer.begin(200, {}, std::nullopt);
    (void)answer.write("all of it");
  });
  EXPECT_THAT(exchange(server.port(), "GET / HTTP/1.0\r\n\r\n"),
              AllOf(Not(HasSubstr("chunked")), EndsWith("\r\n\r\nall of it")));
}

TEST(HttpServerTest, HeadHasTheLengthAndNoBody) {
  TestServer server(echo);
  EXPECT_THAT(exchange(server.port(), "HEAD / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"),
              AllOf(HasSubstr("Content-Length: 5\r\n"), EndsWith("\r\n\r\n")));
}

TEST(HttpServerTest, StreamsInChunksWhenTheLengthIsNotKnown) {
  TestServer server([](const ServerRequest&, ResponseWriter& answer) {
    (void)answer.begin(200, {}, std::nullopt);
    (void)answer.write("0123456789abcdef");
    (void)answer.write("");
    (void)answer.write("z");
  });
  EXPECT_THAT(exchange(server.port(), kClosing), EndsWith("\r\n\r\n10\r\n0123456789abcdef\r\n1\r\nz\r\n0\r\n\r\n"));
}

TEST(HttpServerTest, ABodyShorterThanPromisedClosesTheConnection) {
  TestServer server([](const ServerRequest&, ResponseWriter& answer) {
    (void)answer.begin(200, {}, 10);
    (void)answer.write("four");
  });
  EXPECT_THAT(exchange(server.port(), "GET / HTTP/1.1\r\nHost: h\r\n\r\n"), EndsWith("\r\n\r\nfour"));
}

TEST(HttpServerTest, ABodyLongerThanPromisedIsNotSent) {
  Result<> written;
  TestServer server([&](const ServerRequest&, ResponseWriter& answer) {
    (void)answer.begin(200, {}, 2);
    written = answer.write("four");
  });
  EXPECT_THAT(exchange(server.port(), kClosing), EndsWith("\r\n\r\n"));
  server.stop();
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind(), ErrorKind::kInvalid);
}

TEST(HttpServerTest, HeadersThatWouldSplitTheAnswerAreNotSent) {
  TestServer server(
      [](const ServerRequest&, ResponseWriter& answer) { (void)answer.send(200, {{"X", "a\r\nSet-Cookie: b"}}, ""); });
  EXPECT_THAT(exchange(server.port(), kClosing), AllOf(StartsWith("HTTP/1.1 500 "), Not(HasSubstr("Set-Cookie"))));
}

TEST(HttpServerTest, AHandlerThatThrowsOrIsSilentGivesA500) {
  TestServer server([](const ServerRequest& request, ResponseWriter&) {
    if (request.path == "/x") throw std::runtime_error("secret");
  });
  EXPECT_THAT(exchange(server.port(), kClosing), AllOf(StartsWith("HTTP/1.1 500 "), Not(HasSubstr("secret"))));
  EXPECT_THAT(exchange(server.port(), "GET / HTTP/1.1\r\nHost: h\r\n\r\n"), StartsWith("HTTP/1.1 500 "));
}

TEST(HttpServerTest, MalformedRequestsAreAnswered400AndClosed) {
  TestServer server(echo);
  EXPECT_THAT(exchange(server.port(), "hello\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(exchange(server.port(), "GET / HTTP/1.1\nHost: h\n\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(exchange(server.port(), "\x16\x03\x01"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(exchange(server.port(), "GET / HTTP/1.1\r\nHost: h\r\nX : y\r\n\r\n" + std::string(kClosing)),
              Not(HasSubstr("X-Target")));
}

TEST(HttpServerTest, LargeHeadsAndBodiesAreRefused) {
  TestServer server(echo, {.max_head_bytes = 1000, .max_body_bytes = 10});
  EXPECT_THAT(exchange(server.port(), "GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(1000, 'x') + "\r\n\r\n"),
              StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(exchange(server.port(), std::string(100'000, 'x')), StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(exchange(server.port(), "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\n\r\n01234567890"),
              StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(
      exchange(server.port(), "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\nConnection: close\r\n\r\n0123456789"),
      StartsWith("HTTP/1.1 200 "));
}

TEST(HttpServerTest, ABodyThatWaitsIsAskedFor) {
  TestServer server(echo);
  EXPECT_EQ(exchange(server.port(), "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n",
                     "Continue\r\n\r\n"),
            "HTTP/1.1 100 Continue\r\n\r\n");
}

TEST(HttpServerTest, ConnectionsAboveTheLimitGetA503) {
  Latch served;
  TestServer server(
      [&](const ServerRequest& request, ResponseWriter&) {
        served.open();
        wait_for_stop(request.stop);
      },
      {.max_connections = 1});
  std::thread first([&] { (void)exchange(server.port(), kClosing); });
  served.wait();
  EXPECT_THAT(exchange(server.port(), ""), StartsWith("HTTP/1.1 503 "));
  server.stop();
  first.join();
}

TEST(HttpServerTest, SlowRequestsAreClosed) {
  TestServer server(echo, {.request_timeout = std::chrono::milliseconds(20)});
  EXPECT_EQ(exchange(server.port(), "GET / HTTP/1.1\r\nHo"), "");
}

TEST(HttpServerTest, IdleConnectionsAreClosed) {
  TestServer server(echo, {.idle_timeout = std::chrono::milliseconds(20)});
  EXPECT_THAT(exchange(server.port(), "GET / HTTP/1.1\r\nHost: h\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
}

TEST(HttpServerTest, StopLetsAnAnswerUnderWayEnd) {
  Latch inside;
  auto server = HttpServer::start({.stop_grace = std::chrono::minutes(1)},
                                  [&](const ServerRequest& request, ResponseWriter& answer) {
                                    inside.open();
                                    wait_for_stop(request.stop);
                                    (void)answer.send(200, {}, "ended well");
                                  });
  ASSERT_TRUE(server);
  std::string got;
  std::thread client([&] { got = exchange((*server)->port(), "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); });
  inside.wait();
  (*server)->stop();
  client.join();
  EXPECT_THAT(got, EndsWith("ended well"));
}

TEST(HttpServerTest, StopClosesIdleConnectionsAndCanComeTwice) {
  auto server = HttpServer::start({.stop_grace = std::chrono::minutes(1)}, echo);
  ASSERT_TRUE(server);
  auto socket = connect_to("127.0.0.1", (*server)->port());
  ASSERT_TRUE(socket);
  SocketStream idle(std::move(*socket), std::chrono::seconds(10));
  ASSERT_TRUE(idle.write("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
  const auto far = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  ASSERT_TRUE(idle.fill(far).value_or(false));
  (*server)->stop();
  (*server)->stop();
  EXPECT_FALSE(connect_to("127.0.0.1", (*server)->port()));
}

TEST(HttpServerTest, AnAddressThatCannotBeListenedAtIsAnError) {
  const auto bad = HttpServer::start({.address = "localhost"}, echo);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().kind(), ErrorKind::kInvalid);
  TestServer server(echo);
  const auto taken = HttpServer::start({.port = server.port()}, echo);
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error().message(), HasSubstr(std::to_string(server.port())));
}

}  // namespace
}  // namespace slipway::net
