// Ends that come from our own side: stop tokens, the destructor; and limits on what runs at once.
#include <algorithm>
#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/http_client.h"
#include "net/socket_stream.h"
#include "net/testing/test_http.h"

namespace slipway::net {
namespace {

// The stall timeout is so long that a stop that is not noticed hangs the test.
HttpRequest get(const std::string& url) { return {.url = url, .stall_timeout = std::chrono::hours(1)}; }

std::optional<ErrorKind> kind(const Result<>& how) { return how ? std::nullopt : std::optional(how.error().kind()); }

class HttpClientStopTest : public ::testing::Test {
 protected:
  std::shared_ptr<RecordingReceiver> start(HttpClient& client, const std::string& url, std::stop_token stop) {
    auto receiver = std::make_shared<RecordingReceiver>();
    client.start(get(url), receiver, std::move(stop));
    return receiver;
  }

  Latch inside_;
  TestServer silent_{[this](const ServerRequest& request, ResponseWriter& answer) {
    if (request.path == "/body") (void)answer.raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
    inside_.open();
    wait_for_stop(request.stop);
  }};
  std::stop_source stop_;
};

TEST_F(HttpClientStopTest, AStopBeforeTheStartSendsNothing) {
  HttpClient client({});
  stop_.request_stop();
  const auto receiver = start(client, silent_.url("/"), stop_.get_token());
  EXPECT_EQ(kind(receiver->wait()), ErrorKind::kCancelled);
  EXPECT_EQ(receiver->calls(), "done");
  EXPECT_EQ(silent_.connections(), 0U);
}

TEST_F(HttpClientStopTest, AStopWhileConnectingCancels) {
  auto listener = listen_at("127.0.0.1", 0, 0);
  ASSERT_TRUE(listener);
  const auto port = local_port(*listener).value();
  const auto filler = connect_to("127.0.0.1", port);  // the backlog is full: no connection is made
  ASSERT_TRUE(filler);
  HttpClient client({.connect_timeout = std::chrono::hours(1)});
  const auto receiver = start(client, fmt::format("http://127.0.0.1:{}/", port), stop_.get_token());
  EXPECT_TRUE(client.fetch({.url = silent_.url("bad url")}, {}, {}).error().kind() == ErrorKind::kInvalid);
  stop_.request_stop();
  EXPECT_EQ(kind(receiver->wait()), ErrorKind::kCancelled);
}

TEST_F(HttpClientStopTest, AStopBeforeTheHeadCancels) {
  HttpClient client({});
  const auto receiver = start(client, silent_.url("/"), stop_.get_token());
  inside_.wait();
  stop_.request_stop();
  EXPECT_EQ(kind(receiver->wait()), ErrorKind::kCancelled);
  EXPECT_EQ(receiver->calls(), "done");
}

TEST_F(HttpClientStopTest, AStopInTheBodyCancels) {
  HttpClient client({});
  Latch got;
  auto receiver = std::make_shared<RecordingReceiver>();
  receiver->on_bytes = [&](auto) {
    got.open();
    return Result<>();
  };
  client.start(get(silent_.url("/body")), receiver, stop_.get_token());
  got.wait();
  stop_.request_stop();
  EXPECT_EQ(kind(receiver->wait()), ErrorKind::kCancelled);
  EXPECT_EQ(receiver->body(), "abc");
}

TEST_F(HttpClientStopTest, AStopWhileWaitingForAConnectionCancels) {
  HttpClient client({.max_per_host = 1});
  const auto first = start(client, silent_.url("/"), {});
  inside_.wait();
  const auto second = start(client, silent_.url("/"), stop_.get_token());
  stop_.request_stop();
  EXPECT_EQ(kind(second->wait()), ErrorKind::kCancelled);
  EXPECT_EQ(silent_.connections(), 1U);
  EXPECT_EQ(first->times_done(), 0);
}

TEST_F(HttpClientStopTest, AStopInsideAReceiverIsTheLastItHears) {
  TestServer server([](const ServerRequest&, ResponseWriter& answer) {
    (void)answer.send(200, {}, std::string(std::size_t{10} << 20, 'x'));
  });
  HttpClient client({});
  auto receiver = std::make_shared<RecordingReceiver>();
  int pieces = 0;
  receiver->on_bytes = [&](auto) {
    ++pieces;
    stop_.request_stop();
    return Result<>();
  };
  client.start(get(server.url("/")), receiver, stop_.get_token());
  EXPECT_EQ(kind(receiver->wait()), ErrorKind::kCancelled);
  EXPECT_EQ(pieces, 1);
}

TEST_F(HttpClientStopTest, AStopInsideDoneOrAfterItIsNothing) {
  TestServer server([](const ServerRequest&, ResponseWriter& answer) { (void)answer.send(200, {}, "x"); });
  HttpClient client({});
  auto receiver = std::make_shared<RecordingReceiver>();
  receiver->on_done = [&](const Result<>&) { stop_.request_stop(); };
  client.start(get(server.url("/")), receiver, stop_.get_token());
  EXPECT_TRUE(receiver->wait());
  EXPECT_TRUE(client.fetch(get(server.url("/")), {}, {}));
}

TEST_F(HttpClientStopTest, AStopCancelsFetch) {
  HttpClient client({});
  std::thread stopper([&] {
    inside_.wait();
    stop_.request_stop();
  });
  const auto answer = client.fetch(get(silent_.url("/")), {}, stop_.get_token());
  stopper.join();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind(), ErrorKind::kCancelled);
}

TEST_F(HttpClientStopTest, TheDestructorTellsEveryReceiver) {
  std::vector<std::shared_ptr<RecordingReceiver>> receivers;
  {
    HttpClient client({.max_per_host = 2});
    for (int i = 0; i < 10; ++i) receivers.push_back(start(client, silent_.url("/body"), stop_.get_token()));
    inside_.wait();
  }
  for (const auto& receiver : receivers) {
    EXPECT_EQ(receiver->times_done(), 1);
    EXPECT_EQ(kind(receiver->wait()), ErrorKind::kCancelled);
  }
  stop_.request_stop();  // the client is gone: nobody is called
}

TEST_F(HttpClientStopTest, AStartFromDoneDuringTheDestructorIsToldToo) {
  auto second = std::make_shared<RecordingReceiver>();
  {
    HttpClient client({});
    auto first = std::make_shared<RecordingReceiver>();
    first->on_done = [&](const Result<>&) { client.start(get(silent_.url("/")), second, {}); };
    client.start(get(silent_.url("/")), first, {});
    inside_.wait();
  }
  EXPECT_EQ(second->times_done(), 1);
  EXPECT_EQ(kind(second->wait()), ErrorKind::kCancelled);
}

TEST_F(HttpClientStopTest, StartsFromDoneGoOn) {
  TestServer server([](const ServerRequest&, ResponseWriter& answer) { (void)answer.send(200, {}, "x"); });
  HttpClient client({});
  Latch finished;
  std::atomic<int> left = 50;
  std::function<void()> next = [&] {
    if (left-- == 0) return finished.open();
    auto receiver = std::make_shared<RecordingReceiver>();
    receiver->on_done = [&](const Result<>& how) {
      EXPECT_TRUE(how);
      next();
    };
    client.start(get(server.url("/")), receiver, {});
  };
  next();
  finished.wait();
  EXPECT_EQ(server.connections(), 1U);
}

TEST_F(HttpClientStopTest, FetchFromAReceiverIsRefusedInsteadOfHanging) {
  TestServer server([](const ServerRequest&, ResponseWriter& answer) { (void)answer.send(200, {}, "x"); });
  HttpClient client({});
  auto receiver = std::make_shared<RecordingReceiver>();
  std::optional<ErrorKind> inner;
  receiver->on_done = [&](const Result<>&) { inner = client.fetch(get(server.url("/")), {}, {}).error().kind(); };
  client.start(get(server.url("/")), receiver, {});
  EXPECT_TRUE(receiver->wait());
  EXPECT_EQ(inner, ErrorKind::kInternal);
}

TEST_F(HttpClientStopTest, StopsRacingAnswersEndEachTransferOnce) {
  TestServer server(
      [](const ServerRequest&, ResponseWriter& answer) { (void)answer.send(200, {}, std::string(9999, 'x')); });
  for (int round = 0; round < 20; ++round) {
    HttpClient client({.max_per_host = 4});
    std::stop_source stop;
    std::vector<std::shared_ptr<RecordingReceiver>> receivers;
    std::thread stopper([&] { stop.request_stop(); });
    for (int i = 0; i < 20; ++i) receivers.push_back(start(client, server.url("/"), stop.get_token()));
    stopper.join();
    for (const auto& receiver : receivers) {
      const auto how = receiver->wait();
      EXPECT_TRUE(how || how.error().kind() == ErrorKind::kCancelled);
      EXPECT_EQ(receiver->times_done(), 1);
      if (how) {
        EXPECT_EQ(receiver->body().size(), 9999U);
      }
    }
  }
}

class Gauge {
 public:
  void enter() {
    const int now = ++inside_;
    int most = most_;
    while (now > most && !most_.compare_exchange_weak(most, now)) {
    }
  }
  void leave() { --inside_; }
  [[nodiscard]] int most() const { return most_; }

