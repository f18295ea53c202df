#include "fsm/sqlite_run_writer.h"

#include <utility>

#include "fsm/run_schema.h"
#include "sys/fault.h"

namespace slipway::fsm {
namespace {

// A program has one plan a machine; more come only from a caller that makes a new one for each run.
constexpr std::size_t kMostPlansKnown = 1024;

// The parameters that every move has, in order; the first is the run.
constexpr std::string_view kMove =
    "UPDATE runs SET seq = ?2, state = ?3, position = ?4, arrival = ?5, retries = ?6, crashes = ?7, last_event = ?8, "
    "due = ?9, ending = ?10, reason = ?11, error_kind = ?12, error_message = ?13, error_hint = ?14";
constexpr int kBaseSeqParameter = 15;
constexpr int kFinishedAtParameter = 16;
constexpr int kResponseParameter = 17;

void bind_error(store::Statement& statement, int kind_parameter, const Error* error) {
  if (error == nullptr) return;
  statement.bind(kind_parameter, to_string(error->kind()));
  statement.bind(kind_parameter + 1, std::string_view(error->message()));
  statement.bind(kind_parameter + 2, std::string_view(error->hint()));
}

void bind_inline(store::Statement& statement, int parameter, const std::string& payload) {
  if (payload.size() <= kInlinePayload) statement.bind(parameter, store::as_blob(payload));
}

template <class T>
std::optional<std::int64_t> number(const std::optional<T>& value) {
  if (!value) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

std::optional<Ulid> ulid(const std::optional<RunVersion>& version) {
  if (!version) return std::nullopt;
  return version->ulid();
}

Result<> check_stored(std::span<const Write> writes) {
  for (const auto& write : writes) {
    const auto& events = std::visit([](const auto& w) -> const std::vector<Event>& { return w.events; }, write);
    for (const auto& event : events) {
      if (!is_stored(event.kind)) return fail(ErrorKind::kInvalid, "event {} is never stored", to_string(event.kind));
    }
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<SqliteRunWriter>> SqliteRunWriter::open(const store::OpenOptions& options) {
  auto db = store::Database::open(options);
  if (!db) return fail(std::move(db.error()));
  if (auto migrated = store::migrate(*db, kRunSchema); !migrated) return fail(std::move(migrated.error()));
  std::unique_ptr<SqliteRunWriter> writer(new SqliteRunWriter(std::move(*db)));
  auto ready = writer->prepare();
  if (ready) ready = writer->read_last_event();
  if (!ready) return fail(std::move(ready.error()));
  return writer;
}

Result<> SqliteRunWriter::prepare() {
  const auto move = [](std::string_view more) { return fmt::format("{}{} WHERE run = ?1 AND seq = ?15", kMove, more); };
  const std::pair<store::Statement*, std::string> all[] = {
      {&insert_run_,
       "INSERT INTO runs (version, seq, state, position, arrival, retries, crashes, last_event, finished_at, due, "
       "ending, machine, id, plan, queue, priority, started_at, not_before, after_version, after_any, parent, reason, "
       "error_kind, error_message, error_hint, request, response) "
       "VALUES (?1, ?2, ?3, 0, 0, 0, 0, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, "
       "?19, ?20, ?21, ?22, x'') ON CONFLICT DO NOTHING"},
      {&insert_event_,
       "INSERT INTO events (n, run, seq, prev, kind, at, retry, took, transition, note, ending, error_kind, "
       "error_message, error_hint) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)"},
      {&head_, "SELECT run, seq, last_event, finished_at, response IS NULL FROM runs WHERE version = ?1"},
      {&active_, "SELECT version FROM runs WHERE machine = ?1 AND id = ?2 AND finished_at IS NULL"},
      {&move_[std::to_underlying(MoveShape::kPlain)], move("")},
      {&move_[std::to_underlying(MoveShape::kResponse)], move(", response = ?17")},
      {&move_[std::to_underlying(MoveShape::kFinish)], move(", finished_at = ?16")},
      {&move_[std::to_underlying(MoveShape::kFinishWithResponse)], move(", finished_at = ?16, response = ?17")},
      {&cancel_, "UPDATE runs SET seq = ?2, last_event = ?3, cancel_cause = ?4 WHERE run = ?1 AND seq = ?5"},
      {&find_plan_, "SELECT plan FROM plans WHERE names = ?1"},
      {&insert_plan_, "INSERT INTO plans (names) VALUES (?1)"},
      {&put_payload_, "INSERT OR REPLACE INTO payloads (key, bytes) VALUES (?1, ?2)"},
      {&remove_payload_, "DELETE FROM payloads WHERE key = ?1"},
  };
  for (const auto& [statement, sql] : all) {
    auto prepared = db_.prepare(sql);
    if (!prepared) return fail(std::move(prepared.error()));
    *statement = std::move(*prepared);
  }
  return removal_.prepare(db_);
}

Result<> SqliteRunWriter::read_last_event() {
  auto last = db_.prepare("SELECT max(last_event, coalesce((SELECT max(n) FROM events), 0)) FROM kept");
  if (!last) return fail(std::move(last.error()));
  auto row = last->step();
  if (!row) return fail(std::move(row.error()));
  if (!*row) return fail(ErrorKind::kCorrupt, "{} has lost its row in \"kept\"", db_.path());
  last_event_ = last->int64(0);
  return {};
}

Result<std::vector<WriteResult>> SqliteRunWriter::commit(std::span<const Write> writes) {
  if (writes.empty()) return std::vector<WriteResult>();
  if (auto stored = check_stored(writes); !stored) return fail(std::move(stored.error()));
  if (auto fault = fault::check("fsm.commit.before")) return fail(std::move(*fault));
  newly_finished_ = 0;
  auto results = write_all(writes);
  if (!results) {
    plans_.clear();  // what they learnt was rolled back
    heads_.clear();
    return results.error().during("write {} changes of runs", writes.size());
  }
  removal_.add_finished(newly_finished_);
  // What is committed cannot be taken back, so here only a kill means anything.
  [[maybe_unused]] const auto ignored = fault::check("fsm.commit.after");
  return results;
}

Result<std::size_t> SqliteRunWriter::remove_finished(const Retention& keep, TimePoint now, std::size_t most) {
  return removal_.remove_finished(db_, keep, now, most, last_event_);
}

Result<std::vector<WriteResult>> SqliteRunWriter::write_all(std::span<const Write> writes) {
  auto transaction = store::Transaction::begin(db_);
  if (!transaction) return fail(std::move(transaction.error()));
  std::vector<WriteResult> results;
  results.reserve(writes.size());
  bool changed = false;
  for (const auto& write : writes) {
    auto result = std::visit([this](const auto& w) { return apply(w); }, write);
    if (!result) return fail(std::move(result.error()));
    changed = changed || std::holds_alternative<Applied>(*result);
    results.push_back(*result);
  }
  if (auto fault = fault::check("fsm.commit.written")) return fail(std::move(*fault));
  if (!changed) {
    plans_.clear();  // a refused start may have brought one
    return results;
  }
  if (auto committed = transaction->commit(); !committed) return fail(std::move(committed.error()));
  return results;
}

Result<WriteResult> SqliteRunWriter::apply(const StartWrite& write) {
  auto plan = plan_number(write.spec->plan);
  if (!plan) return fail(std::move(plan.error()));
  // The index of active runs does not see a run that is finished when it starts: so that one asks.
  if (is_finished(*write.state)) {
    auto active = active_version(*write.spec);
    if (!active) return fail(std::move(active.error()));
    if (*active) return AlreadyActive{**active};
  }
  auto inserted = insert_run(write, *plan);
  if (!inserted) return fail(std::move(inserted.error()));
  if (!*inserted) {
    auto active = active_version(*write.spec);
    if (!active) return fail(std::move(active.error()));
    if (*active) return AlreadyActive{**active};
    return Fenced{};  // its version is taken
  }
  const std::int64_t run = db_.last_insert_rowid();
  if (write.request->size() > kInlinePayload) {
    auto put = put_payload_.run(request_key(run), store::as_blob(*write.request));
    if (!put) return fail(std::move(put.error()));
  }
  Head head{.run = run, .seq = 0, .last_event = std::nullopt, .response_apart = false};
  if (auto appended = append_events(head, write.events); !appended) return fail(std::move(appended.error()));
  if (is_finished(*write.state)) {
    ++newly_finished_;
  } else {
    heads_.insert_or_assign(write.spec->version, head);
  }
  return Applied{};
}

Result<bool> SqliteRunWriter::insert_run(const StartWrite& write, std::int64_t plan) {
  const RunSpec& spec = *write.spec;
  const StateColumns state(*write.state);
  auto& row = insert_run_;
  row.reset();
  row.bind(1, spec.version.ulid());
  row.bind(2, static_cast<std::int64_t>(write.events.size()));
  row.bind(3, std::to_underlying(state.state));
  row.bind(4, last_event_after(std::nullopt, write.events.size()));
  row.bind(5, state.finished_at);
  row.bind(6, state.due);
  row.bind(7, number(state.ending));
  row.bind(8, std::string_view(spec.machine));
  row.bind(9, store::as_blob(spec.id));
  row.bind(10, plan);
  row.bind(11, std::string_view(spec.queue));
  row.bind(12, spec.priority);
  row.bind(13, spec.started_at);
  row.bind(14, spec.not_before);
  row.bind(15, ulid(spec.after));
  row.bind(16, spec.after_any_ending ? 1 : 0);
  row.bind(17, ulid(spec.parent));
  row.bind(18, state.reason);
  bind_error(row, 19, state.error);
  bind_inline(row, 22, *write.request);
  if (auto ran = row.run(); !ran) return fail(std::move(ran.error()));
  return db_.changes() == 1;
}

Result<std::optional<RunVersion>> SqliteRunWriter::active_version(const RunSpec& spec) {
  active_.bind_all(std::string_view(spec.machine), store::as_blob(spec.id));
  const store::ScopedReset done(active_);
  auto row = active_.step();
  if (!row) return fail(std::move(row.error()));
  if (!*row) return std::nullopt;
  auto version = active_.ulid(0);
  if (!version) return fail(std::move(version.error()));
  return RunVersion(*version);
}

Result<WriteResult> SqliteRunWriter::apply(const MoveWrite& write) {
  auto head = find_head(write.version, write.base_seq);
  if (!head) return fail(std::move(head.error()));
  if (*head == nullptr) return Fenced{};
  auto updated = update_run(write, **head);
  if (!updated) return fail(std::move(updated.error()));
  if (!*updated) {
    heads_.erase(write.version);
    return Fenced{};
  }
  if (write.response != nullptr) {
    if (auto put = put_response(*write.response, **head); !put) return fail(std::move(put.error()));
  }
  if (auto appended = append_events(**head, write.events); !appended) return fail(std::move(appended.error()));
  if (is_finished(write.progress->state)) {
    ++newly_finished_;
    heads_.erase(write.version);
  }
  return Applied{};
}

Result<SqliteRunWriter::Head*> SqliteRunWriter::find_head(RunVersion version, std::uint64_t base_seq) {
  auto found = heads_.find(version);
  if (found == heads_.end()) {
    auto read = read_head(version);
    if (!read) return fail(std::move(read.error()));
    if (!*read) return nullptr;
    found = heads_.emplace(version, **read).first;
  }
  return found->second.seq == base_seq ? &found->second : nullptr;
}

Result<std::optional<SqliteRunWriter::Head>> SqliteRunWriter::read_head(RunVersion version) {
  head_.bind_all(version.ulid());
  const store::ScopedReset done(head_);
  auto row = head_.step();
  if (!row) return fail(std::move(row.error()));
  if (!*row || !head_.is_null(3)) return std::nullopt;
  Head head{.run = head_.int64(0),
            .seq = static_cast<std::uint64_t>(head_.int64(1)),
            .last_event = std::nullopt,
            .response_apart = head_.int64(4) != 0};
  if (!head_.is_null(2)) head.last_event = head_.int64(2);
  return head;
}

Result<bool> SqliteRunWriter::update_run(const MoveWrite& write, const Head& head) {
  const Progress& progress = *write.progress;
  const StateColumns state(progress.state);
  const bool finish = state.finished_at.has_value();
  const bool respond = write.response != nullptr;
  const auto shape = finish ? (respond ? MoveShape::kFinishWithResponse : MoveShape::kFinish)
                            : (respond ? MoveShape::kResponse : MoveShape::kPlain);
  auto& row = move_[std::to_underlying(shape)];
  row.reset();
  row.bind(1, head.run);
  row.bind(2, static_cast<std::int64_t>(head.seq + write.events.size()));
  row.bind(3, std::to_underlying(state.state));
  row.bind(4, progress.position);
  row.bind(5, progress.arrival);
  row.bind(6, progress.retries);
  row.bind(7, progress.crashes);
  row.bind(8, last_event_after(head.last_event, write.events.size()));
  row.bind(9, state.due);
  row.bind(10, number(state.ending));
  row.bind(11, state.reason);
  bind_error(row, 12, state.error);
  row.bind(kBaseSeqParameter, static_cast<std::int64_t>(head.seq));
  if (finish) row.bind(kFinishedAtParameter, state.finished_at);
  if (respond) bind_inline(row, kResponseParameter, *write.response);
  if (auto ran = row.run(); !ran) return fail(std::move(ran.error()));
  return db_.changes() == 1;
}

Result<> SqliteRunWriter::put_response(const std::string& response, Head& head) {
  const bool was_apart = std::exchange(head.response_apart, response.size() > kInlinePayload);
  if (head.response_apart) return put_payload_.run(response_key(head.run), store::as_blob(response));
  if (was_apart) return remove_payload_.run(response_key(head.run));
  return {};
}

Result<WriteResult> SqliteRunWriter::apply(const CancelWrite& write) {
  auto head = find_head(write.version, write.base_seq);
  if (!head) return fail(std::move(head.error()));
  if (*head == nullptr) return Fenced{};
  const std::size_t count = write.events.size();
  const auto base_seq = static_cast<std::int64_t>((*head)->seq);
  auto written = cancel_.run((*head)->run, base_seq + static_cast<std::int64_t>(count),
                             last_event_after((*head)->last_event, count), std::string_view(write.cause), base_seq);
  if (!written) return fail(std::move(written.error()));
  if (db_.changes() != 1) {
    heads_.erase(write.version);
    return Fenced{};
  }
  if (auto appended = append_events(**head, write.events); !appended) return fail(std::move(appended.error()));
  return Applied{};
}

std::optional<std::int64_t> SqliteRunWriter::last_event_after(std::optional<std::int64_t> last,
                                                              std::size_t count) const {
  return count == 0 ? last : last_event_ + static_cast<std::int64_t>(count);
}

// Moves the head on to the last of them.
Result<> SqliteRunWriter::append_events(Head& head, const std::vector<Event>& events) {
  auto& row = insert_event_;
  for (const auto& event : events) {
    const std::int64_t n = ++last_event_;  // not given back when the transaction fails: gaps do no harm
    row.reset();
    row.bind(1, n);
    row.bind(2, head.run);
    row.bind(3, static_cast<std::int64_t>(++head.seq));
    row.bind(4, std::exchange(head.last_event, n));
    row.bind(5, std::to_underlying(event.kind));
    row.bind(6, event.at);
    row.bind(7, event.retry);
    row.bind(8, static_cast<std::int64_t>(event.took.count()));
    row.bind(9, std::string_view(event.transition));
    row.bind(10, std::string_view(event.note));
    if (event.ending) row.bind(11, std::to_underlying(to_stored(*event.ending)));
    bind_error(row, 12, event.error ? &*event.error : nullptr);
    if (auto ran = row.run(); !ran) return ran;
  }
  return {};
}

Result<std::int64_t> SqliteRunWriter::plan_number(const std::shared_ptr<const Plan>& plan) {
  if (const auto known = plans_.find(plan); known != plans_.end()) return known->second;
  auto names = encode_plan(*plan);
  if (!names) return names.error().during("plan of a run");
  find_plan_.bind_all(std::string_view(*names));
  const store::ScopedReset done(find_plan_);
  auto row = find_plan_.step();
  if (!row) return fail(std::move(row.error()));
  std::int64_t plan_id = 0;
  if (*row) {
    plan_id = find_plan_.int64(0);
  } else {
    if (auto ran = insert_plan_.run(std::string_view(*names)); !ran) return fail(std::move(ran.error()));
    plan_id = db_.last_insert_rowid();
  }
  if (plans_.size() >= kMostPlansKnown) plans_.clear();
  plans_.emplace(plan, plan_id);
  return plan_id;
}

}  // namespace slipway::fsm
