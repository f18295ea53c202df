#include "service/feeds_client.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "service/feeds_server.h"
#include "service/seek_owner.h"

namespace slipway::service {
namespace {

OwnerSearch search_of(const Feeds& feeds) {
  return {.what = "feeds",
          .socket = feeds.socket,
          .on_owner = feeds.on_owner,
          .log = feeds.log,
          .patience = feeds.patience,
          .silence = feeds.silence};
}

// What an answer is that is no statistics; none: it is.
using Unexpected = std::optional<FromOwner<FeedsStats>>;
Unexpected not_stats(FeedsAnswer& answer) {
  auto* error = std::get_if<Error>(&answer);
  if (error == nullptr) return std::nullopt;
  if (error->kind() == ErrorKind::kUnavailable) return OwnerBusy{std::move(*error)};
  return Result<FeedsStats>(fail(std::move(*error)));
}

FromOwner<FeedsStats> gone(const std::stop_token& stop) {
  if (!stop.stop_requested()) return OwnerLost{};
  return Result<FeedsStats>(fail(ErrorKind::kCancelled, "the feeds are no longer followed; their owner goes on"));
}

Result<FeedsAnswer> understand(OwnerConnection& owner, Result<std::string>& line) {
  if (!line) return fail(std::move(line.error()));
  auto answer = decode_feeds_answer(*line);
  if (!answer) return answer;
  const auto* error = std::get_if<Error>(&*answer);
  if (error == nullptr || error->kind() != ErrorKind::kUnavailable) owner.note_served();
  return answer;
}

Result<FeedsStats> run_here(const Feeds& feeds, FeedsOwner& owner, const OnStats& on_stats, const std::stop_token& stop,
                            const std::function<Result<>(feeds::MacroMachine&)>& start) {
  if (auto begun = owner.begin(); !begun) return fail(std::move(begun.error()));
  if (auto started = start(owner.machine()); !started) return fail(std::move(started.error()));
  const auto server = FeedsServer::open(owner.machine(), feeds.socket, {.settings = feeds.settings, .log = feeds.log});
  if (!server) feeds.log.warn("other commands cannot reach the feeds: {}", server.error().message());
  return follow_feeds(owner.machine(), {}, on_stats, stop);
}

// One sync, through however many owners it takes.
class Syncing {
 public:
  Syncing(const Feeds& feeds, std::span<const std::string> ids, const OnStats& on_stats, const std::stop_token& stop)
      : feeds_(feeds), ids_(ids.begin(), ids.end()), on_stats_(on_stats), stop_(stop) {}

  Result<FeedsStats> here(FeedsOwner& owner) {
    return run_here(feeds_, owner, on_stats_, stop_, [this](feeds::MacroMachine& machine) -> Result<> {
      if (last_ && ids_.empty()) return {};  // the last owner had done it all
      return machine.sync(ids_);
    });
  }

  FromOwner<FeedsStats> there(OwnerConnection& owner) {
    const std::stop_callback told(stop_, [&] { owner.shut(); });
    const auto line = encode(FeedsRequest(FeedsSync{ids_, feeds_.settings}));
    if (!line) return Result<FeedsStats>(fail(line.error()));
    owner.say(*line, /*answered_at_once=*/true);
    for (;;) {
      auto heard = owner.hear();
      if (!heard) {
        keep_what_is_left();
        return gone(stop_);
      }
      auto answer = understand(owner, *heard);
      if (!answer) return Result<FeedsStats>(fail(std::move(answer.error())));
      if (auto other = not_stats(*answer)) return std::move(*other);
      if (auto* stats = std::get_if<FeedsStats>(&*answer)) {
        if (on_stats_) on_stats_(*stats);
        last_ = std::move(*stats);
      } else if (last_) {
        return Result<FeedsStats>(std::move(*last_));
      } else {
        return Result<FeedsStats>(fail(ErrorKind::kCorrupt, "the owner of the feeds answered out of turn"));
      }
    }
  }

