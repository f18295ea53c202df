// SQL in, typed rows out, on a pool's connection. The SQL is fixed text: each is prepared once a connection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "store/pool.h"

namespace slipway::store {

// Reads one thing from the columns of a row, from `column` on.
template <class T>
using RowReader = Result<T> (*)(const Statement& row, int column);

template <class T, class... Args>
[[nodiscard]] Result<std::vector<T>> select(Connection& connection, std::string_view sql, RowReader<T> read,
                                            const Args&... args) {
  auto statement = connection.statement(sql);
  if (!statement) return fail(std::move(statement.error()));
  Statement& rows = **statement;
  int parameter = 0;
  (rows.bind(++parameter, args), ...);
  const ScopedReset done(rows);
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
[[nodiscard]] Result<std::optional<T>> select_one(Connection& connection, std::string_view sql, RowReader<T> read,
                                                  const Args&... args) {
  auto found = select<T>(connection, sql, read, args...);
  if (!found) return fail(std::move(found.error()));
  if (found->empty()) return std::nullopt;
  return std::move(found->front());
}

// The number of rows that were changed.
template <class... Args>
[[nodiscard]] Result<std::int64_t> change(Connection& connection, std::string_view sql, const Args&... args) {
  auto statement = connection.statement(sql);
  if (!statement) return fail(std::move(statement.error()));
  int parameter = 0;
  ((*statement)->bind(++parameter, args), ...);
  if (auto ran = (*statement)->run(); !ran) return fail(std::move(ran.error()));
  return connection.db().changes();
}

// The same, for those who do not count.
template <class... Args>
[[nodiscard]] Result<> run(Connection& connection, std::string_view sql, const Args&... args) {
  auto changed = change(connection, sql, args...);
  if (!changed) return fail(std::move(changed.error()));
  return {};
}

[[nodiscard]] inline Result<std::int64_t> read_count(const Statement& row, int column) { return row.int64(column); }
[[nodiscard]] inline Result<std::string> read_text(const Statement& row, int column) {
  return std::string(row.text(column));
}

// The answer to SELECT count(*).
template <class... Args>
[[nodiscard]] Result<std::int64_t> count(Connection& connection, std::string_view sql, const Args&... args) {
  auto number = select_one<std::int64_t>(connection, sql, read_count, args...);
  if (!number) return fail(std::move(number.error()));
  return number->value_or(0);
}

[[nodiscard]] inline std::optional<TimePoint> optional_time(const Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return row.time(column);
}

}  // namespace slipway::store
