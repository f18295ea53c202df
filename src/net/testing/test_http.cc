#include "net/testing/test_http.h"

#include <stdexcept>
#include <utility>

#include <sys/socket.h>

#include "net/socket_stream.h"

namespace slipway::net {
namespace {

constexpr std::chrono::seconds kPatience{60};

}  // namespace

TestServer::TestServer(Handler handler, HttpServerOptions options) {
  options.stop_grace = std::chrono::milliseconds(0);
  auto started = HttpServer::start(std::move(options), std::move(handler));
  if (!started) throw std::runtime_error(started.error().describe());
  server_ = std::move(*started);
}

std::string exchange(std::uint16_t port, std::string_view bytes, std::string_view until) {
  auto socket = connect_to("127.0.0.1", port);
  if (!socket) throw std::runtime_error(socket.error().describe());
  SocketStream stream(std::move(*socket), kPatience);
  (void)stream.write(bytes);  // a server that refuses may close before all is written
  while (until.empty() || !stream.buffered().contains(until)) {
    const auto more = stream.fill(std::chrono::steady_clock::now() + kPatience);
    if (!more || !*more) break;
  }
  return std::string(stream.buffered());
}

void wait_for_stop(const std::stop_token& stop) {
  Latch latch;
  const std::stop_callback wake(stop, [&] { latch.open(); });
  latch.wait();
}

void Latch::open() {
  const sys::Lock lock(mutex_);
  open_ = true;
  changed_.notify_all();
}

void Latch::wait() {
  const sys::Lock lock(mutex_);
  sys::Borrowed borrowed(mutex_);
  while (!open_) changed_.wait(borrowed.lock());
}

bool Latch::is_open() {
  const sys::Lock lock(mutex_);
  return open_;
}

void RecordingReceiver::note(std::string_view call) {
  if (std::exchange(last_call_, call) == call) return;
  if (!calls_.empty()) calls_ += ' ';
  calls_ += call;
}

Result<> RecordingReceiver::head(const HttpHead& head) {
  note("head");
  head_ = head;
  return on_head ? on_head(head) : Result<>();
}

Result<> RecordingReceiver::bytes(std::span<const std::byte> piece) {
  note("bytes");
  body_.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  return on_bytes ? on_bytes(piece) : Result<>();
}

void RecordingReceiver::done(Result<> how) {
  note("done");
  ++times_done_;
  how_ = how;
  if (on_done) on_done(how);
  finished_.open();
}

Result<> RecordingReceiver::wait() {
  finished_.wait();
  return how_;
}

}  // namespace slipway::net
