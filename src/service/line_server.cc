#include "service/line_server.h"

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <list>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sys/mutex.h"
#include "sys/system_error.h"

namespace slipway::service {
namespace {

constexpr auto kPause = std::chrono::milliseconds(50);

}  // namespace

class LineServer::Impl {
 public:
  Impl(std::filesystem::path path, sys::Descriptor listening, sys::Descriptor wake, Serve serve,
       LineServerOptions options)
      : path_(std::move(path)),
        listening_(std::move(listening)),
        wake_(std::move(wake)),
        serve_(std::move(serve)),
        options_(std::move(options)),
        accepting_([this](const std::stop_token& stop) { accept_clients(stop); }) {}

  ~Impl() {
    accepting_.request_stop();
    wake_up();
    accepting_.join();
    ::unlink(path_.c_str());
    std::list<Serving> last;
    {
      const sys::Lock lock(mutex_);
      last.swap(clients_);
    }
    for (auto& serving : last) serving.client->hang_up();
    for (auto& serving : last) serving.thread.join();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

 private:
  struct Serving {
    std::shared_ptr<Conversation> client;
    std::thread thread;
    bool over = false;
  };

  void wake_up() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto woken = ::write(wake_.get(), &one, sizeof(one));
  }

  void accept_clients(const std::stop_token& stop) SLIPWAY_EXCLUDES(mutex_) {
    while (!stop.stop_requested()) {
      const auto watched = clients_to_watch();
      std::vector<pollfd> waits{{listening_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
      for (const auto& client : watched) waits.push_back({client->descriptor(), POLLRDHUP, 0});
      if (::poll(waits.data(), waits.size(), -1) < 0) {
        if (errno == EINTR) continue;
        options_.log.error("no more clients are served: {}",
                           sys::system_error("poll", path_.string(), errno).message());
        return;
      }
      if ((waits[1].revents & POLLIN) != 0) {
        std::uint64_t times = 0;
        [[maybe_unused]] const auto read = ::read(wake_.get(), &times, sizeof(times));
      }
      for (std::size_t i = 0; i < watched.size(); ++i) {
        if (waits[i + 2].revents != 0) watched[i]->hang_up();
      }
      if ((waits[0].revents & POLLIN) != 0) accept_one();
    }
  }

  std::vector<std::shared_ptr<Conversation>> clients_to_watch() SLIPWAY_EXCLUDES(mutex_) {
    const sys::Lock lock(mutex_);
    std::vector<std::shared_ptr<Conversation>> watched;
    for (const auto& serving : clients_) {
      if (serving.client->to_be_watched()) watched.push_back(serving.client);
    }
    return watched;
  }

  void accept_one() SLIPWAY_EXCLUDES(mutex_) {
    sys::Descriptor connection(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!connection) std::this_thread::sleep_for(kPause);  // no descriptors left, perhaps: not in a tight loop
    if (connection && sys::peer_is_trusted(connection)) serve(std::move(connection));
  }

  void serve(sys::Descriptor connection) SLIPWAY_EXCLUDES(mutex_) {
    const sys::Lock lock(mutex_);
    join_those_over();
    if (clients_.size() >= options_.max_clients) {
      options_.log.info("a client is turned away: {} are served already", clients_.size());
      return turn_away(std::move(connection));
    }
    auto client = std::make_shared<Conversation>(std::move(connection), options_.max_line, [this] { wake_up(); });
    auto& serving = clients_.emplace_back(Serving{client, {}, false});
    try {
      serving.thread = std::thread([this, client, &serving] {
        serve_(*client);
        client->hang_up();
        const sys::Lock over(mutex_);
        serving.over = true;
      });
    } catch (const std::system_error& e) {
      options_.log.warn("a client is turned away: {}", e.what());
      clients_.pop_back();
    }
  }

  // As the last thing that is said: the client has not even been heard.
  void turn_away(sys::Descriptor connection) const SLIPWAY_REQUIRES(mutex_) {
    sys::LineSocket socket(std::move(connection), options_.max_line);
    (void)socket.write_line(options_.busy(clients_.size()));  // a few bytes into an empty buffer: that does not wait
  }

  // A thread that has set `over` needs the mutex no more.
  void join_those_over() SLIPWAY_REQUIRES(mutex_) {
    for (auto serving = clients_.begin(); serving != clients_.end();) {
      if (!serving->over) {
        ++serving;
        continue;
      }
      serving->thread.join();
      serving = clients_.erase(serving);
    }
  }

  const std::filesystem::path path_;
  const sys::Descriptor listening_;
  const sys::Descriptor wake_;
  const Serve serve_;
  const LineServerOptions options_;
  sys::Mutex mutex_;
  std::list<Serving> clients_ SLIPWAY_GUARDED_BY(mutex_);
  std::jthread accepting_;
};

Result<std::unique_ptr<LineServer>> LineServer::open(const std::filesystem::path& socket, Serve serve,
                                                     LineServerOptions options) {
  auto listening = sys::listen_at(socket);
  if (!listening) return fail(std::move(listening.error()));
  sys::Descriptor wake(::eventfd(0, EFD_CLOEXEC));
  if (!wake) return fail(sys::system_error("make an event for", socket.string(), errno));
  return std::unique_ptr<LineServer>(new LineServer(
      std::make_unique<Impl>(socket, std::move(*listening), std::move(wake), std::move(serve), std::move(options))));
}

LineServer::LineServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LineServer::~LineServer() = default;

}  // namespace slipway::service
