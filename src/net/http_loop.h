// The client's thread: it owns curl's multi handle, and everything that happens to a transfer happens on it. Others
// hand it transfers and wishes to stop, and wake it.
//
// How many run at once is decided here and not by curl: curl's own waiting list runs the connect timeout of those that
// wait in it.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <curl/curl.h>

#include "net/http_client.h"
#include "net/transfer.h"
#include "sys/mutex.h"

namespace slipway::net {

class HttpClient::Loop {
 public:
  explicit Loop(const HttpClientOptions& options);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void start(HttpRequest request, std::shared_ptr<HttpReceiver> receiver, std::stop_token stop);
  [[nodiscard]] bool is_this_thread() const { return std::this_thread::get_id() == thread_.get_id(); }

 private:
  struct Host {
    std::size_t active = 0;
    std::deque<std::uint64_t> waiting;  // some may be gone already
  };
  struct Commands {
    std::vector<std::unique_ptr<Transfer>> started;
    std::vector<std::uint64_t> stopped;
  };

  void request_stop(std::uint64_t id);
  [[nodiscard]] bool take_commands(Commands& commands);  // false: the end was asked for

  void run();
  void end_all();
  void accept(std::unique_ptr<Transfer> transfer);
  void admit();
  [[nodiscard]] bool admit_one(Host& host);
  void begin(Transfer& transfer);
  void reap();
  void expire(Transfer::Time now);
  void wait();
  void end(std::uint64_t id, Result<> how);
  void tell();

  TransferSettings settings_;
  const std::size_t max_connections_;
  const std::size_t max_per_host_;
  CURLM* multi_ = nullptr;
  std::atomic<std::uint64_t> next_id_ = 1;

  sys::Mutex mutex_;
  Commands commands_ SLIPWAY_GUARDED_BY(mutex_);
  bool ending_ SLIPWAY_GUARDED_BY(mutex_) = false;
  bool closed_ SLIPWAY_GUARDED_BY(mutex_) = false;  // the thread takes no more

  // The loop's thread alone touches these.
  std::map<std::uint64_t, std::unique_ptr<Transfer>> transfers_;  // not yet ended
  std::map<std::uint64_t, Transfer*> active_;                     // of these, the ones curl works on
  std::map<std::string, Host> hosts_;
  std::string last_host_;  // the one admitted from last: the next one has the next turn
  std::vector<std::pair<std::unique_ptr<Transfer>, Result<>>> ended_;  // whose receivers are still to be told

  std::thread thread_;
};

}  // namespace slipway::net
