// The durable runtime: owns a store, runs the machines registered with it, and answers for what they did.
//
//   auto store   = fsm::SqliteRunStore::open("fsm.db");
//   auto manager = fsm::Manager::open(std::move(*store), {.queues = {{"downloads", 5}}});
//   auto hello   = fsm::machine<Request, Response>("hello").start("greet", greet).end("complete").add_to(**manager);
//   (*manager)->resume();                          // takes up what an earlier process left; from here on runs start
//   auto run     = hello->start("test-run-1", {.name = "World"});
//   auto result  = hello->wait(*run);
//
// Promises:
// - A start, completion, error, cancel or end counts only when it is on disk. After `kill -9` at any instant every
//   acknowledged run goes on: no completed transition runs again, the one under way runs again from its beginning, and
//   the response is that of the last completed transition.
// - When the disk does not take a write, the run stays where it is: nothing runs on a state that is not on disk. New
//   starts are refused with the reason, what is held back is written as soon as there is room, and then all goes on.
// - A run that waits (queue, delay, back-off, run-after) holds no thread. Handlers run on a pool that grows as long as
//   they block, to `max_threads`; a queue's limit is what bounds concurrency.
// - A handler that throws, blocks or ignores its stop token harms no run but its own.
//
// Thread-safe; may be called from handlers too, but wait() in a handler holds that handler's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "fsm/definition.h"
#include "fsm/event.h"
#include "fsm/metrics.h"
#include "fsm/run.h"
#include "fsm/run_store.h"
#include "fsm/subscription.h"
#include "sys/clock.h"

namespace slipway::fsm {

class Runtime;

struct QueueLimit {
  std::string name;
  std::size_t limit = 1;  // how many of its runs are under way at once
};

struct ManagerOptions {
  std::vector<QueueLimit> queues{};
  std::size_t max_threads = 256;
  // How often in a row a run is resumed after the process has died inside its handlers. The next time it is parked.
  // Every run that was inside a handler at that moment is counted: nobody can tell which of them it was.
  std::uint32_t max_crash_resumes = 5;
  std::size_t max_payload = std::size_t{64} << 20;  // bytes of a request or response
  Retention retention{};
  Duration retention_interval = std::chrono::minutes(1);
  std::vector<Interceptor> interceptors{};  // around those of each machine
  sys::Clock* clock = nullptr;              // null: the wall clock. Must outlive the manager
  Logger log{};  // its sink is called with the runtime locked: it must be quick, and not call back
};

struct StartOptions {
  std::string queue{};  // empty: none, it runs at once
  int priority = 0;     // higher first; first in, first out among equals
  std::optional<TimePoint> not_before{};
  std::optional<RunVersion> after{};  // starts when that run has completed; fails with its cause when it did not
  bool after_any_ending = false;      // starts also when that run failed, was aborted or cancelled
  std::optional<RunVersion> parent{};
};

struct Started {
  RunVersion version;
  bool already_running = false;  // the version is that of the active run; nothing was started

  operator RunVersion() const { return version; }  // NOLINT(google-explicit-constructor): wait(*started) reads well
};

struct StartRequest {
  std::string id;
  std::string request{};  // encoded
  StartOptions options{};
};

// How a run ended.
struct RunResult {
  RunVersion version;
  std::string machine;
  Ending ending = Ending::kCompleted;
  std::optional<Error> error;  // of an unhappy ending
  std::string response;        // encoded; of the last completed transition
};

struct MachineInfo {
  std::string name;
  std::vector<std::string> transitions;
  std::string end;
};

struct QueueInfo {
  std::string name;
  std::size_t limit = 0;
  std::size_t waiting = 0;
  std::size_t inflight = 0;
};

struct ResumeReport {
  std::size_t resumed = 0;
  std::size_t parked = 0;    // now, for having crashed too often
  std::size_t orphaned = 0;  // of machines this program does not have: left alone
};

struct ShutdownReport {
  std::vector<RunVersion> stuck;  // still inside a handler that ignores its stop token
};

class Manager {
 public:
  // Takes the store. Nothing runs before resume().
  [[nodiscard]] static Result<std::unique_ptr<Manager>> open(std::unique_ptr<RunStore> store, ManagerOptions options);

  // Shuts down with a patience of no time at all: whoever wants an orderly end calls shutdown() first. A handler that
  // ignores its stop token is abandoned: its thread may live on, what it returns is dropped.
  ~Manager();
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  // Before resume(). kInvalid for an unusable definition, kAlreadyExists for a second one of its name.
  [[nodiscard]] Result<> add(Definition definition);

  // Takes up every stored run of the machines that were added. Fails, and touches nothing, when a run stands in a queue
  // that is not configured, or a machine follows one that was not added.
  [[nodiscard]] Result<ResumeReport> resume();

  // On success the run is on disk. Unknown machine, queue or predecessor is an error. Machines' own typed start() is
  // the usual way in.
  [[nodiscard]] Result<Started> start(const std::string& machine, StartRequest run);
  // Many with one sync. Each gets its own answer.
  [[nodiscard]] std::vector<Result<Started>> start_all(const std::string& machine, std::vector<StartRequest> runs);

  // Until the run has ended, or the deadline has passed (kTimeout). An unknown version is kNotFound; a run that is
  // parked, or awaits one that is, is kParked with the reason, since it will not end by itself. A run that ended badly
  // is a result, not an error.
  [[nodiscard]] Result<RunResult> wait(RunVersion version, std::optional<TimePoint> deadline = {});
  // For the newest run of (machine, id).
  [[nodiscard]] Result<RunResult> wait_latest(const std::string& machine, const std::string& id,
                                              std::optional<TimePoint> deadline = {});

  // On success the wish is on disk: a run that waits ends soon, one inside a handler when that returns. A run that has
  // ended already is kConflict.
  [[nodiscard]] Result<> cancel(RunVersion version, std::string cause);
  // Takes a parked run up again, with its crashes forgotten; of a run that awaits a parked one, that one. kConflict
  // when nothing is parked.
  [[nodiscard]] Result<> unpark(RunVersion version);

  [[nodiscard]] std::vector<MachineInfo> machines() const;
  [[nodiscard]] std::vector<QueueInfo> queues() const;
  [[nodiscard]] Result<RunRecord> run(RunVersion version) const;
  [[nodiscard]] Result<std::vector<RunRecord>> runs(const RunFilter& filter) const;
  [[nodiscard]] Result<std::vector<RunRecord>> children(RunVersion parent) const;  // all of them
  [[nodiscard]] Result<std::vector<RunEvent>> history(RunVersion version) const;
  // Of what happens from now on. Never slows the runtime: what a slow reader leaves unread is dropped, and counted.
  [[nodiscard]] Subscription subscribe(std::size_t buffer = 1024);
  [[nodiscard]] MetricsSnapshot metrics() const;

  // Stops taking work, fires the stop tokens, waits up to `patience` for handlers to return, and persists what they
  // did. An error that a handler returns because it was told to stop is not counted: its run is resumed next time.
  ShutdownReport shutdown(Duration patience);

  [[nodiscard]] sys::Clock& clock() const;

 private:
  explicit Manager(std::shared_ptr<Runtime> runtime);

  std::shared_ptr<Runtime> runtime_;
};

}  // namespace slipway::fsm
