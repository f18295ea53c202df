// What tests of HTTP need again and again: a server around a handler, a receiver that keeps what it was told, raw bytes
// to a port.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http_client.h"
#include "net/http_server.h"
#include "sys/mutex.h"

namespace slipway::net {

// A server on a free port of loopback; throws when there is none. It cuts what is under way when it goes.
class TestServer {
 public:
  explicit TestServer(Handler handler, HttpServerOptions options = {});

  [[nodiscard]] std::string url(std::string_view path = "") const { return server_->url() + std::string(path); }
  [[nodiscard]] std::uint16_t port() const { return server_->port(); }
  [[nodiscard]] std::uint64_t connections() const { return server_->connections(); }
  void stop() { server_->stop(); }

 private:
  std::unique_ptr<HttpServer> server_;
};

// Sends `bytes` to a port of loopback and reads until the other side closes, or `until` was read.
[[nodiscard]] std::string exchange(std::uint16_t port, std::string_view bytes, std::string_view until = "");

// Waits until the server has stopped or the client's wish came: for handlers that never answer.
void wait_for_stop(const std::stop_token& stop);

// Something that happens once, and can be waited for.
class Latch {
 public:
  void open();
  void wait();
  [[nodiscard]] bool is_open();

 private:
  sys::Mutex mutex_;
  std::condition_variable changed_;
  bool open_ SLIPWAY_GUARDED_BY(mutex_) = false;
};

// Keeps all it is told. `on_bytes` and `on_done` are called from the client's thread. Read the rest after wait().
class RecordingReceiver : public HttpReceiver {
 public:
  std::function<Result<>(const HttpHead&)> on_head{};
  std::function<Result<>(std::span<const std::byte>)> on_bytes{};
  std::function<void(const Result<>&)> on_done{};

  [[nodiscard]] Result<> head(const HttpHead& head) override;
  [[nodiscard]] Result<> bytes(std::span<const std::byte> piece) override;
  void done(Result<> how) override;

  // Until done() was called; what it was given.
  [[nodiscard]] Result<> wait();
  // "head bytes done", each kind of call once however often it came in a row.
  [[nodiscard]] const std::string& calls() const { return calls_; }
  [[nodiscard]] const HttpHead& answer_head() const { return head_; }
  [[nodiscard]] const std::string& body() const { return body_; }
  [[nodiscard]] int times_done() const { return times_done_; }

 private:
  void note(std::string_view call);

  HttpHead head_;
  std::string body_;
  std::string calls_;
  std::string_view last_call_;
  int times_done_ = 0;
  Result<> how_;
  Latch finished_;
};

}  // namespace slipway::net