 private:
  std::atomic<int> inside_ = 0;
  std::atomic<int> most_ = 0;
};

TEST_F(HttpClientStopTest, ManyRequestsShareFewConnections) {
  Gauge gauge;
  TestServer server(
      [&](const ServerRequest& request, ResponseWriter& answer) {
        gauge.enter();
        (void)answer.send(200, {}, request.path);
        gauge.leave();
      },
      {.max_connections = 16});
  HttpClient client({.max_per_host = 16});
  std::vector<std::shared_ptr<RecordingReceiver>> receivers;
  for (int i = 0; i < 200; ++i) receivers.push_back(start(client, server.url(fmt::format("/{}", i)), {}));
  for (int i = 0; i < 200; ++i) {
    EXPECT_TRUE(receivers[static_cast<std::size_t>(i)]->wait());
    EXPECT_EQ(receivers[static_cast<std::size_t>(i)]->body(), fmt::format("/{}", i));
  }
  EXPECT_LE(server.connections(), 16U);
  EXPECT_LE(gauge.most(), 16);
  EXPECT_GT(gauge.most(), 0);
}

TEST_F(HttpClientStopTest, TheLimitOverAllHostsHoldsAndEveryHostGetsItsTurn) {
  Gauge gauge;
  const Handler handler = [&](const ServerRequest&, ResponseWriter& answer) {
    gauge.enter();
    std::this_thread::yield();
    gauge.leave();
    (void)answer.send(200, {}, "x");
  };
  std::vector<std::unique_ptr<TestServer>> servers;
  for (int i = 0; i < 5; ++i) servers.push_back(std::make_unique<TestServer>(handler));
  HttpClient client({.max_connections = 3, .max_per_host = 2});
  std::vector<std::shared_ptr<RecordingReceiver>> receivers;
  for (int i = 0; i < 20; ++i) {
    for (const auto& server : servers) receivers.push_back(start(client, server->url("/"), {}));
  }
  for (const auto& receiver : receivers) EXPECT_TRUE(receiver->wait());
  EXPECT_LE(gauge.most(), 3);
}

}  // namespace
}  // namespace slipway::net
