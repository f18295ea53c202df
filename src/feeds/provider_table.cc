#include "feeds/provider_table.h"

#include <utility>

#include "base/json.h"
#include "store/query.h"

namespace slipway::feeds::provider_table {
namespace {

constexpr std::string_view kColumns =
    "SELECT p.id, p.type, p.state, p.outcome, p.error, p.instance, p.resume_at, p.generation, p.processed, p.errors, "
    "p.source_tag, p.completed_at, p.created_at, p.updated_at, "
    "c.urn, c.processed_at, c.success, c.error, c.source_tag, c.position "
    "FROM provider p LEFT JOIN checkpoint c ON c.provider = p.id ";

using store::run;

std::string write_error(const Error& error) {
  const Json json{{"kind", to_string(error.kind())}, {"message", error.message()}, {"hint", error.hint()}};
  return json.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

Error read_error(std::string_view text) {
  const auto json = parse_json(text);
  if (!json || !json->is_object()) return Error(ErrorKind::kInternal, std::string(text));
  const auto kind = parse_error_kind(json->value("kind", "")).value_or(ErrorKind::kInternal);
  return Error(kind, json->value("message", "")).with_hint(json->value("hint", ""));
}

Result<ProviderRow> read(const store::Statement& row, int /*column*/) {
  ProviderRow provider;
  provider.id = row.text(0);
  provider.type = row.text(1);
  const auto state = parse_provider_state(row.text(2));
  if (!state) return fail(ErrorKind::kCorrupt, "provider {} is in a state {}, which is none", provider.id, row.text(2));
  provider.state = *state;
  if (!row.is_null(3)) provider.outcome = parse_outcome(row.text(3));
  if (!row.is_null(4)) provider.error = read_error(row.text(4));
  provider.instance = row.int64(5);
  provider.resume_at = store::optional_time(row, 6);
  provider.generation = row.int64(7);
  provider.processed = row.int64(8);
  provider.errors = row.int64(9);
  provider.source_tag = row.text(10);
  provider.completed_at = store::optional_time(row, 11);
  provider.created_at = row.time(12);
  provider.updated_at = row.time(13);
  if (row.is_null(14)) return provider;
  provider.checkpoint = Checkpoint{.urn = std::string(row.text(14)),
                                   .processed_at = row.time(15),
                                   .success = row.int64(16) != 0,
                                   .error = std::string(row.text(17)),
                                   .source_tag = std::string(row.text(18)),
                                   .position = std::string(row.text(19))};
  return provider;
}

}  // namespace

Result<std::vector<ProviderRow>> list(store::Connection& db) {
  static const std::string sql = std::string(kColumns) + "ORDER BY p.id";
  return store::select<ProviderRow>(db, sql, read);
}

Result<std::optional<ProviderRow>> find(store::Connection& db, const std::string& id) {
  static const std::string sql = std::string(kColumns) + "WHERE p.id = ?1";
  return store::select_one<ProviderRow>(db, sql, read, id);
}

Result<> insert(store::Connection& db, const std::string& id, const std::string& type, TimePoint now) {
  return run(db,
             "INSERT INTO provider (id, type, state, instance, generation, processed, errors, created_at, updated_at) "
             "VALUES (?1, ?2, 'IDLE', 1, 0, 0, 0, ?3, ?3)",
             id, type, now);
}

Result<> save_state(store::Connection& db, const ProviderRow& row, TimePoint now) {
  std::optional<std::string_view> outcome;
  if (row.outcome) outcome = to_string(*row.outcome);
  std::optional<std::string> error;
  if (row.error) error = write_error(*row.error);
  return run(db,
             "UPDATE provider SET state = ?2, outcome = ?3, error = ?4, instance = ?5, resume_at = ?6, updated_at = ?7 "
             "WHERE id = ?1",
             row.id, to_string(row.state), outcome, error, row.instance, row.resume_at, now);
}

Result<> begin_sync(store::Connection& db, const std::string& id, TimePoint now) {
  if (auto gone = run(db, "DELETE FROM bad_record WHERE provider = ?1", id); !gone) return gone;
  if (auto gone = run(db, "DELETE FROM checkpoint WHERE provider = ?1", id); !gone) return gone;
  return run(
      db, "UPDATE provider SET generation = generation + 1, processed = 0, errors = 0, updated_at = ?2 WHERE id = ?1",
      id, now);
}

Result<> add_counts(store::Connection& db, const std::string& id, std::int64_t processed, std::int64_t errors,
                    TimePoint now) {
  return run(db, "UPDATE provider SET processed = processed + ?2, errors = errors + ?3, updated_at = ?4 WHERE id = ?1",
             id, processed, errors, now);
}

Result<> set_completed(store::Connection& db, const std::string& id, const std::string& source_tag, TimePoint now) {
  if (auto end = run(db, "UPDATE checkpoint SET position = '' WHERE provider = ?1", id); !end) return end;
  return run(db, "UPDATE provider SET source_tag = ?2, completed_at = ?3, updated_at = ?3 WHERE id = ?1", id,
             source_tag, now);
}

Result<> put_checkpoint(store::Connection& db, const std::string& id, const Checkpoint& checkpoint) {
  return run(db,
             "INSERT INTO checkpoint (provider, urn, processed_at, success, error, source_tag, position) "
             "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (provider) DO UPDATE SET urn = excluded.urn, "
             "processed_at = excluded.processed_at, success = excluded.success, error = excluded.error, "
             "source_tag = excluded.source_tag, position = excluded.position",
             id, checkpoint.urn, checkpoint.processed_at, checkpoint.success ? 1 : 0, checkpoint.error,
             checkpoint.source_tag, checkpoint.position);
}

Result<> add_bad_record(store::Connection& db, const std::string& id, const BadRecord& bad, TimePoint now) {
  return run(db, "INSERT INTO bad_record (provider, name, processed_at, error) VALUES (?1, ?2, ?3, ?4)", id, bad.name,
             now, bad.error);
}

}  // namespace slipway::feeds::provider_table
