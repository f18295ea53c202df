// A socket at which an owner serves other processes of the same user: who comes and goes, not what is said.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/log.h"
#include "sys/unix_socket.h"

namespace slipway::service {

// One client, for the thread that serves it.
class Conversation {
 public:
  // `on_absorbed`: see Absorbed.
  Conversation(sys::Descriptor connection, std::size_t max_line, std::function<void()> on_absorbed)
      : socket_(std::move(connection), max_line), on_absorbed_(std::move(on_absorbed)) {}

  // The next line. kUnavailable when the client is gone or was hung up on, kCorrupt when the line is too long.
  [[nodiscard]] Result<std::string> hear() { return socket_.read_line(); }
  // A client that is gone is hung up on; that is no error here.
  void say(std::string_view line) {
    if (!socket_.write_line(line)) hang_up();
  }
  void hang_up() {  // thread-safe
    hung_up_.request_stop();
    socket_.shut();
  }
  [[nodiscard]] std::stop_token gone() const { return hung_up_.get_token(); }

  // For as long as one lives nothing is heard, so the server sees to it that a client that goes is hung up on.
  class Absorbed {
   public:
    explicit Absorbed(Conversation& in) : in_(in) {
      in_.absorbed_ = true;
      in_.on_absorbed_();
    }
    ~Absorbed() { in_.absorbed_ = false; }
    Absorbed(const Absorbed&) = delete;
    Absorbed& operator=(const Absorbed&) = delete;

   private:
    Conversation& in_;
  };
  [[nodiscard]] bool to_be_watched() const { return absorbed_ && !hung_up_.stop_requested(); }
  [[nodiscard]] int descriptor() const { return socket_.descriptor(); }

 private:
  sys::LineSocket socket_;
  const std::function<void()> on_absorbed_;
  std::stop_source hung_up_;
  std::atomic<bool> absorbed_ = false;
};

struct LineServerOptions {
  std::size_t max_clients = 64;
  std::size_t max_line = std::size_t{4} << 20;
  // The one line that a client is told who is one too many.
  std::function<std::string(std::size_t clients)> busy{};
  Logger log{};
};

// Serves from open() on, each client on a thread of its own, up to `max_clients` at once.
class LineServer {
 public:
  // Serves one client to its end; called from many threads.
  using Serve = std::function<void(Conversation&)>;

  // The caller must be sure that nobody else listens at the socket: owning what it stands for makes it so.
  [[nodiscard]] static Result<std::unique_ptr<LineServer>> open(const std::filesystem::path& socket, Serve serve,
                                                                LineServerOptions options);
  // Hangs up on every client, and waits until nobody is served any more.
  ~LineServer();
  LineServer(const LineServer&) = delete;
  LineServer& operator=(const LineServer&) = delete;

 private:
  class Impl;
  explicit LineServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace slipway::service