 private:
  // What has come to its end with an owner that is gone now need not be done again.
  void keep_what_is_left() {
    if (!last_) return;
    std::vector<std::string> left;
    for (const auto& stats : last_->providers) {
      const bool asked_for = ids_.empty() || std::ranges::find(ids_, stats.row.id) != ids_.end();
      if (asked_for && !is_at_rest(stats)) left.push_back(stats.row.id);
    }
    ids_ = std::move(left);
  }

  const Feeds& feeds_;
  std::vector<std::string> ids_;
  const OnStats& on_stats_;
  const std::stop_token& stop_;
  std::optional<FeedsStats> last_;
};

// Of `ids`, those that do not go on already, as what an earlier process has left does.
std::vector<std::string> without_those_under_way(feeds::MacroMachine& machine, std::span<const std::string> ids) {
  std::vector<std::string> rest(ids.begin(), ids.end());
  for (const auto& stats : machine.providers()) {
    if (!is_at_rest(stats)) std::erase(rest, stats.row.id);
  }
  return rest;
}

FromOwner<FeedsStats> ask_once(OwnerConnection& owner, const FeedsRequest& request, const std::stop_token& stop) {
  const std::stop_callback told(stop, [&] { owner.shut(); });
  const auto line = encode(request);
  if (!line) return Result<FeedsStats>(fail(line.error()));
  owner.say(*line, /*answered_at_once=*/true);
  auto heard = owner.hear();
  if (!heard) return gone(stop);
  auto answer = understand(owner, *heard);
  if (!answer) return Result<FeedsStats>(fail(std::move(answer.error())));
  if (auto other = not_stats(*answer)) return std::move(*other);
  if (auto* stats = std::get_if<FeedsStats>(&*answer)) return Result<FeedsStats>(std::move(*stats));
  return Result<FeedsStats>(fail(ErrorKind::kCorrupt, "the owner of the feeds answered out of turn"));
}

}  // namespace

Result<FeedsStats> sync_feeds(const Feeds& feeds, std::span<const std::string> ids, const OnStats& on_stats,
                              const std::stop_token& stop) {
  Syncing syncing(feeds, ids, on_stats, stop);
  return with_owner<FeedsStats>(
      search_of(feeds), stop, [&] { return FeedsOwner::open(feeds.setup); },
      [&](FeedsOwner& owner) { return syncing.here(owner); },
      [&](OwnerConnection& owner) { return syncing.there(owner); });
}

Result<std::optional<FeedsStats>> command_feeds(const Feeds& feeds, FeedsVerb verb, std::span<const std::string> ids,
                                                const OnStats& on_stats, const std::stop_token& stop) {
  bool on_disk = false;
  const auto here = [&](FeedsOwner& owner) -> Result<FeedsStats> {
    if (verb == FeedsVerb::kPause || verb == FeedsVerb::kStop) {
      on_disk = true;
      if (auto moved = owner.move_saved(verb, ids); !moved) return fail(std::move(moved.error()));
      return FeedsStats{};
    }
    return run_here(feeds, owner, on_stats, stop, [&](feeds::MacroMachine& machine) {
      return command(machine, verb, without_those_under_way(machine, ids));
    });
  };
  auto stats = with_owner<FeedsStats>(
      search_of(feeds), stop, [&] { return FeedsOwner::open(feeds.setup); }, here,
      [&](OwnerConnection& owner) { return ask_once(owner, FeedsCommand{verb, {ids.begin(), ids.end()}}, stop); });
  if (!stats) return fail(std::move(stats.error()));
  if (on_disk) return std::nullopt;
  return std::move(*stats);
}

std::optional<FeedsStats> ask_feeds(const std::filesystem::path& socket, std::chrono::milliseconds patience) {
  std::optional<OwnerConnection> owner;
  owner = OwnerConnection::open(socket, patience, [&] { owner->shut(); });
  if (!owner) return std::nullopt;
  auto answer = ask_once(*owner, FeedsAsk{}, {});
  auto* stats = std::get_if<Result<FeedsStats>>(&answer);
  if (stats == nullptr || !*stats) return std::nullopt;
  return std::move(**stats);
}

}  // namespace slipway::service
