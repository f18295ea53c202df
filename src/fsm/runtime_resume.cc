// Taking up what an earlier process left.
#include <algorithm>
#include <set>
#include <system_error>
#include <thread>
#include <unordered_set>
#include <utility>

#include "fsm/runtime.h"

namespace slipway::fsm {

Result<ResumeReport> Runtime::resume() {
  const sys::Lock lock(mutex_);
  if (life_ != Life::kOpen) return fail(ErrorKind::kInvalid, "resume() was called before, or after shutdown()");
  if (auto good = check_machines(); !good) return fail(std::move(good.error()));
  auto greatest = store_->greatest_version();
  if (!greatest) return greatest.error().during("resume");
  ulids_.stay_above(greatest->ulid());

  ResumeReport report;
  auto runs = load_runs(report);
  if (!runs) return runs.error().during("resume");
  if (auto counted = count_crashes(*runs, report); !counted) return counted.error().during("resume");
  store_->in_flight().clear();  // only now: who dies before has told nobody

  runs_.reserve(runs->size());
  std::vector<LiveRun*> order;
  order.reserve(runs->size());
  for (auto& run : *runs) {
    order.push_back(run.get());
    runs_.emplace(run->spec.version, std::move(run));
  }
  // All are there before the first one settles: a run finds the one it follows, and its place among its queue.
  for (LiveRun* run : order) settle(*run);
  if (auto started = start_threads(); !started) return fail(std::move(started.error()));
  life_ = Life::kRunning;
  for (auto& [name, queue] : queues_) admit(*queue);
  add_timer(clock_.now(), TimerKind::kRetention);
  wake_workers(/*soon_free=*/0);
  report.resumed = order.size() - report.parked;
  return report;
}

Result<> Runtime::check_machines() const {
  for (const auto& [name, machine] : machines_) {
    for (const auto& [before, builder] : machine->definition.follows) {
      if (!machines_.contains(before)) {
        return fail(ErrorKind::kInvalid, "machine {} follows machine {}, which is not part of this manager", name,
                    before);
      }
    }
  }
  return {};
}

Result<Runtime::StoredRuns> Runtime::load_runs(ResumeReport& report) {
  StoredRuns runs;
  std::set<std::string> unknown_queues;
  std::set<std::string> unknown_machines;
  auto loaded = store_->load_active(kResidentPayload, [&](RunStore::ActiveRun&& stored) SLIPWAY_REQUIRES(mutex_) {
    const auto& spec = stored.record.spec;
    const auto machine = machines_.find(spec.machine);
    if (machine == machines_.end()) {
      ++report.orphaned;
      unknown_machines.insert(spec.machine);
    } else if (!spec.queue.empty() && !queues_.contains(spec.queue)) {
      unknown_queues.insert(spec.queue);
    } else {
      runs.push_back(revive(std::move(stored), *machine->second));
    }
  });
  if (!loaded) return fail(std::move(loaded.error()));
  if (!unknown_queues.empty()) {
    return fail(Error(ErrorKind::kInvalid, fmt::format("stored runs stand in the queue {}, which is not configured",
                                                       *unknown_queues.begin()))
                    .with_hint("give the manager a queue of that name"));
  }
  for (const auto& machine : unknown_machines) {
    options_.log.warn("stored runs of machine {} are left alone: this program does not have it", machine);
  }
  return runs;
}

std::shared_ptr<LiveRun> Runtime::revive(RunStore::ActiveRun stored, LiveMachine& machine) {
  auto run = std::make_shared<LiveRun>();
  auto& record = stored.record;
  run->spec = std::move(record.spec);
  run->machine = &machine;
  run->progress = std::move(record.progress);
  run->seq = record.seq;
  run->cancel_cause = std::move(record.cancel_cause);
  run->request = std::move(record.request);
  run->response = std::move(record.response);
  run->payload_here = stored.has_payload;
  run->resumed = true;
  run->after_settled = !std::holds_alternative<Following>(run->progress.state);
  if (*run->spec.plan == *machine.plan) run->spec.plan = machine.plan;
  if (!run->spec.queue.empty()) {
    run->queue = queues_.at(run->spec.queue).get();
    run->was_in_queue = std::holds_alternative<Running>(run->progress.state);
  }
  return run;
}

// The runs that the last process died in are written down as such, before anything runs again.
Result<> Runtime::count_crashes(StoredRuns& runs, ResumeReport& report) {
  const auto& found = store_->found_in_flight();
  const std::unordered_set<RunVersion> inside(found.begin(), found.end());
  std::vector<std::pair<LiveRun*, Decision>> interrupted;
  for (const auto& run : runs) {
    if (!inside.contains(run->spec.version) || std::holds_alternative<Parked>(run->progress.state)) continue;
    if (run->progress.position >= run->spec.plan->transitions.size() && !run->ending()) continue;
    run->was_in_queue = run->queue != nullptr;
    interrupted.emplace_back(run.get(), on_interrupted(run->view(), options_.max_crash_resumes, clock_.now()));
  }
  if (interrupted.empty()) return {};
  std::vector<Write> writes;
  writes.reserve(interrupted.size());
  for (auto& [run, decision] : interrupted) {
    writes.emplace_back(MoveWrite{run->spec.version, run->seq, &decision.progress, nullptr, decision.events});
  }
  auto results = store_->commit(writes);
  if (!results) return fail(std::move(results.error()));
  for (auto& [run, decision] : interrupted) {
    run->seq += decision.events.size();
    run->progress = std::move(decision.progress);
    if (const auto* parked = std::get_if<Parked>(&run->progress.state)) {
      ++report.parked;
      options_.log.error("run {} of machine {} is parked: {}", run->spec.version, run->spec.machine, parked->reason);
    }
  }
  return {};
}

Result<> Runtime::start_threads() {
  const std::size_t slots = std::min(options_.max_threads, store_->in_flight().slots());
  for (std::size_t slot = slots; slot > 0; --slot) free_slots_.push_back(slot - 1);
  inside_.assign(slots, nullptr);
  workers_.resize(slots);
  try {
    timekeeper_ = std::thread([self = shared_from_this()] { self->keep_time(); });
    sentinel_ = std::thread([self = shared_from_this()] { self->watch(); });
  } catch (const std::system_error& e) {
    return fail(ErrorKind::kUnavailable, "no thread can be made: {}", e.what());
  }
  if (!spawn_worker()) return fail(ErrorKind::kUnavailable, "no worker thread can be made");
  return {};
}

}  // namespace slipway::fsm
