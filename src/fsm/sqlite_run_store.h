// The run store that comes with the runtime: one SQLite file, owned by one process for writing, open to all for
// reading. fsm/run_schema.h says what is in it. Beside the file `runs.db` stand
//
//   runs.db-wal, runs.db-shm   SQLite's
//   runs.db.lock               the owner's name and lock
//   runs.db.inflight           who is inside a handler
//
// Files and directories made here are private to the user.
//
// Fault points: fsm.commit.before (nothing begun), fsm.commit.written (all rows written, nothing committed) and
// fsm.commit.after (durable, not yet reported). A failure at the first two is commit()'s error; at the last one, where
// there is nothing to fail any more, only a kill has an effect.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/error.h"
#include "fsm/run_store.h"
#include "sys/clock.h"

namespace slipway::fsm {

struct SqliteOptions {
  std::size_t slots = 512;  // of in_flight(): as many as handlers can be under way at once
  int cache_kib = 16 * 1024;
  int wal_autocheckpoint_pages = 1000;
  sys::Clock* clock = nullptr;  // null: the system's. For the owner's line in the lock file only
};

class SqliteRunStore {
 public:
  // Makes the file and missing directories. kConflict when another process, or this one, owns the store: the message
  // names it. kUnsupported when the file was written by a newer program, or is not a run store.
  [[nodiscard]] static Result<std::unique_ptr<RunStore>> open(const std::string& path,
                                                              const SqliteOptions& options = {});
};

// For looking at a store that somebody else may own: works while the owner writes. kNotFound when there is no file.
[[nodiscard]] Result<std::unique_ptr<RunReader>> open_run_reader(const std::string& path);

}  // namespace slipway::fsm
