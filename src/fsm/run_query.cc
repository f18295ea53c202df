#include "fsm/run_query.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "fsm/run_rows.h"

namespace slipway::fsm {
namespace {

bool only_active(const RunFilter& filter, std::optional<StoredState> state) {
  return filter.phase == RunFilter::Phase::kActive || (state && *state != StoredState::kFinished);
}

// SQLite has no statistics here, and would follow the order of the versions through all finished runs to find a few.
// So the index that leaves the fewest is named; without one, the newest first is the right order to look in.
std::string_view index_for(const RunFilter& filter, std::optional<StoredState> state) {
  if (filter.parent) return "INDEXED BY runs_by_parent";
  if (filter.id) return "INDEXED BY runs_by_id";
  if (only_active(filter, state)) return "INDEXED BY runs_active";
  return "";
}

}  // namespace

Result<RunQuery> RunQuery::make(const RunFilter& filter) {
  std::optional<StoredState> state;
  if (filter.state) {
    state = parse_stored_state(*filter.state);
    if (!state) return fail(ErrorKind::kInvalid, "no state of a run is named \"{}\"", *filter.state);
  }
  RunQuery query;
  // Chosen first and read then: what SQLite sorts to find the newest is not whole rows.
  query.sql_ = fmt::format("SELECT {} FROM runs WHERE run IN (SELECT run FROM runs {} WHERE 1", kRunColumns,
                           index_for(filter, state));
  if (only_active(filter, state)) query.require("finished_at IS NULL");
  if (filter.phase == RunFilter::Phase::kFinished) query.require("finished_at IS NOT NULL");
  if (filter.machine) query.require("machine =", std::string_view(*filter.machine));
  if (filter.id) query.require("id =", store::as_blob(*filter.id));
  if (state) query.require("state =", static_cast<std::int64_t>(*state));
  if (filter.ending) query.require("ending =", static_cast<std::int64_t>(to_stored(*filter.ending)));
  if (filter.parent) query.require("parent =", filter.parent->ulid());
  if (filter.started_from) query.require("started_at >=", to_micros(*filter.started_from));
  if (filter.started_before) query.require("started_at <", to_micros(*filter.started_before));
  if (filter.older_than) query.require("version <", filter.older_than->ulid());
  constexpr std::size_t kMost = std::numeric_limits<std::int64_t>::max();
  query.values_.emplace_back(static_cast<std::int64_t>(std::min(filter.limit, kMost)));
  query.sql_ += " ORDER BY version DESC LIMIT ?) ORDER BY +version DESC";
  return query;
}

void RunQuery::bind(store::Statement& statement) const {
  statement.reset();
  int parameter = 0;
  for (const auto& value : values_) {
    ++parameter;
    std::visit([&](const auto& held) { statement.bind(parameter, held); }, value);
  }
}

void RunQuery::require(std::string_view condition) { sql_ += fmt::format(" AND {}", condition); }

void RunQuery::require(std::string_view condition, Value value) {
  sql_ += fmt::format(" AND {} ?", condition);
  values_.push_back(value);
}

}  // namespace slipway::fsm
