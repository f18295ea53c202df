// Between the values of fsm/run.h and fsm/event.h and the rows of fsm/run_schema.h. Reading trusts nothing: a value
// that no writer of ours can have stored is kCorrupt, and names the run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "fsm/event.h"
#include "fsm/run.h"
#include "fsm/run_schema.h"
#include "store/statement.h"

namespace slipway::fsm {

[[nodiscard]] StoredEnding to_stored(Ending ending);
// Nothing for what is not a name as of name_of().
[[nodiscard]] std::optional<StoredState> parse_stored_state(std::string_view name);

[[nodiscard]] Result<std::string> encode_plan(const Plan& plan);
[[nodiscard]] Result<Plan> decode_plan(std::string_view names);

// A state, spread over the columns that hold it. Views into the state it was made of.
struct StateColumns {
  explicit StateColumns(const RunState& of);

  StoredState state;
  std::optional<TimePoint> due;
  std::optional<TimePoint> finished_at;
  std::optional<StoredEnding> ending;
  std::optional<std::string> reason;
  const Error* error = nullptr;
};

// The columns that read_run() wants, in its order; more may follow them.
inline constexpr std::string_view kRunColumns =
    "run, version, machine, id, plan, queue, priority, started_at, not_before, after_version, after_any, parent, "
    "seq, position, arrival, retries, crashes, cancel_cause, state, due, finished_at, ending, reason, "
    "error_kind, error_message, error_hint";
inline constexpr int kRunColumnCount = 26;

using FindPlan = std::function<Result<std::shared_ptr<const Plan>>(std::int64_t plan)>;

// The row at hand, without request and response.
[[nodiscard]] Result<RunRecord> read_run(const store::Statement& row, const FindPlan& find_plan);

// The columns that read_event() wants, in its order.
inline constexpr std::string_view kEventColumns =
    "run, seq, prev, kind, at, retry, took, transition, note, ending, error_kind, error_message, error_hint";

struct EventRow {
  std::int64_t run = 0;
  std::int64_t seq = 0;
  std::optional<std::int64_t> prev;
  Event event;
};
[[nodiscard]] Result<EventRow> read_event(const store::Statement& row);

// The bytes of a column of any kind, exactly; empty for NULL.
[[nodiscard]] std::string read_bytes(const store::Statement& row, int column);

}  // namespace slipway::fsm
