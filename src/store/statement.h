// A prepared SQL statement, to be kept and executed many times. Preparing allocates; binding, stepping and reading
// columns do not (SQLite itself may).
//
//   auto find = db.prepare("SELECT name, due FROM timer WHERE run = ?1 AND due < ?2");
//   find->bind_all(run, now);
//   const ScopedReset done(*find);
//   for (;;) {
//     auto row = find->step();
//     if (!row) return row.error().during("find timers of {}", run);
//     if (!*row) break;
//     use(find->text(0), find->time(1));
//   }
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "base/ulid.h"

struct sqlite3_stmt;

namespace slipway::store {

using Bytes = std::span<const std::uint8_t>;

// The bytes of a string, to be stored as a blob.
[[nodiscard]] inline Bytes as_blob(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// Used by the thread that uses its Database, and destroyed before it. Parameters count from 1 as in SQL (?1), columns
// from 0.
class Statement {
 public:
  Statement() = default;  // empty: may only be assigned to
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;
  ~Statement();

  // Binding. Text and blobs are not copied: the bytes must stay until the execution has ended. A failed bind (too long,
  // no such parameter, not reset) is reported by the next step(). What is not bound is NULL.
  template <std::integral T>
    requires(std::is_signed_v<T> || sizeof(T) < sizeof(std::int64_t))
  void bind(int parameter, T value) {
    bind_int64(parameter, static_cast<std::int64_t>(value));
  }
  template <std::floating_point T>
  void bind(int parameter, T value) {
    bind_real(parameter, static_cast<double>(value));
  }
  void bind(int parameter, std::string_view text);        // any bytes, NUL and invalid UTF-8 too
  void bind(int parameter, std::string&& gone) = delete;  // would not outlive the call
  void bind(int parameter, const char* text) { bind(parameter, std::string_view(text)); }
  void bind(int parameter, Bytes blob);
  void bind(int parameter, Ulid id);       // a blob of 16 bytes, in the ids' order
  void bind(int parameter, TimePoint at);  // microseconds since 1970
  void bind(int parameter, std::nullptr_t);
  template <class T>
  void bind(int parameter, const std::optional<T>& value) {
    value ? bind(parameter, *value) : bind(parameter, nullptr);
  }

  // Resets, then binds all parameters in order; their number must be right.
  template <class... Args>
  void bind_all(Args&&... args) {
    static_assert(
        ((std::is_lvalue_reference_v<Args> || !std::is_same_v<std::remove_cvref_t<Args>, std::string>) && ...),
        "a temporary string is gone before the statement is stepped");
    bind_in_order(args...);
  }

  // True: there is a row to read. False: done. After false and after an error the statement has been reset.
  [[nodiscard]] Result<bool> step();

  // Executes to the end, dropping rows. The second form binds before, and may be given temporaries.
  [[nodiscard]] Result<> run();
  template <class... Args>
    requires(sizeof...(Args) > 0)
  [[nodiscard]] Result<> run(const Args&... args) {
    bind_in_order(args...);
    return run();
  }

  // Ends the execution and makes all parameters NULL, because bound bytes may be gone by now. A statement that is left
  // at a row holds its read snapshot open, and with it the WAL: see ScopedReset.
  void reset();

  // Columns of the row that step() stopped at. The views hold until the next step() or reset(). NULL reads as 0 or
  // empty; types are the schema's business (STRICT tables).
  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::int64_t int64(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string_view text(int column) const;
  [[nodiscard]] Bytes blob(int column) const;
  [[nodiscard]] TimePoint time(int column) const;
  [[nodiscard]] Result<Ulid> ulid(int column) const;  // kCorrupt when it is not a blob of 16 bytes

 private:
  friend class Database;
  friend class MemoryDatabase;
  explicit Statement(sqlite3_stmt* handle);

  template <class... Args>
  void bind_in_order(Args&... args) {
    reset();
    expect_parameters(static_cast<int>(sizeof...(Args)));
    int parameter = 0;
    (bind(++parameter, args), ...);
  }
  void bind_int64(int parameter, std::int64_t value);
  void bind_real(int parameter, double value);
  void expect_parameters(int count);
  void note(int code);
  Error failed(int code);

  sqlite3_stmt* handle_ = nullptr;
  int bind_code_ = 0;             // the first failure of a bind since the last reset
  std::vector<Ulid::Bytes> ids_;  // what bound Ulids point to: one slot a parameter
};

// Resets a statement at the end of a scope, also when a row is left unread.
class ScopedReset {
 public:
  explicit ScopedReset(Statement& statement) : statement_(statement) {}
  ~ScopedReset() { statement_.reset(); }
  ScopedReset(const ScopedReset&) = delete;
  ScopedReset& operator=(const ScopedReset&) = delete;

 private:
  Statement& statement_;
};

}  // namespace slipway::store
