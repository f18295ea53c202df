#include "store/transaction.h"

#include <sqlite3.h>

namespace slipway::store {

Result<Transaction> Transaction::begin(Database& db) {
  if (auto begun = db.begin(); !begun) return begun.error().during("begin transaction");
  return Transaction(db);
}

Result<> Transaction::commit() {
  if (db_ == nullptr) return fail(ErrorKind::kInternal, "commit: the transaction is over");
  auto committed = std::exchange(db_, nullptr)->commit();
  if (!committed) return committed.error().during("commit");
  return {};
}

void Transaction::roll_back() {
  if (db_ != nullptr) std::exchange(db_, nullptr)->roll_back();
}

// Database's part stands here and not in database.cc: what a failed commit needs is understood as one piece.
Result<> Database::begin() {
  if (in_transaction()) return fail(ErrorKind::kInternal, "{}: a transaction is open already", path_);
  if (auto synced = sync_again(); !synced) return synced;
  return begin_.run();
}

Result<> Database::commit() {
  // SQLite ends the transaction by itself on some errors; a COMMIT then would say no more than that there is none.
  if (!in_transaction()) {
    return fail(ErrorKind::kIo, "{}: an earlier error of this transaction has rolled it back", path_);
  }
  auto committed = commit_.run();
  if (committed) return committed;
  const int code = sqlite3_extended_errcode(handle_.get());  // before roll_back() puts its own in its place
  roll_back();
  if ((code & 0xFF) == SQLITE_IOERR && code != SQLITE_IOERR_WRITE) bury_failed_commit();
  return committed;
}

void Database::roll_back() {
  if (!in_transaction()) return;
  // ROLLBACK frees memory and locks; it has nothing to write in WAL mode. Should it fail all the same, begin() says so.
  [[maybe_unused]] const auto rolled_back = rollback_.run();
}

// A COMMIT that fails after its last WAL frame was written (a failed sync, a WAL index that cannot grow) has left a
// complete transaction in the file, behind the end that SQLite knows. The next commit overwrites it; but if the process
// dies before, recovery takes it for a good one, and what was reported as failed is there. So it is overwritten now,
// by the smallest transaction that writes a page. No sync: against the death of the process the kernel's copy is
// enough, and a sync would only fail again.
void Database::bury_failed_commit() {
  const auto version = user_version();
  if (!version || !execute("PRAGMA synchronous = OFF")) return;
  unsynced_ = true;
  [[maybe_unused]] const auto buried = execute(fmt::format("PRAGMA user_version = {}", *version));
  [[maybe_unused]] const auto synced = sync_again();  // begin() tries again, and does not go on without
}

Result<> Database::sync_again() {
  if (!unsynced_) return {};
  if (auto full = execute("PRAGMA synchronous = FULL"); !full) return full;
  unsynced_ = false;
  return {};
}

}  // namespace slipway::store
