// Internal to store/: what SQLite says, as our error.
#pragma once

#include <string_view>

#include "base/error.h"

struct sqlite3;

namespace slipway::store {

// The error of the last failed call on `db`, which answered `code` (extended). Names the database's file, and the
// operating system's reason where there is one.
[[nodiscard]] Error sqlite_error(sqlite3* db, int code);

// By code alone; `system_errno` is that of the failed system call, or 0.
[[nodiscard]] ErrorKind kind_of(int code, int system_errno);

}  // namespace slipway::store
