#include "store/sqlite_error.h"

#include <cerrno>
#include <cstring>
#include <string>

#include <sqlite3.h>

#include "store/vfs.h"

namespace slipway::store {
namespace {

constexpr int primary(int code) { return code & 0xFF; }

bool has_system_errno(int code) { return primary(code) == SQLITE_IOERR || primary(code) == SQLITE_CANTOPEN; }

ErrorKind kind_of_errno(int system_errno) {
  switch (system_errno) {
    case ENOSPC:
    case EDQUOT: return ErrorKind::kNoSpace;
    case ENOENT:
    case ENOTDIR: return ErrorKind::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS: return ErrorKind::kPermission;
    default: return ErrorKind::kIo;
  }
}

std::string hint_for(int code) {
  switch (code) {
    case SQLITE_READONLY_DBMOVED: return "the file was moved or removed while it was open: close and open again";
    case SQLITE_READONLY_CANTINIT:
    case SQLITE_READONLY_RECOVERY:
    case SQLITE_READONLY_DIRECTORY: return "allow this user to write to the database's directory";
    default: break;
  }
  switch (primary(code)) {
    case SQLITE_FULL: return "free some space";
    case SQLITE_BUSY: return "another connection holds it; try again";
    case SQLITE_NOTADB: return "check the path: this file is something else, or its first page was overwritten";
    case SQLITE_CORRUPT: return "restore it from a backup, or save what can be read with `sqlite3 FILE .recover`";
    default: return {};
  }
}

}  // namespace

ErrorKind kind_of(int code, int system_errno) {
  if (code == SQLITE_READONLY_DBMOVED) return ErrorKind::kIo;
  switch (primary(code)) {
    case SQLITE_FULL: return ErrorKind::kNoSpace;
    case SQLITE_IOERR: {
      const bool full = system_errno == ENOSPC || system_errno == EDQUOT;
      return full ? ErrorKind::kNoSpace : ErrorKind::kIo;
    }
    case SQLITE_CANTOPEN: return kind_of_errno(system_errno);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL: return ErrorKind::kUnavailable;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return ErrorKind::kCorrupt;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH: return ErrorKind::kPermission;
    case SQLITE_CONSTRAINT: return ErrorKind::kConflict;
    case SQLITE_TOOBIG:
    case SQLITE_MISMATCH: return ErrorKind::kInvalid;
    case SQLITE_INTERRUPT: return ErrorKind::kCancelled;
    default: return ErrorKind::kInternal;
  }
}

Error sqlite_error(sqlite3* db, int code) {
  const int system_errno = has_system_errno(code) ? last_io_errno() : 0;
  // A call that SQLite refuses without looking at the connection (misuse) leaves the connection's message behind.
  const bool message_is_of_code = primary(sqlite3_errcode(db)) == primary(code);
  const char* file = sqlite3_db_filename(db, "main");
  std::string message;
  if (file != nullptr && *file != '\0') message = fmt::format("{}: ", file);
  message += message_is_of_code ? sqlite3_errmsg(db) : sqlite3_errstr(code);
  message += fmt::format(" [SQLite {}]", code);
  if (system_errno != 0) message += fmt::format(": {}", std::strerror(system_errno));
  return Error(kind_of(code, system_errno), std::move(message)).with_hint(hint_for(code));
}

}  // namespace slipway::store
