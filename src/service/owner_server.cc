#include "service/owner_server.h"

#include <utility>

#include <unistd.h>

#include "service/follow.h"
#include "service/line_server.h"
#include "service/wire.h"

namespace slipway::service {
namespace {

constexpr std::size_t kEventBuffer = 4096;

// One client. Its lines are read and answered in order.
class Client {
 public:
  Client(fsm::Manager& manager, const Settings& settings, Conversation& with)
      : manager_(manager), settings_(settings), with_(with) {}

  void serve() {
    for (;;) {
      const auto line = with_.hear();
      if (!line) return;
      auto request = decode_request(*line);
      if (!request) {
        say(request.error());
        return;
      }
      std::visit([this](const auto& what) { handle(what); }, *request);
      if (with_.gone().stop_requested()) return;
    }
  }

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
    auto result = [&] {
      const Conversation::Absorbed absorbed(with_);
      return follow(manager_, events, run, [this](const fsm::RunEvent& event) { say(event); }, with_.gone());
    }();
    // What ended with this server and not with the run is for the next owner to say.
    if (with_.gone().stop_requested()) return;
    if (!result && result.error().kind() == ErrorKind::kUnavailable) return with_.hang_up();
    result ? say(*result) : say(result.error());
  }

  void say_done(const Result<>& result) { result ? say(Done{}) : say(result.error()); }

  // A client that is gone is no error here; its run goes on.
  void say(const Answer& answer) {
    auto line = encode(answer);
    if (!line) line = encode(Answer(line.error()));
    line ? with_.say(*line) : with_.hang_up();
  }

  fsm::Manager& manager_;
  const Settings& settings_;
  Conversation& with_;
};

}  // namespace

std::filesystem::path socket_beside(const std::filesystem::path& owned) { return owned.string() + ".sock"; }

Result<std::unique_ptr<OwnerServer>> OwnerServer::open(fsm::Manager& manager, const std::filesystem::path& socket,
                                                       OwnerOptions options) {
  LineServerOptions lines{.max_clients = options.max_clients, .max_line = kMaxLine, .log = options.log};
  lines.busy = [](std::size_t clients) { return busy_line("runs", clients); };
  auto opened = LineServer::open(
      socket,
      [&manager, settings = std::move(options.settings)](Conversation& with) {
        Client(manager, settings, with).serve();
      },
      std::move(lines));
  if (!opened) return fail(std::move(opened.error()));
  return std::unique_ptr<OwnerServer>(new OwnerServer(std::move(*opened)));
}

OwnerServer::OwnerServer(std::unique_ptr<LineServer> lines) : lines_(std::move(lines)) {}
OwnerServer::~OwnerServer() = default;

}  // namespace slipway::service
