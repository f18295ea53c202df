// The machinery behind Manager. One lock guards all state in memory; it is never held while a handler runs, the store
// writes, or a stop callback fires.
//
// How a run moves, always in this order: a worker runs a handler (step), the outcome becomes a Decision (decide.h), the
// Decision is queued for writing (submit), a batch of them is made durable with one sync (lead), and only then does the
// run take its next state (settle): ready again, waiting, or over.
//
// Who writes: whoever finds writes pending and nobody writing becomes the leader for a while: a worker after its step,
// or a caller of start(). Alone, a run thus goes from handler to disk to the next handler on one thread; with many,
// the other threads go on with handlers while the leader syncs, and the next batch is what they finished meanwhile.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/ulid.h"
#include "fsm/decide.h"
#include "fsm/live_run.h"
#include "fsm/manager.h"
#include "fsm/run_queue.h"
#include "fsm/run_store.h"
#include "fsm/subscription.h"
#include "fsm/timers.h"
#include "sys/mutex.h"

namespace slipway::fsm {

// What a wait for a parked run gives.
[[nodiscard]] Error parked_error(const LiveRun& run);  // of one that is parked

class Runtime : public std::enable_shared_from_this<Runtime> {
 public:
  Runtime(std::unique_ptr<RunStore> store, ManagerOptions options);

  // The verbs of Manager.
  Result<> add(Definition definition) SLIPWAY_EXCLUDES(mutex_);
  Result<ResumeReport> resume() SLIPWAY_EXCLUDES(mutex_);
  std::vector<Result<Started>> start_all(const std::string& machine, std::vector<StartRequest> requests)
      SLIPWAY_EXCLUDES(mutex_);
  Result<RunResult> wait(RunVersion version, std::optional<TimePoint> deadline) SLIPWAY_EXCLUDES(mutex_);
  Result<> cancel(RunVersion version, std::string cause) SLIPWAY_EXCLUDES(mutex_);
  Result<> unpark(RunVersion version) SLIPWAY_EXCLUDES(mutex_);
  std::vector<MachineInfo> machines() const SLIPWAY_EXCLUDES(mutex_);
  std::vector<QueueInfo> queues() const SLIPWAY_EXCLUDES(mutex_);
  MetricsSnapshot metrics() const SLIPWAY_EXCLUDES(mutex_);
  ShutdownReport shutdown(Duration patience) SLIPWAY_EXCLUDES(mutex_);
  Subscription subscribe(std::size_t buffer) { return hub_.subscribe(buffer, clock_); }
  // Null after shutdown.
  std::shared_ptr<RunStore> store() const SLIPWAY_EXCLUDES(mutex_);
  sys::Clock& clock() const { return clock_; }

 private:
  // Several writes that one caller waits for.
  struct WriteGroup {
    std::size_t left = 0;
    std::vector<Result<WriteResult>> results;
    std::condition_variable done;
  };

  // A write on its way to the disk.
  struct Pending {
    enum class Kind : std::uint8_t { kStart, kMove, kCancel, kNote };

    Kind kind = Kind::kMove;
    LiveRun* run = nullptr;
    std::shared_ptr<LiveRun> keep{};  // kStart: `run` is not among the living yet; kCancel: it may end meanwhile
    Decision decision{};              // kCancel: only its events; kNote: only its progress
    std::string cause{};              // kCancel
    WriteGroup* group = nullptr;      // who waits for it; such a write fails with its batch, others are held back
    std::size_t index = 0;            // in the group
  };

  struct Waiter {
    bool told = false;
    std::optional<Result<RunResult>> result;  // none, though told: read it from the store
    std::condition_variable done;
  };

  enum class Leader : std::uint8_t { kWorker, kGuest };

  // What came of working on a run.
  struct Tried {
    Try tried;
    EncodedOutcome outcome;
  };
  struct Finalized {
    std::vector<Error> errors;
  };
  struct Recheck {};    // what it needs is not to be had now
  struct PassGates {};  // the run before has ended well: on to delay and queue
  struct PutDown {};    // shutdown: left as it is, for the next process
  using Worked = std::variant<Tried, Finalized, Decision, Recheck, PassGates, PutDown>;

  // runtime.cc: what callers ask.
  Result<std::shared_ptr<LiveRun>> make_run(LiveMachine& machine, StartRequest& request) SLIPWAY_REQUIRES(mutex_);
  Result<> check_after(const StartOptions& options) SLIPWAY_EXCLUDES(mutex_);
  Result<RunResult> result_from_store(RunVersion version) SLIPWAY_EXCLUDES(mutex_);
  Result<> not_active(RunVersion version, std::string_view wish) SLIPWAY_EXCLUDES(mutex_);
  Result<> submit_and_wait(Pending pending) SLIPWAY_REQUIRES(mutex_);
  void wait_for(WriteGroup& group) SLIPWAY_REQUIRES(mutex_);

