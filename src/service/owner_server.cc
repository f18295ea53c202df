#include "service/owner_server.h"

#include <cerrno>
#include <chrono>
#include <list>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "service/follow.h"
#include "service/wire.h"
#include "sys/mutex.h"
#include "sys/system_error.h"
#include "sys/unix_socket.h"

namespace slipway::service {
namespace {

constexpr std::size_t kMaxClients = 64;
constexpr auto kPause = std::chrono::milliseconds(50);
constexpr std::size_t kEventBuffer = 4096;

// One client. Its lines are read and answered in order.
class Client {
 public:
  Client(fsm::Manager& manager, sys::Descriptor connection)
      : manager_(manager), socket_(std::move(connection), kMaxLine) {}

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

 private:
  void handle(const Work& work) {
    auto events = manager_.subscribe(kEventBuffer);
    auto started = start_work(manager_, work);
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
    auto result =
        follow(manager_, events, run, [this](const fsm::RunEvent& event) { say(event); }, hung_up_.get_token());
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
  sys::LineSocket socket_;
  std::stop_source hung_up_;
};

}  // namespace

std::filesystem::path socket_beside(const std::filesystem::path& run_store) { return run_store.string() + ".sock"; }

class OwnerServer::Impl {
 public:
  Impl(fsm::Manager& manager, std::filesystem::path path, sys::Descriptor listening, sys::Descriptor wake, Logger log)
      : manager_(manager),
        path_(std::move(path)),
        listening_(std::move(listening)),
        wake_(std::move(wake)),
        log_(std::move(log)),
        accepting_([this](const std::stop_token& stop) { accept_clients(stop); }) {}

  ~Impl() {
    accepting_.request_stop();
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto woken = ::write(wake_.get(), &one, sizeof(one));
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

  void accept_clients(const std::stop_token& stop) SLIPWAY_EXCLUDES(mutex_) {
    while (!stop.stop_requested()) {
      pollfd waits[] = {{listening_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
      if (::poll(static_cast<pollfd*>(waits), 2, -1) < 0 && errno != EINTR) {
        log_.error("no more clients are served: {}", sys::system_error("poll", path_.string(), errno).message());
        return;
      }
      if ((waits[0].revents & POLLIN) == 0) continue;
      sys::Descriptor connection(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!connection) std::this_thread::sleep_for(kPause);  // no descriptors left, perhaps: not in a tight loop
      if (connection && sys::peer_is_trusted(connection)) serve(std::move(connection));
    }
  }

  void serve(sys::Descriptor connection) SLIPWAY_EXCLUDES(mutex_) {
    const sys::Lock lock(mutex_);
    join_those_over();
    if (clients_.size() >= kMaxClients) {
      log_.warn("a client is turned away: {} are served already", clients_.size());
      return;
    }
    auto client = std::make_shared<Client>(manager_, std::move(connection));
    auto& serving = clients_.emplace_back(Serving{client, {}, false});
    try {
      serving.thread = std::thread([this, client, &serving] {
        client->serve();
        client->hang_up();
        const sys::Lock over(mutex_);
        serving.over = true;
      });
    } catch (const std::system_error& e) {
      log_.warn("a client is turned away: {}", e.what());
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
  const Logger log_;
  sys::Mutex mutex_;
  std::list<Serving> clients_ SLIPWAY_GUARDED_BY(mutex_);
  std::jthread accepting_;
};

Result<std::unique_ptr<OwnerServer>> OwnerServer::open(fsm::Manager& manager, const std::filesystem::path& socket,
                                                       Logger log) {
  auto listening = sys::listen_at(socket);
  if (!listening) return fail(std::move(listening.error()));
  sys::Descriptor wake(::eventfd(0, EFD_CLOEXEC));
  if (!wake) return fail(sys::system_error("make an event for", socket.string(), errno));
  return std::unique_ptr<OwnerServer>(
      new OwnerServer(std::make_unique<Impl>(manager, socket, std::move(*listening), std::move(wake), std::move(log))));
}

OwnerServer::OwnerServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
OwnerServer::~OwnerServer() = default;

}  // namespace slipway::service
