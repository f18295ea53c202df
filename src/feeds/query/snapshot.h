// Internal to feeds/query: all that is asked for while it lives is of one instant.
#pragma once

#include "base/error.h"
#include "store/database.h"

namespace slipway::feeds {

class Snapshot {
 public:
  explicit Snapshot(store::Database& db) : db_(db), begun_(db.execute("BEGIN")) {}
  ~Snapshot() {
    if (begun_) (void)db_.execute("ROLLBACK");
  }
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  [[nodiscard]] const Result<>& begun() const { return begun_; }

 private:
  store::Database& db_;
  Result<> begun_;
};

}  // namespace slipway::feeds
