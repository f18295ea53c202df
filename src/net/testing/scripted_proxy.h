// An HTTP proxy that stands in front of a server and breaks things by a script.
//
//   ScriptedProxy proxy({"127.0.0.1", port});
//   proxy.add({.method = "GET", .path = "/bucket/key", .skip = 1, .times = 2, .fault = CutAt{100}});
//   ... client talks to proxy.url() ...
//   proxy.requests()
//
// What is not broken is forwarded exactly: the target's bytes, the Host header and the order of headers, so that a
// signature still verifies. Each request goes upstream on a connection of its own. Thread-safe.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "net/http_server.h"
#include "net/testing/test_http.h"
#include "sys/mutex.h"

namespace slipway::net {

// N bytes of the body, and then the connection is closed (or reset: bytes on the way may get lost).
struct CutAt {
  std::uint64_t at = 0;
  bool reset = false;
};
// This instead of asking upstream: an error, a redirect, a malformed body.
struct Answer {
  int status = 503;
  Headers headers{};
  std::string body{};
};
// N bytes of the body, and then nothing, until release(); what is left follows then. With `before_head` not even the
// head comes.
struct StallAt {
  std::uint64_t at = 0;
  bool before_head = false;
};
// The body ends after N bytes; Content-Length says N, or `stated` (then the connection is closed, to be noticed).
struct TruncateTo {
  std::uint64_t size = 0;
  std::optional<std::uint64_t> stated{};
};
// The body's byte N comes with its lowest bit turned.
struct FlipAt {
  std::uint64_t at = 0;
};
// Called before the request is forwarded: replaces the object, for example.
struct Before {
  std::function<void(const ServerRequest&)> hook;
};
// Fields of the answer that are left out; one that ends with "*" stands for all that begin so.
struct DropHeaders {
  std::vector<std::string> names;
};
// The same for fields of the request, so that the server never sees them (If-Match). Signed ones break the signature.
struct StripRequestHeaders {
  std::vector<std::string> names;
};

using Fault = std::variant<CutAt, Answer, StallAt, TruncateTo, FlipAt, Before, DropHeaders, StripRequestHeaders>;

// Which requests: of those that match, the first `skip` pass, and the next `times` (-1: all) meet the fault. Several
// rules may act on one request; of several of one kind the first does (of FlipAt, Before, DropHeaders and
// StripRequestHeaders all do).
struct Rule {
  std::string method{};  // empty: any
  std::string path{};    // a part of the path as sent; empty: any
  std::string query{};   // a part of the query; empty: any
  std::string range{};   // the whole Range header, "bytes=0-99"; empty: any
  std::function<bool(const ServerRequest&)> where{};
  int skip = 0;
  int times = 1;
  Fault fault;
};

struct Upstream {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
};

class ScriptedProxy {
 public:
  explicit ScriptedProxy(Upstream upstream);
  explicit ScriptedProxy(Handler handler);  // in front of a server of its own
  ~ScriptedProxy();
  ScriptedProxy(const ScriptedProxy&) = delete;
  ScriptedProxy& operator=(const ScriptedProxy&) = delete;

  void add(Rule rule);
  void clear();    // forgets the rules, not the requests
  void release();  // lets all go on that stall now

  // Until so many requests have stalled since the beginning.
  void wait_for_stalls(int count);

  [[nodiscard]] std::string url(std::string_view path = "") const;
  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::uint64_t connections() const;      // from clients
  [[nodiscard]] std::vector<ServerRequest> requests();  // as they came from clients, in order
  [[nodiscard]] std::size_t count(std::string_view method, std::string_view path_part = "");
  [[nodiscard]] int acted(std::size_t rule);  // how often the rule added as the n-th (from 0) has acted

 private:
  struct Script {
    Rule rule;
    int seen = 0;
    int acted = 0;
  };
  struct Plan;
  class Relay;

  void start();
  void serve(const ServerRequest& request, ResponseWriter& writer);
  [[nodiscard]] Plan plan(const ServerRequest& request);
  void stall(const std::stop_token& stop);

  std::unique_ptr<TestServer> own_upstream_;
  Upstream upstream_;

  sys::Mutex mutex_;
  std::condition_variable changed_;
  std::vector<Script> scripts_ SLIPWAY_GUARDED_BY(mutex_);
  std::vector<ServerRequest> requests_ SLIPWAY_GUARDED_BY(mutex_);
  int stalls_ SLIPWAY_GUARDED_BY(mutex_) = 0;
  int releases_ SLIPWAY_GUARDED_BY(mutex_) = 0;

  std::unique_ptr<TestServer> server_;
};

}  // namespace slipway::net
