#include "store/memory_database.h"

#include <algorithm>
#include <utility>

#include <sqlite3.h>

#include "store/sqlite_error.h"

namespace slipway::store {
namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr std::size_t kHeaderSize = 100;

// Bytes 18 and 19 say how the file is written and read: 2 is with a write-ahead log, which memory cannot have, so that
// SQLite would refuse the file.
void take_out_of_wal_mode(std::string& bytes) {
  for (const std::size_t at : {18U, 19U}) {
    if (bytes[at] == 2) bytes[at] = 1;
  }
}

// What a file does wrong, whatever SQLite calls it.
Error fault_of_file(const Error& error) {
  const ErrorKind kind = error.kind() == ErrorKind::kInvalid ? ErrorKind::kRejected : ErrorKind::kCorrupt;
  return {kind, error.message()};
}

// Reading, of tables; with a pragma that tells of their columns.
int allow_reading(void* /*data*/, int action, const char* name, const char* /*argument*/, const char* /*database*/,
                  const char* /*trigger*/) {
  const bool columns = action == SQLITE_PRAGMA && std::string_view(name) == "table_xinfo";
  return action == SQLITE_SELECT || action == SQLITE_READ || columns ? SQLITE_OK : SQLITE_DENY;
}

int harden(sqlite3* handle) {
  constexpr std::pair<int, int> kSettings[] = {
      {SQLITE_DBCONFIG_DEFENSIVE, 1}, {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0}, {SQLITE_DBCONFIG_DQS_DDL, 0},
      {SQLITE_DBCONFIG_DQS_DML, 0},   {SQLITE_DBCONFIG_ENABLE_VIEW, 0},    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
  };
  for (const auto& [setting, value] : kSettings) {
    if (const int code = sqlite3_db_config(handle, setting, value, nullptr); code != SQLITE_OK) return code;
  }
  constexpr std::pair<int, int> kLimits[] = {
      {SQLITE_LIMIT_LENGTH, MemoryDatabase::kLongestValue},
      {SQLITE_LIMIT_SQL_LENGTH, 100'000},
      {SQLITE_LIMIT_COLUMN, 100},
      {SQLITE_LIMIT_EXPR_DEPTH, 10},
      {SQLITE_LIMIT_COMPOUND_SELECT, 3},
      {SQLITE_LIMIT_VDBE_OP, 25'000},
      {SQLITE_LIMIT_FUNCTION_ARG, 8},
      {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50},
      {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
  };
  for (const auto& [limit, value] : kLimits) sqlite3_limit(handle, limit, value);
  return sqlite3_drop_modules(handle, nullptr);
}

}  // namespace

void MemoryDatabase::Closer::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

Result<MemoryDatabase> MemoryDatabase::open(std::string bytes) {
  if (bytes.size() < kHeaderSize || !bytes.starts_with(kMagic)) {
    return fail(ErrorKind::kCorrupt, "it is no SQLite database");
  }
  MemoryDatabase database;
  database.bytes_ = std::make_unique<std::string>(std::move(bytes));
  take_out_of_wal_mode(*database.bytes_);
  if (auto done = database.set_up(); !done) return fail(std::move(done.error()));
  return database;
}

Result<> MemoryDatabase::set_up() {
  sqlite3* raw = nullptr;
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  int code = sqlite3_open_v2(":memory:", &raw, kFlags, nullptr);
  handle_.reset(raw);
  if (!handle_) return fail(ErrorKind::kInternal, "open a database in memory: out of memory");
  if (code == SQLITE_OK) code = harden(raw);
  if (code == SQLITE_OK) {
    const auto size = static_cast<sqlite3_int64>(bytes_->size());
    auto* data = reinterpret_cast<unsigned char*>(bytes_->data());
    code = sqlite3_deserialize(raw, "main", data, size, size, SQLITE_DESERIALIZE_READONLY);
  }
  if (code == SQLITE_OK) {
    code = sqlite3_exec(raw,
                        "PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0; "
                        "PRAGMA query_only = ON; PRAGMA cache_size = -1024",
                        nullptr, nullptr, nullptr);
  }
  if (code != SQLITE_OK) return fail(fault_of_file(sqlite_error(raw, code)));
  sqlite3_set_authorizer(raw, allow_reading, nullptr);
  return for_each("SELECT name FROM sqlite_schema LIMIT 1", [](const Statement&) -> Result<> { return {}; });
}

Result<Statement> MemoryDatabase::prepare(std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  const int code = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()), 0, &raw, nullptr);
  if (code != SQLITE_OK) return fail(fault_of_file(sqlite_error(handle_.get(), code)));
  return Statement(raw);
}

Result<> MemoryDatabase::for_each(std::string_view sql, const Take& take) {
  auto statement = prepare(sql);
  if (!statement) return fail(std::move(statement.error()));
  for (;;) {
    const auto row = statement->step();
    if (!row) return fail(fault_of_file(row.error()));
    if (!*row) return {};
    if (auto taken = take(*statement); !taken) return taken;
  }
}

}  // namespace slipway::store
