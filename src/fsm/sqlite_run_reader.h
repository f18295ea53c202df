// The reading half of the SQLite run store: one read-only connection. The store itself reads through one, and so does
// another process that only wants to look.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "fsm/run_rows.h"
#include "fsm/run_store.h"
#include "store/database.h"
#include "sys/mutex.h"

namespace slipway::fsm {

// Thread-safe; a call waits for the one before it. Works while a store, here or in another process, writes.
class SqliteRunReader final : public RunReader {
 public:
  // kNotFound when there is no such file; kUnsupported when it is not a run store of this program's version.
  [[nodiscard]] static Result<std::unique_ptr<SqliteRunReader>> open(const std::string& path);

  Result<std::optional<RunRecord>> find(RunVersion version) override;
  Result<std::optional<RunVersion>> latest(const std::string& machine, const std::string& id) override;
  Result<std::vector<RunRecord>> list(const RunFilter& filter) override;
  Result<std::vector<RunEvent>> history(RunVersion version) override;

  // What RunStore's functions of these names say.
  [[nodiscard]] Result<> load_active(std::size_t payload_limit, const std::function<void(RunStore::ActiveRun&&)>& take);
  [[nodiscard]] Result<RunVersion> greatest_version();

  [[nodiscard]] Result<bool> is_active(RunVersion version);

 private:
  class Snapshot;

  explicit SqliteRunReader(store::Database db) : db_(std::move(db)) {}

  Result<> prepare() SLIPWAY_REQUIRES(mutex_);
  Result<RunRecord> read_record(const store::Statement& row) SLIPWAY_REQUIRES(mutex_);
  Result<std::shared_ptr<const Plan>> find_plan(std::int64_t plan) SLIPWAY_REQUIRES(mutex_);
  Result<std::string> read_payload(const store::Statement& row, int column, std::int64_t key) SLIPWAY_REQUIRES(mutex_);
  Result<EventRow> event_at(std::int64_t n) SLIPWAY_REQUIRES(mutex_);
  Result<> read_payloads(RunRecord& record, const store::Statement& row) SLIPWAY_REQUIRES(mutex_);
  Result<std::vector<RunStore::ActiveRun>> read_active(std::size_t payload_limit) SLIPWAY_REQUIRES(mutex_);

  sys::Mutex mutex_;
  store::Database db_ SLIPWAY_GUARDED_BY(mutex_);
  store::Statement begin_ SLIPWAY_GUARDED_BY(mutex_);
  store::Statement end_ SLIPWAY_GUARDED_BY(mutex_);
  store::Statement find_ SLIPWAY_GUARDED_BY(mutex_);
  store::Statement latest_ SLIPWAY_GUARDED_BY(mutex_);
  store::Statement head_ SLIPWAY_GUARDED_BY(mutex_);
  store::Statement event_ SLIPWAY_GUARDED_BY(mutex_);
  store::Statement plan_ SLIPWAY_GUARDED_BY(mutex_);
  store::Statement payload_ SLIPWAY_GUARDED_BY(mutex_);
  std::unordered_map<std::int64_t, std::shared_ptr<const Plan>> plans_ SLIPWAY_GUARDED_BY(mutex_);
};

}  // namespace slipway::fsm
