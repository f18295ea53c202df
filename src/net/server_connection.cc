#include "net/server_connection.h"

#include <algorithm>
#include <exception>
#include <utility>

#include <sys/socket.h>

namespace slipway::net {
namespace {

using std::chrono::steady_clock;

// How much of a refused request is read and dropped: closing with bytes unread would reset the connection, and the
// other side might never see why.
constexpr std::size_t kDrainBytes = std::size_t{1} << 20;
constexpr std::chrono::milliseconds kDrainTime{1'000};

}  // namespace

ServerConnection::ServerConnection(sys::Descriptor socket, const HttpServerOptions& options, const Handler& handler,
                                   std::stop_token stop)
    : options_(options),
      handler_(handler),
      stop_(std::move(stop)),
      stream_(std::move(socket), options.request_timeout) {}

void ServerConnection::serve() {
  while (serve_one() == Next::kGoOn) {
  }
}

void ServerConnection::stop_reading() { stream_.shut_down(SHUT_RD); }

void ServerConnection::cut() { stream_.shut_down(SHUT_RDWR); }

void ServerConnection::close() { stream_.close(); }

ServerConnection::Next ServerConnection::serve_one() {
  std::string text;
  Deadline deadline;
  if (!read_head(text, deadline)) return Next::kClose;
  auto head = parse_request_head(text);
  if (!head) {
    refuse(head.error());
    return Next::kClose;
  }
  ServerRequest request{std::move(*head)};
  request.stop = stop_;
  if (request.content_length > options_.max_body_bytes) {
    refuse({413, fmt::format("the body is above {} bytes", options_.max_body_bytes)});
    return Next::kClose;
  }
  if (!read_body(request, deadline)) return Next::kClose;
  return answer(request);
}

// False: nothing more to serve. `deadline` is when the whole request must be there.
bool ServerConnection::read_head(std::string& head, Deadline& deadline) {
  std::size_t searched = 0;
  deadline = steady_clock::now() + options_.request_timeout;
  while (true) {
    const auto have = stream_.buffered();
    const auto end = have.find("\r\n\r\n", searched);
    if (std::min(end, have.size()) > options_.max_head_bytes) {
      refuse({431, fmt::format("the head is above {} bytes", options_.max_head_bytes)});
      return false;
    }
    if (end != std::string_view::npos) {
      head = have.substr(0, end + 4);
      stream_.take(end + 4);
      return true;
    }
    const bool no_method = !have.empty() && !is_token(have.substr(0, 1));  // such as a TLS greeting
    if (no_method || have.contains("\n\n")) {
      refuse({400, no_method ? "this is no HTTP request" : "lines must end with CR LF"});
      return false;
    }
    const bool idle = have.empty();
    searched = have.size() < 3 ? 0 : have.size() - 3;
    if (idle && stop_.stop_requested()) return false;
    auto more = stream_.fill(idle ? steady_clock::now() + options_.idle_timeout : deadline);
    if (!more || !*more) return false;
    if (idle) deadline = steady_clock::now() + options_.request_timeout;
  }
}

bool ServerConnection::read_body(ServerRequest& request, Deadline deadline) {
  if (request.content_length == 0) return true;
  const auto expect = request.headers.get("Expect");
  if (expect && equal_ignoring_case(*expect, "100-continue") && stream_.buffered().empty()) {
    if (!stream_.write("HTTP/1.1 100 Continue\r\n\r\n")) return false;
  }
  while (true) {
    const auto piece = stream_.buffered().substr(0, request.content_length - request.body.size());
    request.body += piece;
    stream_.take(piece.size());
    if (request.body.size() == request.content_length) return true;
    auto more = stream_.fill(deadline);
    if (!more || !*more) return false;
  }
}

ServerConnection::Next ServerConnection::answer(const ServerRequest& request) {
  ResponseWriter writer(stream_, request);
  if (stop_.stop_requested()) writer.keep_ = false;
  bool thrown = false;
  try {
    handler_(request, writer);
  } catch (const std::exception&) {
    thrown = true;
  }
  if (!writer.begun_) {
    writer.keep_ = false;
    if (!writer.send(500, {{"Content-Type", "text/plain"}}, "the request could not be served\n")) return Next::kClose;
  }
  if (thrown) return Next::kClose;
  if (!writer.finished_ && !writer.finish()) return Next::kClose;
  return writer.keep_ && !stop_.stop_requested() ? Next::kGoOn : Next::kClose;
}

void ServerConnection::refuse(const Refusal& refusal) {
  ResponseWriter writer(stream_, RequestHead{.keep_alive = false});
  if (!writer.send(refusal.status, {{"Content-Type", "text/plain"}}, refusal.reason + "\n")) return;
  stream_.shut_down(SHUT_WR);
  const auto deadline = steady_clock::now() + kDrainTime;
  std::size_t dropped = 0;
  while (dropped < kDrainBytes) {
    auto more = stream_.fill(deadline);
    if (!more || !*more) return;
    dropped += stream_.buffered().size();
    stream_.take(stream_.buffered().size());
  }
}

}  // namespace slipway::net
