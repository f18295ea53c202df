// The tables of a run store, and the numbers that stand in them.
//
// runs      One row a run. What moves stands first, in few bytes; payloads last, and only small ones (kInlinePayload):
//           SQLite writes a row as a whole, so a large payload in it would be written again with every move.
//           A run is active exactly as long as `finished_at` is NULL. The partial indexes say it with that column and
//           not with `state`, because SQLite rewrites a partial index's entry whenever a column of its condition is
//           set: so a move from one active state to another touches no index at all.
//           `reason` is why a run is parked, or the version of the run that an awaiting one waits for.
// payloads  The large ones: `key` is 2 * run for a request, 2 * run + 1 for a response. A NULL in runs points here.
// plans     Each list of transition names once, as JSON; a machine's runs share it. Never removed: a program has few.
// events    The history of all runs as one log, in the order of `n`: a write is always an append at the right edge of
//           one tree, whatever the number of runs under way. A run's events are a chain over `prev`, from
//           runs.last_event back to its first. The road not taken: clustering by (run, seq) reads a history in one
//           sweep, and was measured 20 to 30 % slower to write with many runs at once, because each writes to a page
//           of its own; an index over the log costs the same.
// kept      One row: what must not be forgotten when the rows that say it are removed. `n` and versions never repeat.
//
// Numbers stored in `state`, `ending` and `kind` may be added to, never changed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "store/migrations.h"

namespace slipway::fsm {

// runs.state.
enum class StoredState : std::uint8_t {
  kFollowing = 1,
  kDelayed = 2,
  kQueued = 3,
  kRunning = 4,
  kBackingOff = 5,
  kParked = 6,
  kFinishing = 7,
  kFinished = 8,
  kAwaiting = 9,
};

// runs.ending, events.ending.
enum class StoredEnding : std::uint8_t { kCompleted = 1, kHandedOff = 2, kFailed = 3, kAborted = 4, kCancelled = 5 };

// Payloads of up to so many bytes stand in runs: two of them and the rest of the row fit into one page of 4096.
inline constexpr std::size_t kInlinePayload = 1024;

// payloads.key.
[[nodiscard]] constexpr std::int64_t request_key(std::int64_t run) { return 2 * run; }
[[nodiscard]] constexpr std::int64_t response_key(std::int64_t run) { return 2 * run + 1; }

inline constexpr std::array kRunMigrations{
    store::Migration{
        .version = 1,
        .sql = R"sql(
          CREATE TABLE runs (
            run INTEGER PRIMARY KEY,
            version BLOB NOT NULL UNIQUE,
            seq INTEGER NOT NULL,
            state INTEGER NOT NULL,
            position INTEGER NOT NULL,
            arrival INTEGER NOT NULL,
            retries INTEGER NOT NULL,
            crashes INTEGER NOT NULL,
            last_event INTEGER,
            finished_at INTEGER,
            due INTEGER,
            ending INTEGER,
            machine TEXT NOT NULL,
            id BLOB NOT NULL,
            plan INTEGER NOT NULL,
            queue TEXT NOT NULL,
            priority INTEGER NOT NULL,
            started_at INTEGER NOT NULL,
            not_before INTEGER,
            after_version BLOB,
            after_any INTEGER NOT NULL,
            parent BLOB,
            cancel_cause TEXT,
            reason TEXT,
            error_kind TEXT,
            error_message TEXT,
            error_hint TEXT,
            request BLOB,
            response BLOB
          ) STRICT;
          CREATE UNIQUE INDEX runs_active ON runs (machine, id) WHERE finished_at IS NULL;
          CREATE INDEX runs_by_id ON runs (id, machine, version);
          CREATE INDEX runs_finished ON runs (finished_at) WHERE finished_at IS NOT NULL;
          CREATE INDEX runs_following ON runs (after_version)
            WHERE finished_at IS NULL AND after_version IS NOT NULL;
          CREATE INDEX runs_by_parent ON runs (parent, version) WHERE parent IS NOT NULL;

          CREATE TABLE payloads (key INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;

          CREATE TABLE plans (plan INTEGER PRIMARY KEY, names TEXT NOT NULL UNIQUE) STRICT;

          CREATE TABLE events (
            n INTEGER PRIMARY KEY,
            run INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            prev INTEGER,
            kind INTEGER NOT NULL,
            at INTEGER NOT NULL,
            retry INTEGER NOT NULL,
            took INTEGER NOT NULL,
            transition TEXT NOT NULL,
            note TEXT NOT NULL,
            ending INTEGER,
            error_kind TEXT,
            error_message TEXT,
            error_hint TEXT
          ) STRICT;

          CREATE TABLE kept (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            greatest_version BLOB NOT NULL,
            last_event INTEGER NOT NULL
          ) STRICT;
          INSERT INTO kept VALUES (1, zeroblob(16), 0);
        )sql",
        .why = "runs and their history",
    },
};

inline constexpr store::Schema kRunSchema{
    .application_id = 0x534C5752,  // "SLWR"
    .migrations = kRunMigrations,
};

}  // namespace slipway::fsm
