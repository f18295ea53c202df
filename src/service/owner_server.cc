#include "service/owner_server.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <functional>
#include <list>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service/follow.h"
#include "service/wire.h"
#include "sys/mutex.h"
#include "sys/system_error.h"
#include "sys/unix_socket.h"

namespace slipway::service {
namespace {

constexpr auto kPause = std::chrono::milliseconds(50);
constexpr std::size_t kEventBuffer = 4096;

// One client. Its lines are read and answered in order.
class Client {
 public:
  // `on_follow` is told when a run is followed from now on: nothing is read meanwhile, so that somebody else has to
  // see when the other side goes.
  Client(fsm::Manager& manager, const Settings& settings, sys::Descriptor connection, std::function<void()> on_follow)
      : manager_(manager),
        settings_(settings),
        socket_(std::move(connection), kMaxLine),
        on_follow_(std::move(on_follow)) {}

  void serve() {
    for (;;) {
      const auto line = socket_.read_line();
      if (!line) return;
      auto request = decode_request(*line);
      if (!request) {
        say(request.error());
        return;
      }
      std::visit([this](const auto& what) { handle(what); }, *request);
      if (hung_up_.stop_requested()) return;
    }
  }

  void hang_up() {
    hung_up_.request_stop();
    socket_.shut();
  }

  [[nodiscard]] bool to_be_watched() const { return following_ && !hung_up_.stop_requested(); }
  [[nodiscard]] int descriptor() const { return socket_.descriptor(); }

 private:
  void handle(const Work& work) {
    auto events = manager_.subscribe(kEventBuffer);
    auto started = start_work(manager_, work, settings_);
    if (!started) return say(started.error());
    say(*started);
    follow_to_the_end(events, started->version);
  }
  void handle(const Follow& what) {
    auto events = manager_.subscribe(kEventBuffer);
    follow_to_the_end(events, what.run);
  }
  void handle(const Cancel& what) { say_done(manager_.cancel(what.run, what.cause)); }
  void handle(const Unpark& what) { say_done(manager_.unpark(what.run)); }

  void follow_to_the_end(fsm::Subscription& events, fsm::RunVersion run) {
    following_ = true;
    on_follow_();
    auto result =
        follow(manager_, events, run, [this](const fsm::RunEvent& event) { say(event); }, hung_up_.get_token());
    following_ = false;
    // What ended with this server and not with the run is for the next owner to say.
    if (hung_up_.stop_requested()) return;
    if (!result && result.error().kind() == ErrorKind::kUnavailable) return hang_up();
    result ? say(*result) : say(result.error());
  }

  void say_done(const Result<>& result) { result ? say(Done{}) : say(result.error()); }

  // A client that is gone is no error here; its run goes on.
  void say(const Answer& answer) {
    auto line = encode(answer);
    if (!line) line = encode(Answer(line.error()));
    if (!line || !socket_.write_line(*line)) hang_up();
  }

  fsm::Manager& manager_;
  const Settings& settings_;
  sys::LineSocket socket_;
  const std::function<void()> on_follow_;
  std::stop_source hung_up_;
  std::atomic<bool> following_ = false;
};

// As the last thing that is said: the client has not even been heard.
void turn_away(sys::Descriptor connection, const Error& why) {
  sys::LineSocket socket(std::move(connection), kMaxLine);
  const auto line = encode(Answer(why));
  if (line) (void)socket.write_line(*line);  // a few bytes into an empty buffer: that does not wait
}

}  // namespace

std::filesystem::path socket_beside(const std::filesystem::path& run_store) { return run_store.string() + ".sock"; }

class OwnerServer::Impl {
 public:
  Impl(fsm::Manager& manager, std::filesystem::path path, sys::Descriptor listening, sys::Descriptor wake,
       OwnerOptions options)
      : manager_(manager),
        path_(std::move(path)),
        listening_(std::move(listening)),
        wake_(std::move(wake)),
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
    std::shared_ptr<Client> client;
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

  std::vector<std::shared_ptr<Client>> clients_to_watch() SLIPWAY_EXCLUDES(mutex_) {
    const sys::Lock lock(mutex_);
    std::vector<std::shared_ptr<Client>> watched;
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
      return turn_away(std::move(connection),
                       Error(ErrorKind::kUnavailable, fmt::format("the owner of the runs (process {}) is busy with {} "
                                                                  "clients, which is the most it serves at once",
                                                                  ::getpid(), clients_.size()))
                           .with_hint("try again when one of them is through"));
    }
    auto client = std::make_shared<Client>(manager_, options_.settings, std::move(connection), [this] { wake_up(); });
    auto& serving = clients_.emplace_back(Serving{client, {}, false});
    try {
      serving.thread = std::thread([this, client, &serving] {
        client->serve();
        client->hang_up();
        const sys::Lock over(mutex_);
        serving.over = true;
      });
    } catch (const std::system_error& e) {
      options_.log.warn("a client is turned away: {}", e.what());
      clients_.pop_back();
    }
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

  fsm::Manager& manager_;
  const std::filesystem::path path_;
  const sys::Descriptor listening_;
  const sys::Descriptor wake_;
  const OwnerOptions options_;
  sys::Mutex mutex_;
  std::list<Serving> clients_ SLIPWAY_GUARDED_BY(mutex_);
  std::jthread accepting_;
};

Result<std::unique_ptr<OwnerServer>> OwnerServer::open(fsm::Manager& manager, const std::filesystem::path& socket,
                                                       OwnerOptions options) {
  auto listening = sys::listen_at(socket);
  if (!listening) return fail(std::move(listening.error()));
  sys::Descriptor wake(::eventfd(0, EFD_CLOEXEC));
  if (!wake) return fail(sys::system_error("make an event for", socket.string(), errno));
  return std::unique_ptr<OwnerServer>(new OwnerServer(
      std::make_unique<Impl>(manager, socket, std::move(*listening), std::move(wake), std::move(options))));
}

OwnerServer::OwnerServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
OwnerServer::~OwnerServer() = default;

}  // namespace slipway::service
