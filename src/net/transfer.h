// One request on its way, as the client's loop sees it: its curl handle, how far its answer has come, and when it
// counts as stalled. All but the constructor and the stop belongs to the loop's thread.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include <curl/curl.h>

#include "base/error.h"
#include "net/http_client.h"
#include "net/http_url.h"

namespace slipway::net {

struct TransferSettings {
  std::string user_agent{};
  std::string ca_file{};
  std::chrono::milliseconds connect_timeout{};
  ProxySettings proxies{};
  CURLSH* share = nullptr;
};

class Transfer {
 public:
  using Time = std::chrono::steady_clock::time_point;

  Transfer(std::uint64_t id, HttpRequest request, std::shared_ptr<HttpReceiver> receiver, std::stop_token stop,
           std::function<void()> on_stop);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  // The rules of the request. Before anything else.
  [[nodiscard]] Result<> check();
  // Makes the handle; the time for connecting begins. `settings` must outlive this.
  [[nodiscard]] Result<> prepare(const TransferSettings& settings);

  [[nodiscard]] std::uint64_t id() const { return id_; }
  [[nodiscard]] const std::string& origin() const { return origin_.key; }
  [[nodiscard]] bool stopped() const { return stop_.stop_requested(); }
  [[nodiscard]] CURL* handle() const { return handle_; }
  [[nodiscard]] Time deadline() const;

  [[nodiscard]] Result<> outcome(CURLcode code) const;
  [[nodiscard]] Error timed_out() const;
  [[nodiscard]] Error cancelled() const;

  // Lets go of the handle (which no multi handle may know any more) and tells the receiver. Once.
  void finish(Result<> how);

 private:
  enum class Stage : std::uint8_t { kStatusLine, kFields, kBody };

  static std::size_t on_header(const char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t on_body(const char* data, std::size_t size, std::size_t count, void* self);
  static int on_request(void* self, char*, char*, int, int);
  static int on_progress(void* self, curl_off_t, curl_off_t received, curl_off_t, curl_off_t sent);

  template <class T>
  void set(CURLoption option, T value);
  void set_target(const TransferSettings& settings);
  void set_request();
  void set_callbacks();
  void add_header(const std::string& name, const std::string& value);

  [[nodiscard]] Result<> take_header(std::string_view line);
  [[nodiscard]] Result<> take_status_line(std::string_view line);
  [[nodiscard]] Result<> end_of_head();
  [[nodiscard]] Result<> take_body(const char* data, std::size_t size);
  template <class Step>
  [[nodiscard]] std::size_t guarded(std::size_t size, Step step);
  [[nodiscard]] std::string doing() const;
  void progressed() { last_progress_ = std::chrono::steady_clock::now(); }

  const std::uint64_t id_;
  const HttpRequest request_;
  const std::shared_ptr<HttpReceiver> receiver_;
  const std::stop_token stop_;
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
  Origin origin_;

  const TransferSettings* settings_ = nullptr;
  CURL* handle_ = nullptr;
  curl_slist* header_list_ = nullptr;
  CURLcode set_error_ = CURLE_OK;
  std::array<char, CURL_ERROR_SIZE> detail_{};

  Stage stage_ = Stage::kStatusLine;
  HttpHead head_;
  std::size_t head_bytes_ = 0;
  std::optional<Error> failure_;  // of the receiver, or of a callback here: it ended the transfer
  bool connected_ = false;        // the request began to be sent
  curl_off_t moved_ = 0;          // bytes of bodies, both ways
  Time last_progress_{};
};

}  // namespace slipway::net
