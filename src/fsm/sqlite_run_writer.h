// The writing half of the SQLite run store: the one connection that writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "fsm/run_removal.h"
#include "fsm/run_rows.h"
#include "fsm/run_store.h"
#include "store/database.h"
#include "store/transaction.h"

namespace slipway::fsm {

// One thread at a time.
class SqliteRunWriter {
 public:
  // Makes the tables, or brings them up to date.
  [[nodiscard]] static Result<std::unique_ptr<SqliteRunWriter>> open(const store::OpenOptions& options);

  // What RunStore's functions of these names say.
  [[nodiscard]] Result<std::vector<WriteResult>> commit(std::span<const Write> writes);
  [[nodiscard]] Result<std::size_t> remove_finished(const Retention& keep, TimePoint now, std::size_t most);

 private:
  // An active run as a write finds it.
  struct Head {
    std::int64_t run;
    std::uint64_t seq;
    std::optional<std::int64_t> last_event;
    bool response_apart;  // in payloads
  };
  enum class MoveShape : std::uint8_t { kPlain, kResponse, kFinish, kFinishWithResponse };

  explicit SqliteRunWriter(store::Database db) : db_(std::move(db)) {}

  Result<> prepare();
  Result<> read_last_event();
  Result<std::vector<WriteResult>> write_all(std::span<const Write> writes);

  Result<WriteResult> apply(const StartWrite& write);
  Result<WriteResult> apply(const MoveWrite& write);
  Result<WriteResult> apply(const CancelWrite& write);

  Result<bool> insert_run(const StartWrite& write, std::int64_t plan);  // false: a key is taken
  Result<std::optional<RunVersion>> active_version(const RunSpec& spec);
  // Null when it is not there, finished, or elsewhere than at `base_seq`. Good until heads_ changes.
  Result<Head*> find_head(RunVersion version, std::uint64_t base_seq);
  Result<std::optional<Head>> read_head(RunVersion version);
  // False: the row is not at the head's place after all.
  Result<bool> update_run(const MoveWrite& write, const Head& head);
  Result<> put_response(const std::string& response, Head& head);
  Result<> append_events(Head& head, const std::vector<Event>& events);
  // Of the run's last event once `count` more have been appended.
  [[nodiscard]] std::optional<std::int64_t> last_event_after(std::optional<std::int64_t> last, std::size_t count) const;
  Result<std::int64_t> plan_number(const std::shared_ptr<const Plan>& plan);

  store::Database db_;
  store::Statement insert_run_;
  store::Statement insert_event_;
  store::Statement head_;
  store::Statement active_;
  store::Statement move_[4];  // by MoveShape
  store::Statement cancel_;
  store::Statement find_plan_;
  store::Statement insert_plan_;
  store::Statement put_payload_;
  store::Statement remove_payload_;
  RunRemoval removal_;

  std::int64_t last_event_ = 0;     // the greatest n ever given, uncommitted ones included
  std::size_t newly_finished_ = 0;  // in the transaction that is open
  // Of the active runs that were written to, as the open transaction has them: a move need not look first. Forgotten
  // as a whole when a transaction fails. Only this connection writes; should another all the same, an update finds
  // the row elsewhere, and is fenced.
  std::unordered_map<RunVersion, Head> heads_;
  // By identity: the runs of a machine share their plan. It is held, so that its address names nothing else.
  std::unordered_map<std::shared_ptr<const Plan>, std::int64_t> plans_;
};

}  // namespace slipway::fsm
