#include "fsm/run_removal.h"

#include <string_view>
#include <utility>

#include "fsm/run_schema.h"
#include "store/transaction.h"

namespace slipway::fsm {

Result<> RunRemoval::prepare(store::Database& db) {
  const std::pair<store::Statement*, std::string_view> all[] = {
      {&count_, "SELECT count(*) FROM runs INDEXED BY runs_finished WHERE finished_at IS NOT NULL"},
      {&oldest_,
       "SELECT run, finished_at, last_event, "
       "EXISTS (SELECT 1 FROM runs f WHERE f.after_version = runs.version AND f.finished_at IS NULL) "
       "OR EXISTS (SELECT 1 FROM runs p WHERE p.version = runs.parent AND p.finished_at IS NULL) "
       "FROM runs INDEXED BY runs_finished WHERE finished_at IS NOT NULL ORDER BY finished_at"},
      {&remove_run_, "DELETE FROM runs WHERE run = ?1"},
      {&remove_event_, "DELETE FROM events WHERE n = ?1 AND run = ?2 RETURNING prev"},
      {&remove_payloads_, "DELETE FROM payloads WHERE key IN (?1, ?2)"},
      {&keep_,
       "UPDATE kept SET last_event = max(last_event, ?1), "
       "greatest_version = max(greatest_version, coalesce((SELECT max(version) FROM runs), greatest_version))"},
  };
  for (const auto& [statement, sql] : all) {
    auto prepared = db.prepare(sql);
    if (!prepared) return fail(std::move(prepared.error()));
    *statement = std::move(*prepared);
  }
  return {};
}

void RunRemoval::add_finished(std::size_t count) {
  if (finished_) *finished_ += count;
}

Result<std::size_t> RunRemoval::remove_finished(store::Database& db, const Retention& keep, TimePoint now,
                                                std::size_t most, std::int64_t last_event) {
  auto chosen = choose(keep, now, most);
  if (!chosen) return chosen.error().during("choose finished runs to remove");
  if (chosen->empty()) return 0;
  auto transaction = store::Transaction::begin(db);
  if (!transaction) return transaction.error().during("remove finished runs");
  // Before the rows that say it are gone.
  if (auto kept = keep_.run(last_event); !kept) return kept.error().during("remove finished runs");
  for (const auto& run : *chosen) {
    if (auto removed = remove(run); !removed) return removed.error().during("remove finished runs");
  }
  if (auto committed = transaction->commit(); !committed) return committed.error().during("remove finished runs");
  if (finished_) *finished_ -= chosen->size();
  return chosen->size();
}

// From the oldest ending on: all of those beyond the count and of those too old stand before all others. A run that is
// still needed stays, and does not make a younger one go in its place.
Result<std::vector<RunRemoval::Removable>> RunRemoval::choose(const Retention& keep, TimePoint now, std::size_t most) {
  std::size_t beyond_count = 0;
  if (keep.max_count) {
    auto beyond = count_beyond(*keep.max_count);
    if (!beyond) return fail(std::move(beyond.error()));
    beyond_count = *beyond;
  }
  std::vector<Removable> chosen;
  oldest_.reset();
  const store::ScopedReset done(oldest_);
  for (std::size_t rank = 0; chosen.size() < most; ++rank) {
    auto row = oldest_.step();
    if (!row) return fail(std::move(row.error()));
    if (!*row) break;
    const bool too_old = keep.max_age && now - oldest_.time(1) > *keep.max_age;
    if (rank >= beyond_count && !too_old) break;
    const bool needed = oldest_.int64(3) != 0;
    if (needed) continue;
    chosen.push_back({.run = oldest_.int64(0), .last_event = oldest_.int64(2)});
  }
  return chosen;
}

Result<std::size_t> RunRemoval::count_beyond(std::size_t max_count) {
  if (!finished_) {
    const store::ScopedReset done(count_);
    auto row = count_.step();
    if (!row) return fail(std::move(row.error()));
    finished_ = static_cast<std::size_t>(count_.int64(0));
  }
  return *finished_ > max_count ? *finished_ - max_count : 0;
}

// A chain that is damaged ends early: what cannot be reached stays, in nobody's way.
Result<> RunRemoval::remove(const Removable& run) {
  std::int64_t n = run.last_event;
  while (n != 0) {
    remove_event_.bind_all(n, run.run);
    auto row = remove_event_.step();
    if (!row) return fail(std::move(row.error()));
    if (!*row) break;
    n = remove_event_.int64(0);
    if (auto ended = remove_event_.run(); !ended) return ended;
  }
  if (auto removed = remove_payloads_.run(request_key(run.run), response_key(run.run)); !removed) return removed;
  return remove_run_.run(run.run);
}

}  // namespace slipway::fsm
