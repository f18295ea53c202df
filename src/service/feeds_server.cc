#include "service/feeds_server.h"

#include <string>
#include <utility>

#include "service/feeds_owner.h"
#include "service/feeds_wire.h"
#include "service/line_server.h"

namespace slipway::service {
namespace {

// One client. Its lines are read and answered in order.
class Client {
 public:
  Client(feeds::MacroMachine& machine, const Settings& settings, Conversation& with)
      : machine_(machine), settings_(settings), with_(with) {}

  void serve() {
    for (;;) {
      const auto line = with_.hear();
      if (!line) return;
      auto request = decode_feeds_request(*line);
      if (!request) {
        say(request.error());
        return;
      }
      std::visit([this](const auto& what) { handle(what); }, *request);
      if (with_.gone().stop_requested()) return;
    }
  }

 private:
  void handle(const FeedsSync& what) {
    auto begun = check_same(settings_, what.settings, "feeds");
    if (begun) begun = machine_.sync(what.ids);
    if (!begun) return say(begun.error());
    const auto followed = [&] {
      const Conversation::Absorbed absorbed(with_);
      return follow_feeds(machine_, what.ids, [this](const FeedsStats& stats) { say(stats); }, with_.gone());
    }();
    if (with_.gone().stop_requested()) return;
    followed ? say(Done{}) : say(followed.error());
  }
  void handle(const FeedsCommand& what) {
    const auto done = command(machine_, what.verb, what.ids);
    done ? say(stats_of(machine_)) : say(done.error());
  }
  void handle(const FeedsAsk& /*what*/) { say(stats_of(machine_)); }

  // What has not changed is not said again.
  void say(const FeedsAnswer& answer) {
    auto line = encode(answer);
    if (!line) line = encode(FeedsAnswer(line.error()));
    if (!line) return with_.hang_up();
    const bool repeated = *line == last_ && absorbs(answer);
    if (!repeated) with_.say(*line);
    last_ = std::move(*line);
  }
  [[nodiscard]] bool absorbs(const FeedsAnswer& answer) const {
    return std::holds_alternative<FeedsStats>(answer) && with_.to_be_watched();
  }

  feeds::MacroMachine& machine_;
  const Settings& settings_;
  Conversation& with_;
  std::string last_;
};

}  // namespace

Result<std::unique_ptr<FeedsServer>> FeedsServer::open(feeds::MacroMachine& machine,
                                                       const std::filesystem::path& socket,
                                                       FeedsServerOptions options) {
  LineServerOptions lines{.max_clients = options.max_clients, .max_line = kMaxLine, .log = options.log};
  lines.busy = [](std::size_t clients) { return busy_line("feeds", clients); };
  auto opened = LineServer::open(
      socket,
      [&machine, settings = std::move(options.settings)](Conversation& with) {
        Client(machine, settings, with).serve();
      },
      std::move(lines));
  if (!opened) return fail(std::move(opened.error()));
  return std::unique_ptr<FeedsServer>(new FeedsServer(std::move(*opened)));
}

FeedsServer::FeedsServer(std::unique_ptr<LineServer> lines) : lines_(std::move(lines)) {}
FeedsServer::~FeedsServer() = default;

}  // namespace slipway::service
