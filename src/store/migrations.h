// The schema of a database file as a list of steps, each applied once and in order. The file's header says how far it
// is (user_version) and whose it is (application_id).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/error.h"
#include "store/database.h"
#include "sys/clock.h"

namespace slipway::store {

struct Migration {
  std::int32_t version;  // counts from 1, without gaps
  std::string_view sql;  // any number of statements; no BEGIN or COMMIT
  std::string_view why;  // for the reader of the list, of an error, and of the ledger
};

// A released step is never edited: files that have it will not see the edit.
struct Schema {
  std::int32_t application_id;  // not 0
  std::span<const Migration> migrations;
  // Each step is written down, in its own transaction, in a table schema_migrations(version, applied_at, description);
  // applied_at is in microseconds since 1970. A version that stands there counts like one in the header.
  bool keeps_ledger = false;

  [[nodiscard]] std::int32_t version() const { return static_cast<std::int32_t>(migrations.size()); }
};

// Brings the database up to the schema's version, one transaction a step: a crash leaves a whole number of steps.
// kUnsupported when the file is another program's, or newer than this program; then nothing is changed.
//
// Any number of processes may do so at once: one takes a step, the others find it taken.
[[nodiscard]] Result<> migrate(Database& db, const Schema& schema);
// With the clock that dates the ledger's entries; the other form is for schemas without one.
[[nodiscard]] Result<> migrate(Database& db, const Schema& schema, const sys::Clock& clock);

// For those who only read: kUnsupported unless the database is of exactly this schema and version.
[[nodiscard]] Result<> check_schema(Database& db, const Schema& schema);

}  // namespace slipway::store
