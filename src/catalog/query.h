// Internal to catalog/: SQL in, typed rows out. The SQL is fixed text: each is prepared once a connection.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "catalog/types.h"
#include "store/pool.h"

namespace slipway::catalog {

// Reads one thing from the columns of a row, from `column` on.
template <class T>
using RowReader = Result<T> (*)(const store::Statement& row, int column);

template <class T, class... Args>
[[nodiscard]] Result<std::vector<T>> select(store::Connection& connection, std::string_view sql, RowReader<T> read,
                                            const Args&... args) {
  auto statement = connection.statement(sql);
  if (!statement) return fail(std::move(statement.error()));
  store::Statement& rows = **statement;
  int parameter = 0;
  (rows.bind(++parameter, args), ...);
  const store::ScopedReset done(rows);
  std::vector<T> found;
  for (;;) {
    auto more = rows.step();
    if (!more) return fail(std::move(more.error()));
    if (!*more) return found;
    auto one = read(rows, 0);
    if (!one) return fail(std::move(one.error()));
    found.push_back(std::move(*one));
  }
}

// The first row, for SQL that has at most one.
template <class T, class... Args>
[[nodiscard]] Result<std::optional<T>> select_one(store::Connection& connection, std::string_view sql,
                                                  RowReader<T> read, const Args&... args) {
  auto found = select<T>(connection, sql, read, args...);
  if (!found) return fail(std::move(found.error()));
  if (found->empty()) return std::nullopt;
  return std::move(found->front());
}

// The number of rows that were changed.
template <class... Args>
[[nodiscard]] Result<std::int64_t> change(store::Connection& connection, std::string_view sql, const Args&... args) {
  auto statement = connection.statement(sql);
  if (!statement) return fail(std::move(statement.error()));
  int parameter = 0;
  ((*statement)->bind(++parameter, args), ...);
  if (auto ran = (*statement)->run(); !ran) return fail(std::move(ran.error()));
  return connection.db().changes();
}

[[nodiscard]] inline Result<std::int64_t> read_count(const store::Statement& row, int column) {
  return row.int64(column);
}
[[nodiscard]] inline Result<std::string> read_text(const store::Statement& row, int column) {
  return std::string(row.text(column));
}

// The answer to SELECT count(*).
template <class... Args>
[[nodiscard]] Result<std::int64_t> count(store::Connection& connection, std::string_view sql, const Args&... args) {
  auto number = select_one<std::int64_t>(connection, sql, read_count, args...);
  if (!number) return fail(std::move(number.error()));
  return number->value_or(0);
}

[[nodiscard]] inline std::optional<TimePoint> optional_time(const store::Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return row.time(column);
}

[[nodiscard]] inline std::uint64_t unsigned_of(const store::Statement& row, int column) {
  return static_cast<std::uint64_t>(row.int64(column));
}

[[nodiscard]] inline DeviceId device_of(const store::Statement& row, int column) {
  return {static_cast<std::uint32_t>(row.int64(column))};
}

// SQLite's integers have a sign.
[[nodiscard]] inline Result<std::int64_t> storable(std::string_view what, std::uint64_t value) {
  if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return static_cast<std::int64_t>(value);
  }
  return fail(ErrorKind::kInvalid, "{} of {} is more than can be stored", what, value);
}

// A text of the tables that must be one of few.
template <class Enum>
[[nodiscard]] Result<Enum> known(std::optional<Enum> value, std::string_view what, std::string_view text) {
  if (value) return *value;
  return fail(ErrorKind::kCorrupt, "the catalog has a {} \"{}\", which this program does not know", what, text);
}

[[nodiscard]] Result<> check_checksum(std::string_view checksum);  // 64 lower-case hex digits, else kInvalid
[[nodiscard]] Result<> check_not_empty(std::string_view what, std::string_view text);
[[nodiscard]] Result<> check_device_id(DeviceId id);

}  // namespace slipway::catalog
