#include "store/database.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <sqlite3.h>

#include "store/sqlite_error.h"

namespace slipway::store {
namespace {

// SQLite gives meaning to these, and Debian's build reads "file:..." as a URI: no path of ours may come out as
// another.
Result<std::string> literal_path(const std::string& path) {
  if (path.empty() || path == ":memory:" || path.find('\0') != std::string::npos) {
    return fail(ErrorKind::kInvalid, "\"{}\" is not a path for a database", path);
  }
  return path.starts_with("file:") ? "./" + path : path;
}

constexpr int flags_for(OpenMode mode) {
  const int access = mode == OpenMode::kReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  return access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI;
}

// Whether all of a database that nobody has open is in its one file. (An open one has its -shm beside it.)
bool may_be_immutable(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code none;
  if (fs::exists(path + "-shm", none) || none) return false;
  const auto wal = fs::file_size(path + "-wal", none);
  return none == std::errc::no_such_file_or_directory || (!none && wal == 0);
}

// Any byte may be in a path.
std::string immutable_uri(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
  return uri + "?immutable=1";
}

// Only our own SQL runs here, on a file that may be anybody's: nothing in the file's schema is trusted to call
// functions, SQL cannot damage the file's structure, and a misspelt "column" is an error, not a string.
Result<> harden(sqlite3* handle) {
  constexpr std::pair<int, int> kSettings[] = {
      {SQLITE_DBCONFIG_DEFENSIVE, 1},
      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
      {SQLITE_DBCONFIG_DQS_DDL, 0},
      {SQLITE_DBCONFIG_DQS_DML, 0},
  };
  for (const auto& [setting, value] : kSettings) {
    const int code = sqlite3_db_config(handle, setting, value, nullptr);
    if (code != SQLITE_OK) return fail(sqlite_error(handle, code));
  }
  return {};
}

}  // namespace

// What SQLite calls when a lock is another's: true to ask again.
struct Database::BusyWait {
  static constexpr int kFirstTries = 50;  // of 1 ms each, then 5 ms each
  static constexpr int kLaterMillis = 5;

  explicit BusyWait(std::chrono::milliseconds limit) : timeout(limit) {}

  // How long the first `tries` waits take.
  static std::chrono::milliseconds waited(int tries) {
    const int first = std::min(tries, kFirstTries);
    return std::chrono::milliseconds(first) + (tries - first) * std::chrono::milliseconds(kLaterMillis);
  }
  bool once_more(int tries) const {
    if (waited(tries) >= timeout) return false;
    sqlite3_sleep(tries < kFirstTries ? 1 : kLaterMillis);
    return true;
  }
  static int handle(void* self, int tries) { return static_cast<const BusyWait*>(self)->once_more(tries) ? 1 : 0; }

