// A writing transaction: begun at once with the write lock, so that it cannot fail half-way for want of it.
//
//   auto transaction = Transaction::begin(db);
//   if (!transaction) return ...
//   ... statements ...
//   return transaction->commit();
#pragma once

#include <utility>

#include "base/error.h"
#include "store/database.h"

namespace slipway::store {

// One at a time on a connection, and must not outlive it. What is not committed is rolled back.
//
// When a statement in it fails, give the transaction up, except after kConflict (a constraint): SQLite may have rolled
// it back already, and a statement that follows would be committed by itself.
class Transaction {
 public:
  // kUnavailable when another connection keeps the write lock for longer than the busy timeout.
  [[nodiscard]] static Result<Transaction> begin(Database& db);

  // On success the changes are on disk. On error none of them is applied, the transaction is over, and the connection
  // is ready for the next one, whatever it was that failed; nor will the changes reappear should the process die
  // afterwards, unless the WAL can no longer be written to at all. After a failed sync and a loss of power, nobody can
  // say.
  [[nodiscard]] Result<> commit();

  Transaction(Transaction&& other) noexcept : db_(std::exchange(other.db_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction() { roll_back(); }

  void roll_back();  // no effect when it is over

 private:
  explicit Transaction(Database& db) : db_(&db) {}

  Database* db_;  // null: over
};

}  // namespace slipway::store
