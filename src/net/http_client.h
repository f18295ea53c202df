// An HTTP client: many requests at once over one pool of connections, HTTP/1.1 and 2, on one thread of its own.
//
//   net::HttpClient client({.user_agent = "slipway/0.1"});
//   auto answer = client.fetch({.url = "http://127.0.0.1:8080/x"}, {.max_body = 1 << 20}, stop);
//   if (!answer) ...        no answer at all: kUnavailable, kTimeout, kCancelled, kInvalid, kCorrupt
//   if (answer->status == 404) ...
//
// An answer of any status is a success here; what a status means is the caller's business. A body cut short of its
// Content-Length (or chunked body without its end) is kUnavailable, never a short success. Redirects are not followed:
// a signed request must be signed anew for where it goes. Proxies are taken from the environment (http_proxy,
// https_proxy, no_proxy, as curl does) when the client is made. Bodies are never decompressed: ranges and checksums are
// of the bytes as stored.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace slipway::net {

// Names are compared without regard to case; order is kept.
class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<std::pair<std::string, std::string>> fields) : fields_(fields) {}

  void add(std::string name, std::string value) { fields_.emplace_back(std::move(name), std::move(value)); }
  // The first of that name.
  [[nodiscard]] std::optional<std::string> get(std::string_view name) const;
  [[nodiscard]] auto begin() const { return fields_.begin(); }
  [[nodiscard]] auto end() const { return fields_.end(); }
  [[nodiscard]] std::size_t size() const { return fields_.size(); }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

struct HttpClientOptions {
  std::string user_agent = "slipway";
  std::string ca_file{};             // empty: the system's
  std::size_t max_connections = 64;  // in all
  std::size_t max_per_host = 16;     // further requests wait for a free one
  std::chrono::milliseconds connect_timeout{10'000};
};

struct HttpRequest {
  std::string method = "GET";
  std::string url{};  // percent-encoded already; sent exactly as it stands (no dot segments are removed)
  Headers headers{};
  std::string body{};
  // No byte sent or received for so long: kTimeout. There is no limit on the total time; use the stop token.
  std::chrono::milliseconds stall_timeout{30'000};
};

struct HttpHead {
  int status = 0;
  Headers headers{};
  int http_version = 0;  // 10, 11, 20
};

struct HttpAnswer : HttpHead {
  std::string body{};
};

// Where an answer goes as it comes. All calls come from the client's thread, one at a time, in order: head once, bytes
// any number of times, done exactly once and last (alone when there was no answer). They must be quick: every transfer
// of the client waits meanwhile. An error from head() or bytes() ends the transfer, and is what done() is given.
class HttpReceiver {
 public:
  HttpReceiver() = default;
  HttpReceiver(const HttpReceiver&) = delete;
  HttpReceiver& operator=(const HttpReceiver&) = delete;
  virtual ~HttpReceiver() = default;

  [[nodiscard]] virtual Result<> head(const HttpHead& head) = 0;
  [[nodiscard]] virtual Result<> bytes(std::span<const std::byte> piece) = 0;
  virtual void done(Result<> how) = 0;
};

struct FetchLimits {
  std::size_t max_body = std::size_t{8} << 20;  // a longer body is kCorrupt
};

// Thread-safe.
class HttpClient {
 public:
  explicit HttpClient(HttpClientOptions options);
  // Ends what is under way: each receiver is told (kCancelled) before the destructor returns.
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Starts a transfer and returns at once. A stop ends it with kCancelled. May be called from a receiver.
  void start(HttpRequest request, std::shared_ptr<HttpReceiver> receiver, std::stop_token stop);

  // Waits for the whole answer. Not to be called from a receiver.
  [[nodiscard]] Result<HttpAnswer> fetch(HttpRequest request, FetchLimits limits, std::stop_token stop);

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace slipway::net
