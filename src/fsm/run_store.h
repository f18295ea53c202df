// Where runs live. The runtime knows only this interface; SQLite (fsm/sqlite_run_store.h) is the embedded default, and
// testing/memory_run_store.h the fake. testing/run_store_contract.h is the suite that every implementation passes.
//
// Contract:
// - commit() is all or nothing, and durable when it returns success: a SIGKILL or power cut after that loses nothing.
//   When it returns an error, nothing of the batch is there, and the next commit() may succeed.
// - A write that does not fit what is stored (somebody else moved the run) is refused by itself: the others of its
//   batch are applied. So no writer needs to be alone: a write carries the sequence number it builds on, and a store
//   shared by many processes fences the slower one with it.
// - Reading is consistent: it sees whole batches only. RunReader is thread-safe, and works while others write.
// - Write calls (commit, remove_finished) come from one thread at a time.
// - Only stored events may be written: a batch with a live-only one is kInvalid.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "fsm/event.h"
#include "fsm/run.h"

namespace slipway::fsm {

// A new run. Refused with AlreadyActive when a run of its (machine, id) is not finished.
struct StartWrite {
  const RunSpec* spec = nullptr;  // must live until commit() returns; so for all pointers here
  const RunState* state = nullptr;
  const std::string* request = nullptr;
  std::vector<Event> events;
};

// A run goes on: its new progress, the response of what it completed, and what happened.
struct MoveWrite {
  RunVersion version;
  std::uint64_t base_seq = 0;  // the run's last event, as the writer knows it: refused (Fenced) when it is another
  const Progress* progress = nullptr;
  const std::string* response = nullptr;  // null: unchanged
  std::vector<Event> events;              // become base_seq + 1, + 2, ...; may be empty
};

// Asks a run to end. Leaves its progress alone, so that it can be written while a transition is under way.
struct CancelWrite {
  RunVersion version;
  std::uint64_t base_seq = 0;
  std::string cause;
  std::vector<Event> events;
};

using Write = std::variant<StartWrite, MoveWrite, CancelWrite>;

struct Applied {};
struct AlreadyActive {
  RunVersion version;
};
struct Fenced {};  // the run is not as the writer thinks, or not there
using WriteResult = std::variant<Applied, AlreadyActive, Fenced>;

// Reading, for anybody at any time.
class RunReader {
 public:
  RunReader() = default;
  RunReader(const RunReader&) = delete;
  RunReader& operator=(const RunReader&) = delete;
  virtual ~RunReader() = default;

  [[nodiscard]] virtual Result<std::optional<RunRecord>> find(RunVersion version) = 0;
  // The newest run of (machine, id), active or not.
  [[nodiscard]] virtual Result<std::optional<RunVersion>> latest(const std::string& machine, const std::string& id) = 0;
  // Newest first. Requests and responses are left out.
  [[nodiscard]] virtual Result<std::vector<RunRecord>> list(const RunFilter& filter) = 0;
  // A run's events by their sequence; empty for an unknown run.
  [[nodiscard]] virtual Result<std::vector<RunEvent>> history(RunVersion version) = 0;
};

// The runs that are inside a handler right now, so that after a crash it is known who was there. Marks survive the
// death of the process; they need not survive the death of the machine, and cost no sync.
class InFlightMarks {
 public:
  InFlightMarks() = default;
  InFlightMarks(const InFlightMarks&) = delete;
  InFlightMarks& operator=(const InFlightMarks&) = delete;
  virtual ~InFlightMarks() = default;

  virtual void enter(std::size_t slot, RunVersion version) = 0;  // slot < slots(), one user at a time
  virtual void leave(std::size_t slot) = 0;
  virtual void clear() = 0;  // nobody is inside: an orderly end
  [[nodiscard]] virtual std::size_t slots() const = 0;
};

struct Retention {
  std::optional<Duration> max_age = std::chrono::hours(24 * 30);  // since the run finished
  std::optional<std::size_t> max_count = 1'000'000;               // of finished runs
};

class RunStore : public RunReader {
 public:
  // One result a write, in order.
  [[nodiscard]] virtual Result<std::vector<WriteResult>> commit(std::span<const Write> writes) = 0;

  // Every run that is not finished, oldest first. Requests and responses larger than `payload_limit` bytes together
  // are left out (both empty, `has_payload` false). `take` must not call the store.
  struct ActiveRun {
    RunRecord record;
    bool has_payload = true;
  };
  [[nodiscard]] virtual Result<> load_active(std::size_t payload_limit,
                                             const std::function<void(ActiveRun&&)>& take) = 0;

  // The greatest version ever stored here, finished or not.
  [[nodiscard]] virtual Result<RunVersion> greatest_version() = 0;

  // Removes up to `most` finished runs that `keep` no longer wants, with their history, the oldest endings first. A run
  // that an unfinished one was started after, or is the parent of, stays. Gives the number removed: less than `most`
  // means there are no more.
  [[nodiscard]] virtual Result<std::size_t> remove_finished(const Retention& keep, TimePoint now, std::size_t most) = 0;

  [[nodiscard]] virtual InFlightMarks& in_flight() = 0;
  // Who was inside when the last owner died: active runs only, each once. The marks stay until they are cleared.
  [[nodiscard]] virtual const std::vector<RunVersion>& found_in_flight() const = 0;
};

}  // namespace slipway::fsm
