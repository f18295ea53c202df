#include "store/statement.h"

#include <algorithm>

#include <sqlite3.h>

#include "store/sqlite_error.h"

namespace slipway::store {

Statement::Statement(sqlite3_stmt* handle)
    : handle_(handle), ids_(static_cast<std::size_t>(sqlite3_bind_parameter_count(handle))) {}

Statement::Statement(Statement&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), bind_code_(other.bind_code_), ids_(std::move(other.ids_)) {}

Statement& Statement::operator=(Statement&& other) noexcept {
  if (this != &other) {
    sqlite3_finalize(handle_);
    handle_ = std::exchange(other.handle_, nullptr);
    bind_code_ = other.bind_code_;
    ids_ = std::move(other.ids_);
  }
  return *this;
}

Statement::~Statement() { sqlite3_finalize(handle_); }

void Statement::bind_int64(int parameter, std::int64_t value) { note(sqlite3_bind_int64(handle_, parameter, value)); }

void Statement::bind_real(int parameter, double value) { note(sqlite3_bind_double(handle_, parameter, value)); }

void Statement::bind(int parameter, std::string_view text) {
  // A null pointer would bind NULL, and an empty view may have one.
  const char* data = text.data() == nullptr ? "" : text.data();
  note(sqlite3_bind_text64(handle_, parameter, data, text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void Statement::bind(int parameter, Bytes blob) {
  const void* data = blob.data() == nullptr ? static_cast<const void*>("") : blob.data();
  note(sqlite3_bind_blob64(handle_, parameter, data, blob.size(), SQLITE_STATIC));
}

void Statement::bind(int parameter, Ulid id) {
  if (parameter < 1 || static_cast<std::size_t>(parameter) > ids_.size()) return note(SQLITE_RANGE);
  auto& slot = ids_[static_cast<std::size_t>(parameter - 1)];
  slot = id.to_bytes();
  bind(parameter, Bytes(slot));
}

void Statement::bind(int parameter, TimePoint at) { bind_int64(parameter, to_micros(at)); }

void Statement::bind(int parameter, std::nullptr_t) { note(sqlite3_bind_null(handle_, parameter)); }

void Statement::expect_parameters(int count) {
  if (count != sqlite3_bind_parameter_count(handle_)) note(SQLITE_RANGE);
}

void Statement::note(int code) {
  if (bind_code_ == SQLITE_OK) bind_code_ = code;
}

Result<bool> Statement::step() {
  if (bind_code_ != SQLITE_OK) return fail(failed(bind_code_));
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) return fail(failed(code));
  reset();
  return false;
}

Result<> Statement::run() {
  for (;;) {
    auto row = step();
    if (!row) return fail(std::move(row.error()));
    if (!*row) return {};
  }
}

void Statement::reset() {
  sqlite3_reset(handle_);
  sqlite3_clear_bindings(handle_);
  bind_code_ = SQLITE_OK;
}

Error Statement::failed(int code) {
  Error error = sqlite_error(sqlite3_db_handle(handle_), code);
  if (error.kind() == ErrorKind::kInternal) {
    error = Error(error.kind(), fmt::format("{}, in \"{}\"", error.message(), sqlite3_sql(handle_)));
  }
  reset();
  return error;
}

bool Statement::is_null(int column) const { return sqlite3_column_type(handle_, column) == SQLITE_NULL; }

std::int64_t Statement::int64(int column) const { return sqlite3_column_int64(handle_, column); }

double Statement::real(int column) const { return sqlite3_column_double(handle_, column); }

std::string_view Statement::text(int column) const {
  const unsigned char* data = sqlite3_column_text(handle_, column);  // before the length, which it may change
  if (data == nullptr) return {};
  return {reinterpret_cast<const char*>(data), static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

Bytes Statement::blob(int column) const {
  const void* data = sqlite3_column_blob(handle_, column);
  if (data == nullptr) return {};
  return {static_cast<const std::uint8_t*>(data), static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

TimePoint Statement::time(int column) const { return from_micros(int64(column)); }

Result<Ulid> Statement::ulid(int column) const {
  const Bytes bytes = blob(column);
  if (sqlite3_column_type(handle_, column) != SQLITE_BLOB || bytes.size() != Ulid::kBytes) {
    return fail(ErrorKind::kCorrupt, "column {} of \"{}\" is not an id: {} bytes, not a blob of {}",
                sqlite3_column_name(handle_, column), sqlite3_sql(handle_), bytes.size(), Ulid::kBytes);
  }
  Ulid::Bytes id{};
  std::ranges::copy(bytes, id.begin());
  return Ulid::from_bytes(id);
}

}  // namespace slipway::store
