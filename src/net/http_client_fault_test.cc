// What servers and networks do wrong.
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/http_client.h"
#include "net/socket_stream.h"
#include "net/testing/test_http.h"

namespace slipway::net {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

class HttpClientFaultTest : public ::testing::Test {
 protected:
  // What comes of a GET when the server answers with these bytes and closes.
  std::shared_ptr<RecordingReceiver> answered_with(const std::string& bytes, bool reset = false) {
    TestServer server([&](const ServerRequest&, ResponseWriter& answer) {
      (void)answer.raw(bytes);
      if (reset) answer.reset_after();
    });
    return get(server.url("/"));
  }
  std::shared_ptr<RecordingReceiver> get(const std::string& url, milliseconds stall = milliseconds(30'000)) {
    auto receiver = std::make_shared<RecordingReceiver>();
    client_.start({.url = url, .stall_timeout = stall}, receiver, {});
    how_ = receiver->wait();
    EXPECT_EQ(receiver->times_done(), 1);
    return receiver;
  }
  std::optional<ErrorKind> kind() const { return how_ ? std::nullopt : std::optional(how_.error().kind()); }

  HttpClient client_{{.connect_timeout = milliseconds(100)}};
  Result<> how_;
};

TEST_F(HttpClientFaultTest, ABodyCutShortIsUnavailableAndItsBytesAreExact) {
  const auto receiver = answered_with("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + std::string(54321, 'x'));
  EXPECT_EQ(kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(receiver->body().size(), 54321U);
  EXPECT_EQ(receiver->calls(), "head bytes done");
}

TEST_F(HttpClientFaultTest, ABodyLongerThanItsLengthIsCutAtIt) {
  const auto receiver = answered_with("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef");
  EXPECT_TRUE(how_);
  EXPECT_EQ(receiver->body(), "abc");
}

TEST_F(HttpClientFaultTest, AChunkedBodyWithoutItsEndIsUnavailable) {
  const auto receiver = answered_with("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  EXPECT_EQ(kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(receiver->body(), "abc");
  answered_with("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc");
  EXPECT_EQ(kind(), ErrorKind::kUnavailable);
}

TEST_F(HttpClientFaultTest, MalformedChunksAreNoSuccess) {
  answered_with("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n0\r\n\r\n");
  EXPECT_FALSE(how_);
}

TEST_F(HttpClientFaultTest, NoAnswerAtAllIsUnavailable) {
  const auto receiver = answered_with("");
  EXPECT_EQ(kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(receiver->calls(), "done");
  answered_with("", /*reset=*/true);
  EXPECT_EQ(kind(), ErrorKind::kUnavailable);
}

TEST_F(HttpClientFaultTest, AnAnswerThatEndsInItsHeadIsNoSuccess) {
  const auto receiver = answered_with("HTTP/1.1 200 OK\r\nContent-Le");
  EXPECT_FALSE(how_);
  EXPECT_EQ(receiver->calls(), "done");
  answered_with("HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_FALSE(how_);
}

TEST_F(HttpClientFaultTest, WhatIsNoHttpIsCorrupt) {
  for (const auto* garbage :
       {"SSH-2.0-OpenSSH_9.2\r\n", "garbage garbage garbage garbage\r\n\r\nmore", "HTTP/1.1 abc OK\r\n\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon here\r\n\r\n",
        "HTTP/1.1 200 OK\r\nBad Name: x\r\n\r\n", "HTTP/1.1 200 OK\r\nX: a\x01z\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n"}) {
    const auto receiver = answered_with(garbage);
    EXPECT_EQ(kind(), ErrorKind::kCorrupt) << garbage << (how_ ? "" : how_.error().describe());
    EXPECT_EQ(receiver->calls(), "done") << garbage;
  }
  using namespace std::string_literals;
  answered_with("HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n"s);
  EXPECT_EQ(kind(), ErrorKind::kCorrupt);
}

TEST_F(HttpClientFaultTest, HugeHeadsAreCorrupt) {
  std::string many = "HTTP/1.1 200 OK\r\n";
  while (many.size() < 200'000) many += "X-Field: some value that is not short\r\n";
  answered_with(many + "\r\n");
  EXPECT_EQ(kind(), ErrorKind::kCorrupt);
  EXPECT_THAT(how_.error().message(), HasSubstr("head"));
  answered_with("HTTP/1.1 200 OK\r\nX: " + std::string(1'000'000, 'x') + "\r\n\r\n");
  EXPECT_FALSE(how_);
}

TEST_F(HttpClientFaultTest, AReceiversErrorEndsTheTransferAndIsHandedOnAsItIs) {
  TestServer server([](const ServerRequest&, ResponseWriter& answer) {
    (void)answer.send(200, {}, std::string(std::size_t{10} << 20, 'x'));
  });
  const Error full = Error(ErrorKind::kNoSpace, "disk full").with_hint("buy one");
  for (const bool at_head : {true, false}) {
    auto receiver = std::make_shared<RecordingReceiver>();
    if (at_head) {
      receiver->on_head = [&](const HttpHead&) { return fail(full); };
    } else {
      receiver->on_bytes = [&](auto) { return fail(full); };
    }
    client_.start({.url = server.url("/")}, receiver, {});
    const auto how = receiver->wait();
    ASSERT_FALSE(how);
    EXPECT_EQ(how.error(), full);
    EXPECT_EQ(receiver->calls(), at_head ? "head done" : "head bytes done");
    EXPECT_LT(receiver->body().size(), std::size_t{1} << 20);
  }
}

TEST_F(HttpClientFaultTest, AReceiverThatThrowsEndsItsTransferOnly) {
  TestServer server([](const ServerRequest&, ResponseWriter& answer) { (void)answer.send(200, {}, "body"); });
  auto receiver = std::make_shared<RecordingReceiver>();
  receiver->on_bytes = [](auto) -> Result<> { throw std::runtime_error("oops"); };
  client_.start({.url = server.url("/")}, receiver, {});
  const auto how = receiver->wait();
  ASSERT_FALSE(how);
  EXPECT_EQ(how.error().kind(), ErrorKind::kInternal);
  EXPECT_TRUE(client_.fetch({.url = server.url("/")}, {}, {}));
}

TEST_F(HttpClientFaultTest, RefusedConnectionsAndUnknownNamesAreUnavailable) {
  auto listener = listen_at("127.0.0.1", 0, 1);
  ASSERT_TRUE(listener);
  const auto port = local_port(*listener).value();
  *listener = {};
  get(fmt::format("http://127.0.0.1:{}/", port));
  EXPECT_EQ(kind(), ErrorKind::kUnavailable);
  get("http://no-such-host.invalid/");
  EXPECT_TRUE(kind() == ErrorKind::kUnavailable || kind() == ErrorKind::kTimeout) << how_.error().describe();
}

// A listener whose backlog is full answers no SYN: a connection is neither made nor refused.
TEST_F(HttpClientFaultTest, NoConnectionInTimeIsATimeout) {
  auto listener = listen_at("127.0.0.1", 0, 0);
  ASSERT_TRUE(listener);
  const auto port = local_port(*listener).value();
  const auto filler = connect_to("127.0.0.1", port);
  ASSERT_TRUE(filler);
  get(fmt::format("http://127.0.0.1:{}/", port));
  EXPECT_EQ(kind(), ErrorKind::kTimeout);
  EXPECT_THAT(how_.error().message(), HasSubstr("no connection within 100 ms"));
}

TEST_F(HttpClientFaultTest, SilenceIsATimeoutWhereverItBegins) {
  TestServer server([](const ServerRequest& request, ResponseWriter& answer) {
    if (request.path == "/head") (void)answer.raw("HTTP/1.1 200 OK\r\nX: ");
    if (request.path == "/body") (void)answer.raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
    wait_for_stop(request.stop);
  });
  for (const auto* path : {"/", "/head", "/body"}) {
    const auto receiver = get(server.url(path), milliseconds(50));
    EXPECT_EQ(kind(), ErrorKind::kTimeout) << path;
    EXPECT_THAT(how_.error().message(), HasSubstr("no byte sent or received for 50 ms"));
    EXPECT_EQ(receiver->body(), std::string_view(path) == "/body" ? "abc" : "");
  }
}

TEST_F(HttpClientFaultTest, AServerThatTakesNoBodyIsATimeout) {
  auto listener = listen_at("127.0.0.1", 0, 5);
  ASSERT_TRUE(listener);
  const auto url = fmt::format("http://127.0.0.1:{}/", local_port(*listener).value());
  const auto answer = client_.fetch({.method = "PUT",
                                     .url = url,
                                     .body = std::string(std::size_t{64} << 20, 'x'),
                                     .stall_timeout = milliseconds(100)},
                                    {}, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind(), ErrorKind::kTimeout);
}

// Bytes come all the time, but the whole takes several times the stall timeout.
TEST_F(HttpClientFaultTest, SlowProgressIsNoStall) {
  TestServer server([](const ServerRequest&, ResponseWriter& answer) {
    (void)answer.begin(200, {}, 20);
    for (int i = 0; i < 20; ++i) {
      std::this_thread::sleep_for(milliseconds(50));
      (void)answer.write("x");
    }
  });
  const auto receiver = get(server.url("/"), milliseconds(400));
  EXPECT_TRUE(how_) << how_.error().describe();
  EXPECT_EQ(receiver->body().size(), 20U);
}

// The transfer that waits is not stalled: it has not begun.
TEST_F(HttpClientFaultTest, WaitingForAFreeConnectionIsNoStall) {
  HttpClient narrow({.max_per_host = 1, .connect_timeout = milliseconds(200)});
  TestServer server([](const ServerRequest&, ResponseWriter& answer) {
    (void)answer.begin(200, {}, 10);
    for (int i = 0; i < 10; ++i) {
      std::this_thread::sleep_for(milliseconds(60));
      (void)answer.write("x");
    }
  });
  std::vector<std::shared_ptr<RecordingReceiver>> receivers;
  for (int i = 0; i < 2; ++i) {
    receivers.push_back(std::make_shared<RecordingReceiver>());
    narrow.start({.url = server.url("/"), .stall_timeout = milliseconds(400)}, receivers.back(), {});
  }
  for (const auto& receiver : receivers) EXPECT_TRUE(receiver->wait());
  EXPECT_EQ(server.connections(), 1U);
}

// What had come before the receiver of another transfer took its time is read before a stall is judged.
TEST_F(HttpClientFaultTest, ASlowReceiverStallsNoOtherTransfer) {
  TestServer server(
      [](const ServerRequest& request, ResponseWriter& answer) { (void)answer.send(200, {}, request.path); });
  std::vector<std::shared_ptr<RecordingReceiver>> receivers;
  for (int i = 0; i < 4; ++i) {
    auto receiver = std::make_shared<RecordingReceiver>();
    receiver->on_head = [](const HttpHead&) {
      std::this_thread::sleep_for(milliseconds(150));
      return Result<>();
    };
    client_.start({.url = server.url("/"), .stall_timeout = milliseconds(100)}, receiver, {});
    receivers.push_back(receiver);
  }
  for (const auto& receiver : receivers) EXPECT_TRUE(receiver->wait());
}

}  // namespace
}  // namespace slipway::net
