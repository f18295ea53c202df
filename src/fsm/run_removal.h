// Retention in the SQLite run store: takes finished runs and their history out of the tables, a few at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.h"
#include "fsm/run_store.h"
#include "store/database.h"
#include "store/statement.h"

namespace slipway::fsm {

// Part of the writer: works on its connection, in its thread.
class RunRemoval {
 public:
  [[nodiscard]] Result<> prepare(store::Database& db);

  // What RunStore::remove_finished() says, in one transaction. `last_event` is the greatest number given to an event.
  [[nodiscard]] Result<std::size_t> remove_finished(store::Database& db, const Retention& keep, TimePoint now,
                                                    std::size_t most, std::int64_t last_event);

  // So many more runs have finished, durably.
  void add_finished(std::size_t count);

 private:
  struct Removable {
    std::int64_t run;
    std::int64_t last_event;  // 0: none
  };

  Result<std::size_t> count_beyond(std::size_t max_count);
  Result<std::vector<Removable>> choose(const Retention& keep, TimePoint now, std::size_t most);
  Result<> remove(const Removable& run);

  store::Statement count_;
  store::Statement oldest_;
  store::Statement remove_run_;
  store::Statement remove_event_;
  store::Statement remove_payloads_;
  store::Statement keep_;
  std::optional<std::size_t> finished_;  // how many there are: counted once, when first needed, and kept from then on
};

}  // namespace slipway::fsm
