#include "fsm/run_rows.h"

#include <array>
#include <limits>
#include <variant>

#include "base/json.h"

namespace slipway::fsm {
namespace {

// Positions in kRunColumns.
enum RunColumn : std::uint8_t {
  kRun,
  kVersion,
  kMachine,
  kId,
  kPlan,
  kQueue,
  kPriority,
  kStartedAt,
  kNotBefore,
  kAfterVersion,
  kAfterAny,
  kParent,
  kSeq,
  kPosition,
  kArrival,
  kRetries,
  kCrashes,
  kCancelCause,
  kState,
  kDue,
  kFinishedAt,
  kEnding,
  kReason,
  kErrorKind,
  kErrorMessage,
  kErrorHint,
};
static_assert(kErrorHint + 1 == kRunColumnCount);

// By alternative of RunState.
constexpr std::array<StoredState, std::variant_size_v<RunState>> kStoredStates{
    StoredState::kFollowing, StoredState::kDelayed,    StoredState::kQueued,
    StoredState::kRunning,   StoredState::kBackingOff, StoredState::kParked,
    StoredState::kFinishing, StoredState::kFinished,   StoredState::kAwaiting};

// Positions in kEventColumns.
enum EventColumn : std::uint8_t {
  kEventRun,
  kEventSeq,
  kEventPrev,
  kEventKind,
  kEventAt,
  kEventRetry,
  kEventTook,
  kEventTransition,
  kEventNote,
  kEventEnding,
  kEventErrorKind,
  kEventErrorMessage,
  kEventErrorHint,
};

template <class T>
Result<T> read_number(const store::Statement& row, int column, const char* name) {
  const std::int64_t value = row.int64(column);
  if (row.is_null(column) || !std::in_range<T>(value)) return fail(ErrorKind::kCorrupt, "its {} is {}", name, value);
  return static_cast<T>(value);
}

// Reads into `to`; false with `problem` set when that cannot be.
template <class T>
bool read_into(T& to, const store::Statement& row, int column, const char* name, std::optional<Error>& problem) {
  auto value = read_number<T>(row, column, name);
  if (value) {
    to = *value;
  } else {
    problem = std::move(value.error());
  }
  return value.has_value();
}

std::optional<TimePoint> read_time(const store::Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return row.time(column);
}

Result<std::optional<RunVersion>> read_version(const store::Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  auto ulid = row.ulid(column);
  if (!ulid) return fail(std::move(ulid.error()));
  return RunVersion(*ulid);
}

Result<std::optional<Ending>> read_ending(const store::Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  const std::int64_t number = row.int64(column);
  for (const auto ending :
       {Ending::kCompleted, Ending::kHandedOff, Ending::kFailed, Ending::kAborted, Ending::kCancelled}) {
    if (static_cast<std::int64_t>(to_stored(ending)) == number) return ending;
  }
  return fail(ErrorKind::kCorrupt, "there is no ending {}", number);
}

// A kind that this program does not know comes from a newer one: the error is no less an error for that.
std::optional<Error> read_error(const store::Statement& row, int kind_column) {
  if (row.is_null(kind_column)) return std::nullopt;
  const auto kind = parse_error_kind(row.text(kind_column)).value_or(ErrorKind::kInternal);
  return Error(kind, std::string(row.text(kind_column + 1))).with_hint(std::string(row.text(kind_column + 2)));
}

Result<RunState> read_state(const store::Statement& row) {
  const std::int64_t number = row.int64(kState);
  const auto due = read_time(row, kDue);
  const auto finished_at = read_time(row, kFinishedAt);
  auto ending = read_ending(row, kEnding);
  if (!ending) return fail(std::move(ending.error()));
  if (finished_at.has_value() != (number == static_cast<std::int64_t>(StoredState::kFinished))) {
    return fail(ErrorKind::kCorrupt, "its state {} does not go with its time of ending", number);
  }
  const auto lacks = [&](const char* what) {
    return fail(ErrorKind::kCorrupt, "its state {} has no {}", number, what);
  };
  if (number < 0 || number > std::numeric_limits<std::uint8_t>::max()) {
    return fail(ErrorKind::kCorrupt, "there is no state {}", number);
  }
  switch (static_cast<StoredState>(number)) {
    case StoredState::kFollowing: return Following{};
    case StoredState::kDelayed:
      if (!due) return lacks("due time");
      return Delayed{*due};
    case StoredState::kQueued: return Queued{};
    case StoredState::kRunning: return Running{};
    case StoredState::kBackingOff:
      if (!due) return lacks("due time");
      return BackingOff{*due};
    case StoredState::kParked: return Parked{std::string(row.text(kReason))};
    case StoredState::kFinishing:
      if (!*ending) return lacks("ending");
      return Finishing{**ending, read_error(row, kErrorKind)};
    case StoredState::kFinished:
      if (!*ending) return lacks("ending");
      return Finished{**ending, read_error(row, kErrorKind), *finished_at};
    case StoredState::kAwaiting: {
      const auto awaited = RunVersion::parse(row.text(kReason));
      if (!awaited) return lacks("run to wait for");
      return Awaiting{*awaited};
    }
  }
  return fail(ErrorKind::kCorrupt, "there is no state {}", number);
}

Result<> read_spec(RunSpec& spec, const store::Statement& row, const FindPlan& find_plan) {
  auto plan = find_plan(row.int64(kPlan));
  if (!plan) return fail(std::move(plan.error()));
  auto after = read_version(row, kAfterVersion);
  if (!after) return fail(std::move(after.error()));
  auto parent = read_version(row, kParent);
  if (!parent) return fail(std::move(parent.error()));
  auto priority = read_number<int>(row, kPriority, "priority");
  if (!priority) return fail(std::move(priority.error()));
  spec.machine = row.text(kMachine);
  spec.id = read_bytes(row, kId);
  spec.plan = std::move(*plan);
  spec.queue = row.text(kQueue);
  spec.priority = *priority;
  spec.not_before = read_time(row, kNotBefore);
  spec.after = *after;
  spec.after_any_ending = row.int64(kAfterAny) != 0;
  spec.parent = *parent;
  spec.started_at = row.time(kStartedAt);
  return {};
}

Result<> read_progress(RunRecord& record, const store::Statement& row) {
  auto state = read_state(row);
  if (!state) return fail(std::move(state.error()));
  Progress& progress = record.progress;
  progress.state = std::move(*state);
  std::optional<Error> problem;
  const bool sound = read_into(progress.position, row, kPosition, "position", problem) &&
                     read_into(progress.arrival, row, kArrival, "arrival", problem) &&
                     read_into(progress.retries, row, kRetries, "number of retries", problem) &&
                     read_into(progress.crashes, row, kCrashes, "number of crashes", problem) &&
                     read_into(record.seq, row, kSeq, "last event", problem);
  if (!sound) return fail(std::move(*problem));
  if (!row.is_null(kCancelCause)) record.cancel_cause = row.text(kCancelCause);
  return {};
}

}  // namespace

StoredEnding to_stored(Ending ending) {
  switch (ending) {
    case Ending::kCompleted: return StoredEnding::kCompleted;
    case Ending::kHandedOff: return StoredEnding::kHandedOff;
    case Ending::kFailed: return StoredEnding::kFailed;
    case Ending::kAborted: return StoredEnding::kAborted;
    case Ending::kCancelled: return StoredEnding::kCancelled;
  }
  return StoredEnding::kFailed;
}

StateColumns::StateColumns(const RunState& of) : state(kStoredStates.at(of.index())) {
  std::visit(
      [this](const auto& held) {
        if constexpr (requires { held.due; }) due = held.due;
        if constexpr (requires { held.at; }) finished_at = held.at;
        if constexpr (requires { held.reason; }) reason = held.reason;
        if constexpr (requires { held.run; }) reason = held.run.to_string();
        if constexpr (requires { held.ending; }) {
          ending = to_stored(held.ending);
          error = held.error ? &*held.error : nullptr;
        }
      },
      of);
}

std::optional<StoredState> parse_stored_state(std::string_view name) {
  const RunState all[] = {Following{}, Delayed{},   Queued{},   Running{}, BackingOff{},
                          Parked{},    Finishing{}, Finished{}, Awaiting{}};
  for (const auto& state : all) {
    if (name_of(state) == name) return StateColumns(state).state;
  }
  return std::nullopt;
}

Result<std::string> encode_plan(const Plan& plan) {
  return write_json(Json{{"transitions", plan.transitions}, {"end", plan.end}});
}

Result<Plan> decode_plan(std::string_view names) {
  auto json = parse_json(names);
  if (!json) return fail(std::move(json.error()));
  try {
    return Plan{json->at("transitions").get<std::vector<std::string>>(), json->at("end").get<std::string>()};
  } catch (const Json::exception& e) {
    return fail(ErrorKind::kCorrupt, "a plan is not of the expected shape: {}", e.what());
  }
}

Result<RunRecord> read_run(const store::Statement& row, const FindPlan& find_plan) {
  RunRecord record;
  auto version = row.ulid(kVersion);
  if (!version) return version.error().during("run in row {}", row.int64(kRun));
  record.spec.version = RunVersion(*version);
  auto read = read_spec(record.spec, row, find_plan);
  if (read) read = read_progress(record, row);
  if (!read) return read.error().during("run {}", record.spec.version);
  return record;
}

Result<EventRow> read_event(const store::Statement& row) {
  EventRow read{.run = row.int64(kEventRun), .seq = row.int64(kEventSeq)};
  if (!row.is_null(kEventPrev)) read.prev = row.int64(kEventPrev);
  const auto kind = parse_event_kind(row.int64(kEventKind));
  if (!kind) return fail(ErrorKind::kCorrupt, "there is no kind of event {}", row.int64(kEventKind));
  auto ending = read_ending(row, kEventEnding);
  if (!ending) return fail(std::move(ending.error()));
  auto retry = read_number<std::uint32_t>(row, kEventRetry, "retry");
  if (!retry) return fail(std::move(retry.error()));
  read.event = {.kind = *kind,
                .at = row.time(kEventAt),
                .transition = std::string(row.text(kEventTransition)),
                .retry = *retry,
                .took = Duration(row.int64(kEventTook)),
                .error = read_error(row, kEventErrorKind),
                .ending = *ending,
                .note = std::string(row.text(kEventNote))};
  return read;
}

std::string read_bytes(const store::Statement& row, int column) {
  const store::Bytes bytes = row.blob(column);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace slipway::fsm
