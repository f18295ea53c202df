// A run store without a disk: the fake for tests of the runtime. Passes the same contract suite as the real one.
//
// What is durable lives in a MemoryRunData that outlives the store, so a test restarts by making a new store over the
// same data, and crashes by making one over a snapshot().
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fsm/run_store.h"
#include "sys/mutex.h"

namespace slipway::fsm {

// The bytes on the fake disk. Opaque to tests.
struct MemoryRunData {
  struct Run {
    RunRecord record;
    std::vector<Event> events;
  };

  mutable sys::Mutex mutex;
  std::map<RunVersion, Run> runs SLIPWAY_GUARDED_BY(mutex);
  std::map<std::pair<std::string, std::string>, RunVersion> active SLIPWAY_GUARDED_BY(mutex);  // by machine and id
  RunVersion greatest SLIPWAY_GUARDED_BY(mutex);
  std::vector<RunVersion> marks SLIPWAY_GUARDED_BY(mutex);  // by slot; an empty version: nobody
};

// Thread-safe, write calls included. One store at a time over the same data.
class MemoryRunStore final : public RunStore {
 public:
  explicit MemoryRunStore(std::shared_ptr<MemoryRunData> data = std::make_shared<MemoryRunData>(),
                          std::size_t slots = 512);

  // A copy of what is durable at this instant: what a crash now would leave.
  [[nodiscard]] std::shared_ptr<MemoryRunData> snapshot() const;

  // The next `count` commits that have writes fail with `error`, and apply nothing.
  void fail_next_commits(std::size_t count, Error error);
  // The next `count` calls of find() fail with `error`.
  void fail_next_finds(std::size_t count, Error error);
  [[nodiscard]] std::size_t finds_to_fail() const;
  // Called by every later commit that has writes, before it does anything. It may block, or order a failure.
  void before_commits(std::function<void()> call);
  // Commits that succeeded and had writes.
  [[nodiscard]] std::size_t commits() const;

  Result<std::optional<RunRecord>> find(RunVersion version) override;
  Result<std::optional<RunVersion>> latest(const std::string& machine, const std::string& id) override;
  Result<std::vector<RunRecord>> list(const RunFilter& filter) override;
  Result<std::vector<RunEvent>> history(RunVersion version) override;

  Result<std::vector<WriteResult>> commit(std::span<const Write> writes) override;
  Result<> load_active(std::size_t payload_limit, const std::function<void(ActiveRun&&)>& take) override;
  Result<RunVersion> greatest_version() override;
  Result<std::size_t> remove_finished(const Retention& keep, TimePoint now, std::size_t most) override;
  InFlightMarks& in_flight() override { return marks_; }
  const std::vector<RunVersion>& found_in_flight() const override { return found_in_flight_; }

 private:
  class Marks final : public InFlightMarks {
   public:
    Marks(std::shared_ptr<MemoryRunData> data, std::size_t slots);
    void enter(std::size_t slot, RunVersion version) override;
    void leave(std::size_t slot) override;
    void clear() override;
    [[nodiscard]] std::size_t slots() const override { return slots_; }

   private:
    std::shared_ptr<MemoryRunData> data_;
    std::size_t slots_;
  };

  WriteResult apply(const StartWrite& write) SLIPWAY_REQUIRES(data_->mutex);
  WriteResult apply(const MoveWrite& write) SLIPWAY_REQUIRES(data_->mutex);
  WriteResult apply(const CancelWrite& write) SLIPWAY_REQUIRES(data_->mutex);
  // The run, if it is active and its last event is `base_seq`.
  MemoryRunData::Run* find_at(RunVersion version, std::uint64_t base_seq) SLIPWAY_REQUIRES(data_->mutex);

  const std::shared_ptr<MemoryRunData> data_;
  Marks marks_;
  std::vector<RunVersion> found_in_flight_;
  std::size_t failures_left_ SLIPWAY_GUARDED_BY(data_->mutex) = 0;
  Error failure_ SLIPWAY_GUARDED_BY(data_->mutex) = Error(ErrorKind::kIo, "injected fault");
  std::function<void()> before_commit_ SLIPWAY_GUARDED_BY(data_->mutex);
  std::size_t commits_ SLIPWAY_GUARDED_BY(data_->mutex) = 0;
  std::size_t finds_to_fail_ SLIPWAY_GUARDED_BY(data_->mutex) = 0;
  Error find_failure_ SLIPWAY_GUARDED_BY(data_->mutex) = Error(ErrorKind::kIo, "");
};

}  // namespace slipway::fsm
