#include "snapshot.h"

#include <utility>

#include "fsm/sqlite_run_store.h"

namespace slipway::crash {

Result<Snapshot> read_snapshot(const std::string& store_path) {
  auto reader = fsm::open_run_reader(store_path);
  if (!reader) return fail(std::move(reader.error()));
  auto listed = (*reader)->list({.limit = 1'000'000});
  if (!listed) return fail(std::move(listed.error()));
  Snapshot snapshot;
  for (const auto& run : *listed) {
    const auto version = run.spec.version;
    auto record = (*reader)->find(version);
    if (!record) return fail(std::move(record.error()));
    if (!*record) return fail(ErrorKind::kCorrupt, "run {} is listed, and cannot be found", version);
    auto history = (*reader)->history(version);
    if (!history) return fail(std::move(history.error()));
    snapshot.emplace(version, StoredRun{std::move(**record), std::move(*history)});
  }
  return snapshot;
}

}  // namespace slipway::crash
