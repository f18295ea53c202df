#include "store/migrations.h"

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

// The version of a database that is ours, or still empty.
Result<std::int32_t> version_of(Database& db, const Schema& schema) {
  if (auto ours = db.check_application_id(schema.application_id); !ours) return fail(std::move(ours.error()));
  auto version = db.user_version();
  if (!version) return version;
  if (*version > schema.version()) {
    return fail(
        Error(ErrorKind::kUnsupported, fmt::format("{} has schema version {}, and this program knows versions up to {}",
                                                   db.path(), *version, schema.version()))
            .with_hint("use the newer program that wrote it, or restore a copy from before it did"));
  }
  return version;
}

Result<> apply(Database& db, const Schema& schema, const Migration& step) {
  auto transaction = Transaction::begin(db);
  if (!transaction) return fail(std::move(transaction.error()));
  // Asked again under the write lock: another process may have taken the step in between.
  auto version = version_of(db, schema);
  if (!version) return fail(std::move(version.error()));
  if (*version >= step.version) return {};
  if (auto changed = db.execute(step.sql); !changed) return changed;
  auto stamped = db.execute(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", schema.application_id, step.version));
  if (!stamped) return stamped;
  return transaction->commit();
}

}  // namespace

Result<> migrate(Database& db, const Schema& schema) {
  if (auto sound = check_list(schema); !sound) return sound;
  auto version = version_of(db, schema);
  if (!version) return version.error().during("migrate");
  for (const auto& step : schema.migrations) {
    if (step.version <= *version) continue;
    if (auto applied = apply(db, schema, step); !applied) {
      return applied.error().during("migrate {} to version {} ({})", db.path(), step.version, step.why);
    }
  }
  return {};
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