  std::chrono::milliseconds timeout;
};

Database::Database(std::string path, Handle handle) : path_(std::move(path)), handle_(std::move(handle)) {}
Database::Database(Database&&) noexcept = default;
Database::~Database() = default;

void Database::Closer::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

Database& Database::operator=(Database&& other) noexcept {
  // Not member by member: our statements must be gone before our handle.
  begin_ = std::move(other.begin_);
  commit_ = std::move(other.commit_);
  rollback_ = std::move(other.rollback_);
  handle_ = std::move(other.handle_);
  busy_ = std::move(other.busy_);
  path_ = std::move(other.path_);
  unsynced_ = other.unsynced_;
  return *this;
}

Result<Database> Database::open(const OpenOptions& options) {
  if (auto registered = register_vfs(); !registered) return fail(std::move(registered.error()));
  auto path = literal_path(options.path);
  if (!path) return fail(std::move(path.error()));
  const auto open_as = [&](const std::string& name) -> Result<Database> {
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(name.c_str(), &raw, flags_for(options.mode), kVfsName);
    Handle handle(raw);
    if (!handle) return fail(ErrorKind::kInternal, "open database {}: out of memory", options.path);
    if (code != SQLITE_OK) return sqlite_error(raw, code).during("open database {}", options.path);
    Database db(options.path, std::move(handle));
    if (auto configured = db.configure(options); !configured) return configured.error().during("open database");
    return db;
  };
  auto opened = open_as(*path);
  const bool refused = !opened && opened.error().kind() == ErrorKind::kPermission;
  if (!refused || options.mode != OpenMode::kReadOnly || !may_be_immutable(options.path)) return opened;
  return open_as(immutable_uri(*path));
}

Result<> Database::configure(const OpenOptions& options) {
  sqlite3* handle = handle_.get();
  busy_ = std::make_unique<BusyWait>(options.busy_timeout);
  sqlite3_busy_handler(handle, &BusyWait::handle, busy_.get());
  if (auto hardened = harden(handle); !hardened) return hardened;
  if (options.mode == OpenMode::kReadOnly) {
    if (auto readable = set_up_reader(); !readable) return readable;
  }
  if (options.application_id != 0) {
    if (auto ours = check_application_id(options.application_id); !ours) return ours;
  }
  if (options.mode != OpenMode::kReadOnly) {
    if (auto writable = set_up_writer(options); !writable) return writable;
  }
  return execute(
      fmt::format("PRAGMA cache_size = -{}; PRAGMA foreign_keys = {}; PRAGMA temp_store = {}; PRAGMA mmap_size = {}",
                  options.cache_kib, options.foreign_keys ? "ON" : "OFF", options.temp_in_memory ? "MEMORY" : "DEFAULT",
                  options.mmap_bytes));
}

Result<> Database::set_up_reader() {
  sqlite3_db_config(handle_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  // The file itself is open by now: what cannot be opened on the first read is the -wal or the -shm beside it.
  auto version = user_version();
  if (version) return {};
  const ErrorKind kind = version.error().kind();
  if (kind != ErrorKind::kNotFound && kind != ErrorKind::kPermission) return fail(std::move(version.error()));
  return fail(Error(ErrorKind::kPermission,
                    fmt::format("{} cannot be read without making {}-shm, which this user may not", path_, path_))
                  .with_hint("its last changes are in " + path_ +
                             "-wal: read it as a user who may write to its directory, or while its owner is running"));
}

Result<> Database::set_up_writer(const OpenOptions& options) {
  sqlite3* handle = handle_.get();
  if (sqlite3_db_readonly(handle, "main") != 0) {
    return fail(Error(ErrorKind::kPermission, fmt::format("{} may be read but not written by this user", path_))
                    .with_hint("check the file's owner and mode, and that its file system is not mounted read-only"));
  }
  if (auto wal = enter_wal_mode(); !wal) return wal;
  // Debian's build overwrites deleted content with zeros: more pages written in each commit, for nothing we need.
  auto set = execute("PRAGMA synchronous = FULL; PRAGMA secure_delete = OFF");
  if (!set) return set;
  sqlite3_wal_autocheckpoint(handle, options.wal_autocheckpoint_pages);

  const std::pair<Statement*, std::string_view> cached[] = {
      {&begin_, "BEGIN IMMEDIATE"}, {&commit_, "COMMIT"}, {&rollback_, "ROLLBACK"}};
  for (const auto& [statement, sql] : cached) {
    auto prepared = prepare(sql);
    if (!prepared) return fail(std::move(prepared.error()));
    *statement = std::move(*prepared);
  }
  return {};
}

// To change a new file's mode is an exclusive affair, and SQLite does not wait its turn for that one by itself: two
// connections that upgrade their locks would wait for each other. Whoever comes second finds the mode changed.
Result<> Database::enter_wal_mode() {
  for (int tries = 0;; ++tries) {
    auto journal = prepare("PRAGMA journal_mode = WAL");
    if (!journal) return fail(std::move(journal.error()));
    auto row = journal->step();
    if (!row) {
      if (row.error().kind() == ErrorKind::kUnavailable && busy_->once_more(tries)) continue;
      return fail(std::move(row.error()));
    }
    if (*row && journal->text(0) == "wal") return {};
    return fail(Error(ErrorKind::kUnsupported, fmt::format("{} cannot be put into WAL mode", path_))
                    .with_hint("its file system lacks shared memory or locks: put the database on a local disk"));
  }
}

Result<> Database::execute(std::string_view sql) {
  const char* next = sql.data();
  const char* const end = sql.data() + sql.size();
  while (next != end) {
    sqlite3_stmt* raw = nullptr;
    const char* tail = nullptr;
    const int code = sqlite3_prepare_v3(handle_.get(), next, static_cast<int>(end - next), 0, &raw, &tail);
    if (code != SQLITE_OK) return sqlite_error(handle_.get(), code).during("prepare \"{}\"", sql);
    if (tail == next) return fail(ErrorKind::kInvalid, "\"{}\": there is a NUL in the SQL", sql);
    next = tail;
    if (raw == nullptr) continue;  // blank or a comment
    if (auto ran = Statement(raw).run(); !ran) return ran;
  }
  return {};
}

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  const char* tail = nullptr;
  const int code = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &raw, &tail);
  if (code != SQLITE_OK) return sqlite_error(handle_.get(), code).during("prepare \"{}\"", sql);
  Statement statement(raw);
  if (raw == nullptr ||
      sql.substr(static_cast<std::size_t>(tail - sql.data())).find_first_not_of(" \t\r\n;") != std::string_view::npos) {
    return fail(ErrorKind::kInvalid, "prepare \"{}\": it is not exactly one statement", sql);
  }
  return statement;
}

