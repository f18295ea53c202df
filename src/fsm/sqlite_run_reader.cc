#include "fsm/sqlite_run_reader.h"

#include <algorithm>
#include <utility>

#include "fsm/run_query.h"
#include "fsm/run_schema.h"

namespace slipway::fsm {
namespace {

// A read needs few pages at a time; the store's own writer has the large cache.
constexpr int kCacheKib = 4 * 1024;

}  // namespace

// Everything read during its life is of one instant.
class SqliteRunReader::Snapshot {
 public:
  static Result<Snapshot> take(SqliteRunReader& reader) SLIPWAY_REQUIRES(reader.mutex_) {
    if (auto begun = reader.begin_.run(); !begun) return fail(std::move(begun.error()));
    return Snapshot(reader.end_);
  }
  Snapshot(Snapshot&& other) noexcept : end_(std::exchange(other.end_, nullptr)) {}
  Snapshot& operator=(Snapshot&&) = delete;
  ~Snapshot() {
    // A transaction that only read has nothing that could fail to be written.
    if (end_ != nullptr) [[maybe_unused]]
      const auto ended = end_->run();
  }

 private:
  explicit Snapshot(store::Statement& end) : end_(&end) {}
  store::Statement* end_;
};

Result<std::unique_ptr<SqliteRunReader>> SqliteRunReader::open(const std::string& path) {
  auto db = store::Database::open({.path = path,
                                   .mode = store::OpenMode::kReadOnly,
                                   .cache_kib = kCacheKib,
                                   .application_id = kRunSchema.application_id});
  if (!db) return db.error().during("open run store {} for reading", path);
  if (auto fits = store::check_schema(*db, kRunSchema); !fits) {
    return fits.error().during("open run store {} for reading", path);
  }
  std::unique_ptr<SqliteRunReader> reader(new SqliteRunReader(std::move(*db)));
  const sys::Lock lock(reader->mutex_);
  if (auto prepared = reader->prepare(); !prepared) return prepared.error().during("open run store {}", path);
  return reader;
}

Result<> SqliteRunReader::prepare() {
  const std::pair<store::Statement*, std::string> all[] = {
      {&begin_, "BEGIN"},
      {&end_, "ROLLBACK"},
      {&find_, fmt::format("SELECT {}, request, response FROM runs WHERE version = ?1", kRunColumns)},
      {&latest_, "SELECT max(version) FROM runs INDEXED BY runs_by_id WHERE machine = ?1 AND id = ?2"},
      {&head_, "SELECT run, seq, last_event, machine, id, finished_at FROM runs WHERE version = ?1"},
      {&event_, fmt::format("SELECT {} FROM events WHERE n = ?1", kEventColumns)},
      {&plan_, "SELECT names FROM plans WHERE plan = ?1"},
      {&payload_, "SELECT bytes FROM payloads WHERE key = ?1"},
  };
  for (const auto& [statement, sql] : all) {
    auto prepared = db_.prepare(sql);
    if (!prepared) return fail(std::move(prepared.error()));
    *statement = std::move(*prepared);
  }
  return {};
}

Result<std::optional<RunRecord>> SqliteRunReader::find(RunVersion version) {
  const sys::Lock lock(mutex_);
  auto snapshot = Snapshot::take(*this);
  if (!snapshot) return snapshot.error().during("find run {}", version);
  find_.bind_all(version.ulid());
  const store::ScopedReset done(find_);
  auto row = find_.step();
  if (!row) return row.error().during("find run {}", version);
  if (!*row) return std::nullopt;
  auto record = read_record(find_);
  if (!record) return fail(std::move(record.error()));
  if (auto read = read_payloads(*record, find_); !read) return fail(std::move(read.error()));
  return std::move(*record);
}

Result<std::optional<RunVersion>> SqliteRunReader::latest(const std::string& machine, const std::string& id) {
  const sys::Lock lock(mutex_);
  latest_.bind_all(std::string_view(machine), store::as_blob(id));
  const store::ScopedReset done(latest_);
  auto row = latest_.step();
  if (!row) return row.error().during("find the latest run of {}", machine);
  if (!*row || latest_.is_null(0)) return std::nullopt;
  auto version = latest_.ulid(0);
  if (!version) return version.error().during("find the latest run of {}", machine);
  return RunVersion(*version);
}

Result<std::vector<RunRecord>> SqliteRunReader::list(const RunFilter& filter) {
  auto query = RunQuery::make(filter);
  if (!query) return fail(std::move(query.error()));
  const sys::Lock lock(mutex_);
  auto statement = db_.prepare(query->sql());
  if (!statement) return statement.error().during("list runs");
  auto snapshot = Snapshot::take(*this);  // the runs and the plans they name
  if (!snapshot) return snapshot.error().during("list runs");
  query->bind(*statement);
  const store::ScopedReset done(*statement);
  std::vector<RunRecord> listed;
  for (;;) {
    auto row = statement->step();
    if (!row) return row.error().during("list runs");
    if (!*row) return listed;
    auto record = read_record(*statement);
    if (!record) return record.error().during("list runs");
    listed.push_back(std::move(*record));
  }
}

Result<std::vector<RunEvent>> SqliteRunReader::history(RunVersion version) {
  const sys::Lock lock(mutex_);
  auto snapshot = Snapshot::take(*this);
  if (!snapshot) return snapshot.error().during("history of run {}", version);
  head_.bind_all(version.ulid());
  const store::ScopedReset done(head_);
  auto found = head_.step();
  if (!found) return found.error().during("history of run {}", version);
  std::vector<RunEvent> events;
  if (!*found) return events;
  const std::int64_t run = head_.int64(0);
  std::int64_t seq = head_.int64(1);
  std::optional<std::int64_t> at;
  if (!head_.is_null(2)) at = head_.int64(2);
  const std::string machine(head_.text(3));
  const std::string id = read_bytes(head_, 4);
  for (; at; --seq) {  // ends on any chain, however damaged: the number falls, and must fit
    auto row = event_at(*at);
    if (!row) return row.error().during("history of run {}: event {}", version, seq);
    if (row->run != run || row->seq != seq || seq < 1) {
      return fail(ErrorKind::kCorrupt, "history of run {}: event {} is not where it must be", version, seq);
    }
    events.push_back({version, machine, id, static_cast<std::uint64_t>(seq), std::move(row->event)});
    at = row->prev;
  }
  if (seq != 0) return fail(ErrorKind::kCorrupt, "history of run {}: begins after event {}", version, seq);
  std::ranges::reverse(events);
  return events;
}

Result<> SqliteRunReader::load_active(std::size_t payload_limit,
                                      const std::function<void(RunStore::ActiveRun&&)>& take) {
  const sys::Lock lock(mutex_);
  auto snapshot = Snapshot::take(*this);
  if (!snapshot) return snapshot.error().during("load active runs");
  auto loaded = read_active(payload_limit);
  if (!loaded) return loaded.error().during("load active runs");
  // Sorted here: SQLite would sort whole rows, or go through all finished runs in the order of their versions. Rows
  // stand in the order of their starts, which is that of their versions but for starts that overtook each other.
  const auto version = [](const RunStore::ActiveRun& run) { return run.record.spec.version; };
  if (!std::ranges::is_sorted(*loaded, {}, version)) std::ranges::sort(*loaded, {}, version);
  for (auto& run : *loaded) take(std::move(run));
  return {};
}

// The index alone says which they are; the rows are then read in the order in which they stand in the file.
Result<std::vector<RunStore::ActiveRun>> SqliteRunReader::read_active(std::size_t payload_limit) {
  auto active = db_.prepare(
      fmt::format("SELECT {}, request, response, "
                  "coalesce(length(request), (SELECT length(bytes) FROM payloads WHERE key = 2 * run), 0) + "
                  "coalesce(length(response), (SELECT length(bytes) FROM payloads WHERE key = 2 * run + 1), 0) "
                  "FROM runs WHERE run IN (SELECT run FROM runs INDEXED BY runs_active WHERE finished_at IS NULL)",
                  kRunColumns));
  if (!active) return fail(std::move(active.error()));
  std::vector<RunStore::ActiveRun> loaded;
  for (;;) {
    auto row = active->step();
    if (!row) return fail(std::move(row.error()));
    if (!*row) return loaded;
    auto record = read_record(*active);
    if (!record) return fail(std::move(record.error()));
    auto& run = loaded.emplace_back(RunStore::ActiveRun{.record = std::move(*record)});
    run.has_payload = static_cast<std::uint64_t>(active->int64(kRunColumnCount + 2)) <= payload_limit;
    if (!run.has_payload) continue;
    if (auto read = read_payloads(run.record, *active); !read) return fail(std::move(read.error()));
  }
}

Result<RunVersion> SqliteRunReader::greatest_version() {
  const sys::Lock lock(mutex_);
  auto greatest =
      db_.prepare("SELECT max(greatest_version, coalesce((SELECT max(version) FROM runs), zeroblob(16))) FROM kept");
  if (!greatest) return greatest.error().during("find the greatest version");
  auto row = greatest->step();
  if (!row) return row.error().during("find the greatest version");
  if (!*row) return fail(ErrorKind::kCorrupt, "{} has lost its row in \"kept\"", db_.path());
  auto version = greatest->ulid(0);
  if (!version) return version.error().during("find the greatest version");
  return RunVersion(*version);
}

Result<bool> SqliteRunReader::is_active(RunVersion version) {
  const sys::Lock lock(mutex_);
  head_.bind_all(version.ulid());
  const store::ScopedReset done(head_);
  auto row = head_.step();
  if (!row) return row.error().during("find run {}", version);
  return *row && head_.is_null(5);
}

Result<RunRecord> SqliteRunReader::read_record(const store::Statement& row) {
  return read_run(row, [this](std::int64_t plan) SLIPWAY_REQUIRES(mutex_) { return find_plan(plan); });
}

Result<std::shared_ptr<const Plan>> SqliteRunReader::find_plan(std::int64_t plan) {
  if (const auto known = plans_.find(plan); known != plans_.end()) return known->second;
  plan_.bind_all(plan);
  const store::ScopedReset done(plan_);
  auto row = plan_.step();
  if (!row) return fail(std::move(row.error()));
  if (!*row) return fail(ErrorKind::kCorrupt, "there is no plan {}", plan);
  auto decoded = decode_plan(plan_.text(0));
  if (!decoded) return decoded.error().during("plan {}", plan);
  return plans_.emplace(plan, std::make_shared<const Plan>(std::move(*decoded))).first->second;
}

// Of a row of kRunColumns, request and response.
Result<> SqliteRunReader::read_payloads(RunRecord& record, const store::Statement& row) {
  const std::int64_t run = row.int64(0);
  auto request = read_payload(row, kRunColumnCount, request_key(run));
  if (!request) return request.error().during("request of run {}", record.spec.version);
  auto response = read_payload(row, kRunColumnCount + 1, response_key(run));
  if (!response) return response.error().during("response of run {}", record.spec.version);
  record.request = std::move(*request);
  record.response = std::move(*response);
  return {};
}

Result<std::string> SqliteRunReader::read_payload(const store::Statement& row, int column, std::int64_t key) {
  if (!row.is_null(column)) return read_bytes(row, column);
  payload_.bind_all(key);
  const store::ScopedReset done(payload_);
  auto found = payload_.step();
  if (!found) return fail(std::move(found.error()));
  if (!*found) return fail(ErrorKind::kCorrupt, "it is neither in the run's row nor in \"payloads\"");
  return read_bytes(payload_, 0);
}

Result<EventRow> SqliteRunReader::event_at(std::int64_t n) {
  event_.bind_all(n);
  const store::ScopedReset done(event_);
  auto row = event_.step();
  if (!row) return fail(std::move(row.error()));
  if (!*row) return fail(ErrorKind::kCorrupt, "there is no row {}", n);
  return read_event(event_);
}

}  // namespace slipway::fsm
