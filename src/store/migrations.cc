#include "store/migrations.h"

#include <algorithm>

#include "store/transaction.h"

namespace slipway::store {
namespace {

Result<> check_list(const Schema& schema) {
  if (schema.application_id == 0) return fail(ErrorKind::kInternal, "the schema has no application id");
  std::int32_t expected = 1;
  for (const auto& step : schema.migrations) {
    if (step.version != expected) {
      return fail(ErrorKind::kInternal, "the schema's step {} ({}) stands in the place of step {}", step.version,
                  step.why, expected);
    }
    ++expected;
  }
  return {};
}

// The last step in the ledger, 0 without one.
Result<std::int32_t> ledger_version(Database& db) {
  auto table = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migrations'");
  if (!table) return fail(std::move(table.error()));
  auto there = table->step();
  if (!there) return fail(std::move(there.error()));
  if (!*there) return 0;
  auto last = db.prepare("SELECT coalesce(max(version), 0) FROM schema_migrations");
  if (!last) return fail(std::move(last.error()));
  if (auto row = last->step(); !row) return fail(std::move(row.error()));
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(last->int64(0), 0, INT32_MAX));
}

// The version of a database that is ours, or still empty.
Result<std::int32_t> version_of(Database& db, const Schema& schema) {
  if (auto ours = db.check_application_id(schema.application_id); !ours) return fail(std::move(ours.error()));
  auto version = db.user_version();
  if (!version) return version;
  if (schema.keeps_ledger) {
    auto recorded = ledger_version(db);
    if (!recorded) return recorded;
    // Less is a step that the ledger lacks, which check-ups may say; more is a newer program's work.
    version = std::max(*version, *recorded);
  }
  if (*version > schema.version()) {
    return fail(
        Error(ErrorKind::kUnsupported, fmt::format("{} has schema version {}, and this program knows versions up to {}",
                                                   db.path(), *version, schema.version()))
            .with_hint("use the newer program that wrote it, or restore a copy from before it did"));
  }
  return version;
}

Result<> write_down(Database& db, const Migration& step, const sys::Clock& clock) {
  auto made = db.execute(
      "CREATE TABLE IF NOT EXISTS schema_migrations ("
      "version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL, description TEXT NOT NULL) STRICT");
  if (!made) return made;
  auto entry = db.prepare("INSERT INTO schema_migrations (version, applied_at, description) VALUES (?1, ?2, ?3)");
  if (!entry) return fail(std::move(entry.error()));
  return entry->run(step.version, clock.now(), step.why);
}

Result<> apply(Database& db, const Schema& schema, const Migration& step, const sys::Clock* clock) {
  auto transaction = Transaction::begin(db);
  if (!transaction) return fail(std::move(transaction.error()));
  // Asked again under the write lock: another process may have taken the step in between.
  auto version = version_of(db, schema);
  if (!version) return fail(std::move(version.error()));
  if (*version >= step.version) return {};
  if (auto changed = db.execute(step.sql); !changed) return changed;
  if (schema.keeps_ledger) {
    if (auto written = write_down(db, step, *clock); !written) return written;
  }
  auto stamped = db.execute(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", schema.application_id, step.version));
  if (!stamped) return stamped;
  return transaction->commit();
}

Result<> migrate_with(Database& db, const Schema& schema, const sys::Clock* clock) {
  if (auto sound = check_list(schema); !sound) return sound;
  auto version = version_of(db, schema);
  if (!version) return version.error().during("migrate");
  for (const auto& step : schema.migrations) {
    if (step.version <= *version) continue;
    if (auto applied = apply(db, schema, step, clock); !applied) {
      return applied.error().during("migrate {} to version {} ({})", db.path(), step.version, step.why);
    }
  }
  return {};
}

}  // namespace

Result<> migrate(Database& db, const Schema& schema) {
  if (schema.keeps_ledger) return fail(ErrorKind::kInternal, "a schema with a ledger needs a clock");
  return migrate_with(db, schema, nullptr);
}

Result<> migrate(Database& db, const Schema& schema, const sys::Clock& clock) {
  return migrate_with(db, schema, &clock);
}

Result<> check_schema(Database& db, const Schema& schema) {
  auto version = version_of(db, schema);
  if (!version) return fail(std::move(version.error()));
  if (*version == schema.version()) return {};
  return fail(Error(ErrorKind::kUnsupported, fmt::format("{} has schema version {}, and this program reads version {}",
                                                         db.path(), *version, schema.version()))
                  .with_hint("let this program's owner of the file open it once, which brings it up to date"));
}

}  // namespace slipway::store