  // runtime_commit.cc: from decision to disk.
  void submit(LiveRun& run, Decision decision) SLIPWAY_REQUIRES(mutex_);
  [[nodiscard]] bool wants_leader() const SLIPWAY_REQUIRES(mutex_);
  [[nodiscard]] bool wants_removal() const SLIPWAY_REQUIRES(mutex_);
  void lead(Leader who, const WriteGroup* own = nullptr) SLIPWAY_REQUIRES(mutex_);
  void hand_over() SLIPWAY_REQUIRES(mutex_);
  std::vector<Pending> take_batch() SLIPWAY_REQUIRES(mutex_);
  void write_batch() SLIPWAY_REQUIRES(mutex_);
  void apply(Pending& pending, const WriteResult& result) SLIPWAY_REQUIRES(mutex_);
  void apply_move(LiveRun& run, Decision& decision) SLIPWAY_REQUIRES(mutex_);
  void apply_cancel(LiveRun& run, std::string cause) SLIPWAY_REQUIRES(mutex_);
  void lose(LiveRun& run) SLIPWAY_REQUIRES(mutex_);
  void hold_back(std::vector<Pending> batch, const Error& error) SLIPWAY_REQUIRES(mutex_);
  void answer(const Pending& pending, Result<WriteResult> result) SLIPWAY_REQUIRES(mutex_);
  void remove_some_history() SLIPWAY_REQUIRES(mutex_);
  void publish(const LiveRun& run, std::uint64_t seq, const Event& event);

  // runtime_gates.cc: where a run goes next.
  void settle(LiveRun& run) SLIPWAY_REQUIRES(mutex_);
  void pass_gates(LiveRun& run) SLIPWAY_REQUIRES(mutex_);
  void wait_until(LiveRun& run, TimePoint due, TimerKind kind) SLIPWAY_REQUIRES(mutex_);
  void join_queue(LiveRun& run) SLIPWAY_REQUIRES(mutex_);
  void leave_queue(LiveRun& run) SLIPWAY_REQUIRES(mutex_);
  void admit(RunQueue& queue) SLIPWAY_REQUIRES(mutex_);
  void follow(LiveRun& run) SLIPWAY_REQUIRES(mutex_);
  void make_ready(LiveRun& run) SLIPWAY_REQUIRES(mutex_);
  void withdraw(LiveRun& run) SLIPWAY_REQUIRES(mutex_);
  void note(LiveRun& run) SLIPWAY_REQUIRES(mutex_);
  void drop_large_payload(LiveRun& run) SLIPWAY_REQUIRES(mutex_);
  void finish(LiveRun& run) SLIPWAY_REQUIRES(mutex_);
  void release_followers(const LiveRun& before, const Finished& end) SLIPWAY_REQUIRES(mutex_);
  // The parked run that keeps this one from going on: itself, or one that it awaits.
  [[nodiscard]] LiveRun* parked_below(LiveRun& run) SLIPWAY_REQUIRES(mutex_);
  void tell_parked(RunVersion version, const LiveRun& parked) SLIPWAY_REQUIRES(mutex_);
  // No result: it is to be read from the store.
  void tell_waiters(RunVersion version, const std::optional<Result<RunResult>>& result) SLIPWAY_REQUIRES(mutex_);

  // runtime_work.cc: running handlers.
  void work(std::size_t slot) SLIPWAY_EXCLUDES(mutex_);
  void step(LiveRun& run, std::size_t slot) SLIPWAY_REQUIRES(mutex_);
  std::optional<Decision> decide_at_once(LiveRun& run) SLIPWAY_REQUIRES(mutex_);
  Worked perform(LiveRun& run, const StopSwitch& stop, std::shared_ptr<RunStore> store) SLIPWAY_EXCLUDES(mutex_);
  std::optional<Worked> hydrate(LiveRun& run, RunStore& store) SLIPWAY_EXCLUDES(mutex_);
  std::optional<Worked> resolve_predecessor(LiveRun& run, RunStore& store) SLIPWAY_EXCLUDES(mutex_);
  EncodedOutcome call(LiveRun& run, const Transition& transition, const RunContext& context) SLIPWAY_EXCLUDES(mutex_);
  void conclude(LiveRun& run, Worked worked, StopCause cause) SLIPWAY_REQUIRES(mutex_);
  void conclude_try(LiveRun& run, Tried tried, StopCause cause) SLIPWAY_REQUIRES(mutex_);
  double random() SLIPWAY_REQUIRES(mutex_);

  // runtime_threads.cc: threads and time.
  void wake_workers(std::size_t soon_free) SLIPWAY_REQUIRES(mutex_);
  bool wake_or_spawn() SLIPWAY_REQUIRES(mutex_);
  bool spawn_worker() SLIPWAY_REQUIRES(mutex_);
  void watch() SLIPWAY_EXCLUDES(mutex_);      // the sentinel's thread
  void keep_time() SLIPWAY_EXCLUDES(mutex_);  // the timekeeper's thread
  void fire(const Timers::Fired& fired) SLIPWAY_REQUIRES(mutex_);
  void add_timer(TimePoint due, TimerKind kind) SLIPWAY_REQUIRES(mutex_);
  void stop_run(LiveRun& run, StopCause cause) SLIPWAY_REQUIRES(mutex_);
  void fire_stops() SLIPWAY_REQUIRES(mutex_);

