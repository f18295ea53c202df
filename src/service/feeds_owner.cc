#include "service/feeds_owner.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <utility>

#include <fmt/ranges.h>

#include "store/private_file.h"
#include "sys/directories.h"

namespace slipway::service {
namespace {

constexpr auto kLook = std::chrono::milliseconds(100);

Result<sys::OwnerLock> lock_database(const std::filesystem::path& database, TimePoint now) {
  if (auto made = sys::make_directories(database.parent_path()); !made) return fail(std::move(made.error()));
  std::error_code failed;
  const std::string real = std::filesystem::weakly_canonical(database, failed).string();
  if (failed) return fail(ErrorKind::kIo, "{}: {}", database.string(), failed.message());
  auto lock = sys::OwnerLock::acquire(real + ".lock", to_iso8601(now));
  if (!lock) return lock;
  if (auto made = store::make_private_file(real); !made) return fail(std::move(made.error()));
  if (auto guarded = lock->guard(real); !guarded) return fail(std::move(guarded.error()));
  return lock;
}

Result<> move_row(feeds::ProviderRow& row, FeedsVerb verb) {
  using feeds::ProviderState;
  const bool pause = verb == FeedsVerb::kPause;
  const auto to = pause ? ProviderState::kPaused : ProviderState::kTerminated;
  auto allowed = feeds::provider_transitions().check("provider " + row.id, row.state, to);
  if (!allowed) return allowed;
  row.state = to;
  row.resume_at.reset();
  if (!pause) row.outcome = feeds::Outcome::kStopped;
  return {};
}

Error unknown_provider(const std::string& id, const std::vector<std::string>& known) {
  return Error(ErrorKind::kNotFound, fmt::format("there is no provider {}", id))
      .with_hint(known.empty() ? std::string("nothing was ever synced: `slipway feeds sync` does so")
                               : fmt::format("the providers are {}", fmt::join(known, ", ")));
}

}  // namespace

FeedsOwner::FeedsOwner(const FeedsSetup& setup, sys::OwnerLock lock, std::unique_ptr<feeds::FeedStore> store)
    : setup_(setup), lock_(std::move(lock)), store_(std::move(store)) {}

Result<std::unique_ptr<FeedsOwner>> FeedsOwner::open(const FeedsSetup& setup) {
  auto& clock = setup.options.clock != nullptr ? *setup.options.clock : sys::system_clock();
  auto lock = lock_database(setup.database, clock.now());
  if (!lock) return lock.error().during("open the feeds {}", setup.database.string());
  auto store = feeds::FeedStore::open(setup.database.string(), clock);
  if (!store) return fail(std::move(store.error()));
  return std::unique_ptr<FeedsOwner>(new FeedsOwner(setup, std::move(*lock), std::move(*store)));
}

Result<> FeedsOwner::move_saved(FeedsVerb verb, std::span<const std::string> ids) {
  auto rows = store_->list_providers();
  if (!rows) return fail(std::move(rows.error()));
  std::vector<std::string> known;
  for (const auto& row : *rows) known.push_back(row.id);
  std::vector<feeds::ProviderRow> moved;
  for (const auto& id : ids) {
    const auto row = std::ranges::find(*rows, id, &feeds::ProviderRow::id);
    if (row == rows->end()) return fail(unknown_provider(id, known));
    if (auto allowed = move_row(*row, verb); !allowed) return allowed;
    moved.push_back(*row);
  }
  for (const auto& row : moved) {
    if (auto saved = store_->save_state(row); !saved) return saved.error().during("{} {}", to_string(verb), row.id);
  }
  return {};
}

Result<> FeedsOwner::begin() {
  auto providers = setup_.providers();
  if (!providers) return fail(std::move(providers.error()));
  auto machine = feeds::MacroMachine::open(*store_, std::move(*providers), setup_.options);
  if (!machine) return machine.error().during("open the feeds");
  machine_ = std::move(*machine);
  if (auto recovered = machine_->recover(); !recovered) {
    return recovered.error().during("go on with the feeds that were under way");
  }
  return {};
}

FeedsStats stats_of(feeds::MacroMachine& machine) {
  return {.macro = machine.stats(), .providers = machine.providers()};
}

bool is_at_rest(const feeds::ProviderStats& stats) {
  const auto state = stats.row.state;
  return !stats.wanted && (state == feeds::ProviderState::kIdle || state == feeds::ProviderState::kTerminated ||
                           state == feeds::ProviderState::kPaused);
}

Result<> command(feeds::MacroMachine& machine, FeedsVerb verb, std::span<const std::string> ids) {
  std::vector<std::string> known;
  for (const auto& stats : machine.providers()) known.push_back(stats.row.id);
  for (const auto& id : ids) {
    if (std::ranges::find(known, id) == known.end()) return fail(unknown_provider(id, known));
  }
  for (const auto& id : ids) {
    Result<> done;
    switch (verb) {
      case FeedsVerb::kStart: done = machine.start(id); break;
      case FeedsVerb::kPause: done = machine.pause(id); break;
      case FeedsVerb::kResume: done = machine.resume(id); break;
      case FeedsVerb::kStop: done = machine.stop(id); break;
    }
    if (!done) return done.error().during("{} {}", to_string(verb), id);
  }
  return {};
}

Result<FeedsStats> follow_feeds(feeds::MacroMachine& machine, std::span<const std::string> ids, const OnStats& on_stats,
                                const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  for (;;) {
    auto stats = stats_of(machine);
    if (on_stats) on_stats(stats);
    const bool over = std::ranges::all_of(stats.providers, [&](const feeds::ProviderStats& one) {
      return (!ids.empty() && std::ranges::find(ids, one.row.id) == ids.end()) || is_at_rest(one);
    });
    if (over) return stats;
    (void)changed.wait_for(lock, stop, kLook, [] { return false; });
    if (stop.stop_requested()) return fail(ErrorKind::kCancelled, "told to stop while providers are at work");
  }
}

}  // namespace slipway::service
