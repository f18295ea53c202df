#include "net/http_server.h"

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <poll.h>
#include <sys/socket.h>

#include "net/server_connection.h"
#include "net/socket_stream.h"
#include "sys/mutex.h"

namespace slipway::net {
namespace {

constexpr int kBacklog = 512;
constexpr std::chrono::milliseconds kAcceptPause{50};  // when the process has no descriptor to spare

}  // namespace

class HttpServer::Impl {
 public:
  Impl(HttpServerOptions options, Handler handler, sys::Descriptor listener, std::uint16_t port)
      : options_(std::move(options)), handler_(std::move(handler)), listener_(std::move(listener)), port_(port) {
    acceptor_ = std::thread([this] { accept_all(); });
  }

  void stop() {
    std::call_once(stopped_, [this] { stop_once(); });
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] const std::string& address() const { return options_.address; }
  [[nodiscard]] std::uint64_t connections() const { return accepted_.load(std::memory_order_relaxed); }

 private:
  struct Slot {
    Slot(sys::Descriptor socket, const Impl& server)
        : connection(std::move(socket), server.options_, server.handler_, server.stop_.get_token()) {}
    ServerConnection connection;
    std::thread thread;
    bool finished = false;
  };

  void accept_all();
  void take(sys::Descriptor socket);
  void turn_away(sys::Descriptor socket) const;
  void run(Slot& slot);
  [[nodiscard]] std::list<Slot> remove_finished() SLIPWAY_REQUIRES(mutex_);
  static void join(std::list<Slot> finished);
  void stop_once();

  const HttpServerOptions options_;
  const Handler handler_;
  const sys::Descriptor listener_;
  const std::uint16_t port_;
  std::stop_source stop_;
  std::once_flag stopped_;
  std::atomic<std::uint64_t> accepted_ = 0;

  sys::Mutex mutex_;
  std::condition_variable changed_;
  std::list<Slot> slots_ SLIPWAY_GUARDED_BY(mutex_);
  std::size_t running_ SLIPWAY_GUARDED_BY(mutex_) = 0;

  std::thread acceptor_;
};

void HttpServer::Impl::accept_all() {
  while (!stop_.stop_requested()) {
    sys::Descriptor socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (stop_.stop_requested()) return;
    if (socket) {
      accepted_.fetch_add(1, std::memory_order_relaxed);
      take(std::move(socket));
    } else if (errno != EINTR && errno != ECONNABORTED) {
      poll(nullptr, 0, static_cast<int>(kAcceptPause.count()));
    }
  }
}

void HttpServer::Impl::take(sys::Descriptor socket) {
  std::list<Slot> finished;
  bool room = false;
  {
    const sys::Lock lock(mutex_);
    finished = remove_finished();
    room = running_ < options_.max_connections;
    if (room) {
      auto& slot = slots_.emplace_back(std::move(socket), *this);
      try {
        slot.thread = std::thread([this, &slot] { run(slot); });
        ++running_;
      } catch (const std::system_error&) {  // no thread to be had: the connection is closed
        slots_.pop_back();
      }
    }
  }
  if (!room) turn_away(std::move(socket));  // NOLINT(bugprone-use-after-move): it was moved only where there is room
  join(std::move(finished));
}

void HttpServer::Impl::turn_away(sys::Descriptor socket) const {
  SocketStream stream(std::move(socket), options_.request_timeout);
  ResponseWriter writer(stream, RequestHead{.keep_alive = false});
  [[maybe_unused]] const auto sent = writer.send(503, {{"Retry-After", "1"}}, "too many connections\n");
}

void HttpServer::Impl::run(Slot& slot) {
  slot.connection.serve();
  const sys::Lock lock(mutex_);
  slot.connection.close();
  slot.finished = true;
  --running_;
  changed_.notify_all();
}

std::list<HttpServer::Impl::Slot> HttpServer::Impl::remove_finished() {
  std::list<Slot> finished;
  for (auto slot = slots_.begin(); slot != slots_.end();) {
    const auto next = std::next(slot);
    if (slot->finished) finished.splice(finished.end(), slots_, slot);
    slot = next;
  }
  return finished;
}

void HttpServer::Impl::join(std::list<Slot> finished) {
  for (auto& slot : finished) slot.thread.join();
}

void HttpServer::Impl::stop_once() {
  stop_.request_stop();
  ::shutdown(listener_.get(), SHUT_RDWR);  // wakes accept
  acceptor_.join();
  std::list<Slot> all;
  {
    const sys::Lock lock(mutex_);
    sys::Borrowed borrowed(mutex_);
    for (auto& slot : slots_) {
      if (!slot.finished) slot.connection.stop_reading();
    }
    const auto cut_at = std::chrono::steady_clock::now() + options_.stop_grace;
    while (running_ > 0) {
      if (changed_.wait_until(borrowed.lock(), cut_at) == std::cv_status::timeout) break;
    }
    for (auto& slot : slots_) {
      if (!slot.finished) slot.connection.cut();
    }
    while (running_ > 0) changed_.wait(borrowed.lock());
    all.swap(slots_);
  }
  join(std::move(all));
}

Result<std::unique_ptr<HttpServer>> HttpServer::start(HttpServerOptions options, Handler handler) {
  auto listener = listen_at(options.address, options.port, kBacklog);
  if (!listener) return fail(listener.error());
  auto port = local_port(*listener);
  if (!port) return fail(port.error());
  auto impl = std::make_unique<Impl>(std::move(options), std::move(handler), std::move(*listener), *port);
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::~HttpServer() { stop(); }

void HttpServer::stop() { impl_->stop(); }

std::uint16_t HttpServer::port() const { return impl_->port(); }

std::string HttpServer::url() const {
  const auto& address = impl_->address();
  return address.contains(':') ? fmt::format("http://[{}]:{}", address, port())
                               : fmt::format("http://{}:{}", address, port());
}

std::uint64_t HttpServer::connections() const { return impl_->connections(); }

}  // namespace slipway::net