  // runtime_resume.cc: taking up what an earlier process left.
  using StoredRuns = std::vector<std::shared_ptr<LiveRun>>;
  Result<StoredRuns> load_runs(ResumeReport& report) SLIPWAY_REQUIRES(mutex_);
  std::shared_ptr<LiveRun> revive(RunStore::ActiveRun stored, LiveMachine& machine) SLIPWAY_REQUIRES(mutex_);
  Result<> count_crashes(StoredRuns& runs, ResumeReport& report) SLIPWAY_REQUIRES(mutex_);
  Result<> check_machines() const SLIPWAY_REQUIRES(mutex_);
  Result<> start_threads() SLIPWAY_REQUIRES(mutex_);

  // runtime_shutdown.cc
  void wait_for_quiet(TimePoint deadline) SLIPWAY_REQUIRES(mutex_);
  void close() SLIPWAY_REQUIRES(mutex_);
  void end_threads() SLIPWAY_REQUIRES(mutex_);

  const ManagerOptions options_;
  sys::Clock& clock_;
  UlidSource ulids_;
  EventHub hub_;

  mutable sys::Mutex mutex_;
  std::shared_ptr<RunStore> store_ SLIPWAY_GUARDED_BY(mutex_);
  std::map<std::string, std::unique_ptr<LiveMachine>> machines_ SLIPWAY_GUARDED_BY(mutex_);
  std::map<std::string, std::unique_ptr<RunQueue>> queues_ SLIPWAY_GUARDED_BY(mutex_);
  std::unordered_map<RunVersion, std::shared_ptr<LiveRun>> runs_ SLIPWAY_GUARDED_BY(mutex_);
  std::unordered_map<RunVersion, std::vector<RunVersion>> followers_ SLIPWAY_GUARDED_BY(mutex_);
  std::unordered_map<RunVersion, std::vector<Waiter*>> waiters_ SLIPWAY_GUARDED_BY(mutex_);
  std::deque<LiveRun*> ready_ SLIPWAY_GUARDED_BY(mutex_);
  Timers timers_ SLIPWAY_GUARDED_BY(mutex_);
  std::mt19937_64 random_ SLIPWAY_GUARDED_BY(mutex_);

  // Writing.
  std::deque<Pending> pending_ SLIPWAY_GUARDED_BY(mutex_);
  std::vector<RunVersion> notes_ SLIPWAY_GUARDED_BY(mutex_);
  bool leading_ SLIPWAY_GUARDED_BY(mutex_) = false;
  bool held_back_ SLIPWAY_GUARDED_BY(mutex_) = false;  // the disk refused; pending_ waits for the retry timer
  Duration retry_wait_ SLIPWAY_GUARDED_BY(mutex_){0};
  bool write_notes_ SLIPWAY_GUARDED_BY(mutex_) = false;
  bool remove_history_ SLIPWAY_GUARDED_BY(mutex_) = false;

  // Threads. Awake = inside a handler or leading (busy), or about to look for work.
  std::size_t threads_ SLIPWAY_GUARDED_BY(mutex_) = 0;
  std::size_t idle_ SLIPWAY_GUARDED_BY(mutex_) = 0;
  std::size_t busy_ SLIPWAY_GUARDED_BY(mutex_) = 0;
  std::size_t wakeups_ SLIPWAY_GUARDED_BY(mutex_) = 0;           // given to idle threads that have not yet woken
  std::vector<std::thread> workers_ SLIPWAY_GUARDED_BY(mutex_);  // by slot
  std::thread timekeeper_ SLIPWAY_GUARDED_BY(mutex_);
  std::thread sentinel_ SLIPWAY_GUARDED_BY(mutex_);
  std::uint64_t taken_ SLIPWAY_GUARDED_BY(mutex_) = 0;  // pieces of work, ever
  std::vector<std::size_t> free_slots_ SLIPWAY_GUARDED_BY(mutex_);
  std::vector<LiveRun*> inside_ SLIPWAY_GUARDED_BY(mutex_);  // by slot: whose handler it runs; null: none
  std::size_t inside_count_ SLIPWAY_GUARDED_BY(mutex_) = 0;
  std::vector<std::shared_ptr<StopSwitch>> stops_ SLIPWAY_GUARDED_BY(mutex_);  // to be fired without the lock
  std::condition_variable work_;
  std::condition_variable stalled_;
  std::condition_variable time_;
  std::condition_variable quiet_;  // shutdown waits here

  enum class Life : std::uint8_t { kOpen, kRunning, kStopping, kClosed };
  Life life_ SLIPWAY_GUARDED_BY(mutex_) = Life::kOpen;

  Histogram batch_sizes_ SLIPWAY_GUARDED_BY(mutex_);
  Histogram sync_times_ SLIPWAY_GUARDED_BY(mutex_);
  std::uint64_t failed_commits_ SLIPWAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace slipway::fsm