std::int64_t Database::changes() const { return sqlite3_changes64(handle_.get()); }

std::int64_t Database::last_insert_rowid() const { return sqlite3_last_insert_rowid(handle_.get()); }

bool Database::in_transaction() const { return sqlite3_get_autocommit(handle_.get()) == 0; }

Result<std::int64_t> Database::ask_number(std::string_view sql) {
  auto question = prepare(sql);
  if (!question) return fail(std::move(question.error()));
  auto row = question->step();
  if (!row) return fail(std::move(row.error()));
  if (!*row) return fail(ErrorKind::kInternal, "{}: no answer to \"{}\"", path_, sql);
  return question->int64(0);
}

Result<std::int32_t> Database::user_version() { return ask_number("PRAGMA user_version"); }

Result<std::int32_t> Database::application_id() { return ask_number("PRAGMA application_id"); }

Result<> Database::check_application_id(std::int32_t wanted) {
  // One statement, one look: another process may be making the tables, and stamps them in the same transaction.
  auto question = prepare(
      "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version),"
      " (SELECT count(*) FROM sqlite_schema)");
  if (!question) return fail(std::move(question.error()));
  auto row = question->step();
  if (!row) return fail(std::move(row.error()));
  const auto found = static_cast<std::int32_t>(question->int64(0));
  const bool empty = found == 0 && question->int64(1) == 0 && question->int64(2) == 0;
  if (found == wanted || empty) return {};
  return fail(Error(ErrorKind::kUnsupported,
                    fmt::format("{} is another program's database: its application id is {:#010x}, not {:#010x}", path_,
                                static_cast<std::uint32_t>(found), static_cast<std::uint32_t>(wanted)))
                  .with_hint("check the path; nothing in the file was changed"));
}

Result<CheckpointResult> Database::checkpoint(CheckpointMode mode) {
  const int how = mode == CheckpointMode::kTruncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE;
  CheckpointResult result;
  const int code = sqlite3_wal_checkpoint_v2(handle_.get(), "main", how, &result.wal_pages, &result.checkpointed_pages);
  if (code != SQLITE_OK) return sqlite_error(handle_.get(), code).during("checkpoint");
  return result;
}

VfsStats Database::io_stats() const {
  VfsStats sum;
  for (const int which : {SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER}) {
    sqlite3_file* file = nullptr;
    if (sqlite3_file_control(handle_.get(), "main", which, static_cast<void*>(&file)) == SQLITE_OK) {
      sum = sum + file_stats(file);
    }
  }
  return sum;
}

}  // namespace slipway::store
