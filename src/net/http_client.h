// An HTTP client: many requests at once over one pool of connections, HTTP/1.1 and 2, on one thread of its own.
//
//   net::HttpClient client({.user_agent = "slipway/0.1"});
//   auto answer = client.fetch({.url = "http://127.0.0.1:8080/x"}, {.max_body = 1 << 20}, stop);
//   if (!answer) ...        no whole answer; the kind says why, see below
//   if (answer->status == 404) ...
//
// What an error's kind means:
//   kUnavailable  no such name, no connection, a connection that was closed or reset, a body cut short
//   kTimeout      no connection in connect_timeout, or no byte sent or received for stall_timeout
//   kCancelled    the stop token was used, or the client goes
//   kInvalid      the request breaks a rule (URL, method, header), or ca_file cannot be read
//   kPermission   the server's certificate is not trusted; the hint says what to set
//   kCorrupt      what came is no HTTP answer, its head is above 128 KiB, or its body is above the limit
// and an error of the receiver's own is handed on as it is. The message names the method and the URL; a query that may
// hold secrets is left out of it.
//
// An answer of any status is a success here; what a status means is the caller's business. A body cut short of its
// Content-Length (or chunked body without its end) is kUnavailable, never a short success. Redirects are not followed:
// a signed request must be signed anew for where it goes. Proxies are taken from the environment (http_proxy,
// https_proxy, no_proxy, as curl does) when the client is made, unless its options say no. Bodies are never
// decompressed: ranges and checksums are of the bytes as stored.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "base/error.h"
#include "net/headers.h"

namespace slipway::net {

struct HttpClientOptions {
  std::string user_agent = "slipway";
  std::string ca_file{};             // empty: the system's
  std::size_t max_connections = 64;  // in all; at least 1
  // Requests under way to one host (scheme, name and port), and so the most connections to it; further ones wait, in
  // order, and that time is no stall. Over HTTP/2 they share a connection.
  std::size_t max_per_host = 16;
  std::chrono::milliseconds connect_timeout{10'000};
  // Whether the environment's proxies are heeded. Not for services of this very machine or its host.
  bool proxies = true;
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
// of the client waits meanwhile, and must not throw in done(). An error from head() or bytes() ends the transfer, and
// is what done() is given.
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
  explicit HttpClient(const HttpClientOptions& options);
  // Ends what is under way: each receiver is told (kCancelled) before the destructor returns. One that starts again
  // when it is told kCancelled keeps the destructor from returning. Not to be called from a receiver.
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
