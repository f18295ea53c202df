// A small HTTP/1.1 server: a thread for each connection, a handler for all requests.
//
//   auto server = net::HttpServer::start({.port = 8080}, [](const ServerRequest& request, ResponseWriter& answer) {
//     (void)answer.send(200, {{"Content-Type", "text/plain"}}, "hello\n");   // the error: the other side has gone
//   });
//
// Everything that comes from outside is bounded: connections (503), heads (431), bodies (413), and the time that a
// request may take to come in. Malformed requests are answered 400 and the connection is closed. Requests' bodies come
// with Content-Length; chunked ones are refused (501). Connections are kept for further requests.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/error.h"
#include "net/headers.h"
#include "net/http_parse.h"

namespace slipway::net {

struct ServerRequest : RequestHead {
  std::string body{};
  std::stop_token stop{};  // the server is to stop: a handler that waits must come back
};

class SocketStream;

// The answer to one request. Used by the handler's thread only, until the handler returns. A handler that returns
// without an answer, or throws before it began one, gives a 500. Errors: kUnavailable or kTimeout when the other side
// has gone (just return then), kInvalid when the headers cannot be sent, kConflict when the calls come out of order.
class ResponseWriter {
 public:
  ResponseWriter(SocketStream& stream, const RequestHead& request);
  ResponseWriter(const ResponseWriter&) = delete;
  ResponseWriter& operator=(const ResponseWriter&) = delete;

  // The whole answer. Content-Length is added; of a HEAD request's answer the body is not sent.
  [[nodiscard]] Result<> send(int status, const Headers& headers, std::string_view body);

  // A streamed answer: begin, write as often as wanted, finish. With no `length` it is chunked (to HTTP/1.0: ended by
  // closing). One that ends before its length closes the connection, so that the other side knows.
  [[nodiscard]] Result<> begin(int status, const Headers& headers, std::optional<std::uint64_t> length);
  [[nodiscard]] Result<> write(std::string_view piece);
  [[nodiscard]] Result<> finish();

  // For servers that misbehave on purpose: bytes as they are, instead of or in the middle of an answer. The connection
  // is closed after the handler.
  [[nodiscard]] Result<> raw(std::string_view bytes);
  void close_after();  // closes the connection after the handler, complete or not
  void reset_after();  // the same, with a reset

  [[nodiscard]] bool begun() const { return begun_; }

 private:
  friend class ServerConnection;

  SocketStream& stream_;
  const bool head_only_;
  const bool old_;  // HTTP/1.0
  bool keep_ = true;
  bool begun_ = false;
  bool finished_ = false;
  bool bodiless_ = false;
  bool chunked_ = false;
  std::optional<std::uint64_t> left_{};  // of the length promised
};

using Handler = std::function<void(const ServerRequest&, ResponseWriter&)>;

struct HttpServerOptions {
  std::string address = "127.0.0.1";  // numeric
  std::uint16_t port = 0;             // 0: a free one
  std::size_t max_connections = 64;
  std::size_t max_head_bytes = std::size_t{64} << 10;
  std::size_t max_body_bytes = std::size_t{1} << 20;
  std::chrono::milliseconds idle_timeout{60'000};     // between two requests
  std::chrono::milliseconds request_timeout{30'000};  // for a request to come in, and for an answer to be taken on
  std::chrono::milliseconds stop_grace{5'000};        // for answers under way when the server stops
};

// Thread-safe. The handler is called by many threads at once.
class HttpServer {
 public:
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> start(HttpServerOptions options, Handler handler);
  ~HttpServer();  // stop()
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Takes no more connections, closes the idle ones, lets answers under way end (stop_grace, then they are cut), and
  // returns when every handler has returned. Not to be called from a handler.
  void stop();

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::string url() const;            // "http://127.0.0.1:8080"
  [[nodiscard]] std::uint64_t connections() const;  // accepted so far

 private:
  class Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace slipway::net
