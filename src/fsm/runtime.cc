// What callers ask of the runtime.
#include "fsm/runtime.h"

#include <algorithm>
#include <utility>

namespace slipway::fsm {

Runtime::Runtime(std::unique_ptr<RunStore> store, ManagerOptions options)
    : options_(std::move(options)),
      clock_(options_.clock != nullptr ? *options_.clock : sys::system_clock()),
      store_(std::move(store)),
      random_(std::random_device{}()),
      batch_sizes_(size_histogram()),
      sync_times_(seconds_histogram()) {
  for (const auto& queue : options_.queues) {
    queues_.emplace(queue.name, std::make_unique<RunQueue>(queue.name, queue.limit));
  }
}

std::shared_ptr<RunStore> Runtime::store() const {
  const sys::Lock lock(mutex_);
  return store_;
}

Result<> Runtime::add(Definition definition) {
  if (auto good = check(definition); !good) return good;
  const sys::Lock lock(mutex_);
  if (life_ != Life::kOpen) {
    return fail(ErrorKind::kInvalid, "machine {} comes too late: add it before resume()", definition.name);
  }
  auto machine = std::make_unique<LiveMachine>(LiveMachine{.definition = {},
                                                           .plan = std::make_shared<const Plan>(definition.plan()),
                                                           .metrics = MachineMetrics(definition.transitions.size())});
  const std::string name = definition.name;
  machine->definition = std::move(definition);
  if (!machines_.emplace(name, std::move(machine)).second) {
    return fail(ErrorKind::kAlreadyExists, "a machine named {} was added before", name);
  }
  return {};
}

Result<> Runtime::check_after(const StartOptions& options) {
  if (!options.after) return {};
  std::shared_ptr<RunStore> store;
  {
    const sys::Lock lock(mutex_);
    if (runs_.contains(*options.after) || !store_) return {};
    store = store_;
  }
  const auto before = store->find(*options.after);
  if (!before) return before.error().during("run after {}", *options.after);
  if (!*before) return fail(ErrorKind::kNotFound, "run after {}: there is no such run", *options.after);
  return {};
}

Result<std::shared_ptr<LiveRun>> Runtime::make_run(LiveMachine& machine, StartRequest& request) {
  auto& options = request.options;
  if (auto good = check_id(request.id); !good) return fail(std::move(good.error()));
  if (request.request.size() > options_.max_payload) {
    return fail(ErrorKind::kInvalid, "the request has {} bytes, over the limit of {} (ManagerOptions::max_payload)",
                request.request.size(), options_.max_payload);
  }
  auto run = std::make_shared<LiveRun>();
  if (!options.queue.empty()) {
    const auto queue = queues_.find(options.queue);
    if (queue == queues_.end()) {
      return fail(Error(ErrorKind::kInvalid, fmt::format("there is no queue {:?}", options.queue))
                      .with_hint("queues are given to the manager, with their limits"));
    }
    run->queue = queue->second.get();
  }
  const TimePoint now = clock_.now();
  run->machine = &machine;
  run->spec = {.version = RunVersion(ulids_.next(now)),
               .machine = machine.definition.name,
               .id = std::move(request.id),
               .plan = machine.plan,
               .queue = std::move(options.queue),
               .priority = options.priority,
               .not_before = options.not_before,
               .after = options.after,
               .after_any_ending = options.after_any_ending,
               .parent = options.parent,
               .started_at = now};
  run->request = std::move(request.request);
  auto& state = run->progress.state;
  if (run->spec.after) {
    state = Following{};
  } else if (run->spec.not_before && *run->spec.not_before > now) {
    state = Delayed{*run->spec.not_before};
  } else if (run->queue != nullptr) {
    state = Queued{};
  } else {
    state = Running{};
  }
  return run;
}

std::vector<Result<Started>> Runtime::start_all(const std::string& machine, std::vector<StartRequest> requests) {
  std::vector<Result<Started>> answers(requests.size(), Started{});
  std::vector<Result<>> allowed;
  allowed.reserve(requests.size());
  for (const auto& request : requests) allowed.push_back(check_after(request.options));

  const sys::Lock lock(mutex_);
  const auto found = machines_.find(machine);
  std::optional<Error> refusal;
  if (life_ == Life::kOpen) refusal.emplace(ErrorKind::kInvalid, "call resume() first");
  if (life_ >= Life::kStopping) refusal.emplace(ErrorKind::kUnavailable, "the manager is shutting down");
  if (!refusal && found == machines_.end()) {
    refusal.emplace(ErrorKind::kNotFound, fmt::format("there is no machine {:?}", machine));
  }

  WriteGroup group;
  group.results.assign(requests.size(), WriteResult(Fenced{}));
  std::vector<RunVersion> versions(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Result<std::shared_ptr<LiveRun>> run = nullptr;
    if (refusal) {
      run = fail(*refusal);
    } else if (!allowed[i]) {
      run = fail(allowed[i].error());
    } else {
      run = make_run(*found->second, requests[i]);
    }
    if (!run) {
      answers[i] = run.error().during("start {}", machine);
      continue;
    }
    versions[i] = (*run)->spec.version;
    Pending pending{
        .kind = Pending::Kind::kStart, .run = run->get(), .keep = std::move(*run), .group = &group, .index = i};
    pending.decision.events.push_back({.kind = EventKind::kStarted, .at = pending.run->spec.started_at});
    pending_.push_back(std::move(pending));
    ++group.left;
  }
  held_back_ = false;  // a start is a good moment to see whether the disk takes writes again
  wait_for(group);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!answers[i]) continue;
    if (!group.results[i]) {
      answers[i] = group.results[i].error().during("start {}: nothing was started", machine);
    } else if (const auto* active = std::get_if<AlreadyActive>(&*group.results[i])) {
      answers[i] = Started{active->version, /*already_running=*/true};
    } else if (std::holds_alternative<Fenced>(*group.results[i])) {
      answers[i] = fail(ErrorKind::kConflict, "start {}: version {} is taken", machine, versions[i]);
    } else {
      answers[i] = Started{versions[i]};
    }
  }
  return answers;
}

void Runtime::wait_for(WriteGroup& group) {
  while (group.left > 0) {
    if (wants_leader()) {
      lead(Leader::kGuest, &group);
    } else {
      sys::Borrowed borrowed(mutex_);
      group.done.wait(borrowed.lock());
    }
  }
}

Result<> Runtime::submit_and_wait(Pending pending) {
  WriteGroup group;
  group.left = 1;
  group.results.assign(1, WriteResult(Fenced{}));
  pending.group = &group;
  const RunVersion version = pending.run->spec.version;
  pending_.push_back(std::move(pending));
  held_back_ = false;
  wait_for(group);
  if (!group.results[0]) return fail(group.results[0].error());
  if (!std::holds_alternative<Applied>(*group.results[0])) {
    return fail(ErrorKind::kConflict, "run {} has ended, or was moved by another process", version);
  }
  return {};
}

Result<RunResult> Runtime::wait(RunVersion version, std::optional<TimePoint> deadline) {
  {
    const sys::Lock lock(mutex_);
    if (life_ == Life::kClosed) return fail(ErrorKind::kUnavailable, "the manager is shut down");
    const auto found = runs_.find(version);
    if (found != runs_.end()) {
      if (const auto* parked = parked_below(*found->second)) return fail(parked_error(*parked));
      Waiter waiter;
      waiters_[version].push_back(&waiter);
      while (!waiter.told) {
        sys::Borrowed borrowed(mutex_);
        if (!deadline) {
          waiter.done.wait(borrowed.lock());
        } else if (clock_.now() < *deadline) {
          clock_.wait_until(borrowed.lock(), waiter.done, *deadline);
        } else {
          auto& waiting = waiters_[version];
          std::erase(waiting, &waiter);
          if (waiting.empty()) waiters_.erase(version);
          return fail(ErrorKind::kTimeout, "run {} has not ended by {}", version, to_iso8601(*deadline));
        }
      }
      if (waiter.result) return *waiter.result;
    }
  }
  return result_from_store(version);
}

Result<RunResult> Runtime::result_from_store(RunVersion version) {
  const auto store = this->store();
  if (!store) return fail(ErrorKind::kUnavailable, "the manager is shut down");
  auto record = store->find(version);
  if (!record) return record.error().during("wait for run {}", version);
  if (!*record) return fail(ErrorKind::kNotFound, "there is no run {}", version);
  auto& [spec, progress, seq, cancel_cause, request, response] = **record;
  const auto* end = std::get_if<Finished>(&progress.state);
  if (end == nullptr) {
    return fail(ErrorKind::kUnavailable, "run {} of machine {} is active, but not in this process", version,
                spec.machine);
  }
  return RunResult{version, spec.machine, end->ending, end->error, std::move(response)};
}

// Why a run that is not active here cannot be acted on.
Result<> Runtime::not_active(RunVersion version, std::string_view wish) {
  auto result = result_from_store(version);
  if (!result) return result.error().during("{}", wish);
  return fail(ErrorKind::kConflict, "{}: run {} has ended already ({})", wish, version, to_string(result->ending));
}

Result<> Runtime::cancel(RunVersion version, std::string cause) {
  {
    const sys::Lock lock(mutex_);
    if (life_ != Life::kRunning) return fail(ErrorKind::kUnavailable, "cancel: the manager is not running");
    const auto found = runs_.find(version);
    if (found != runs_.end()) {
      LiveRun& run = *found->second;
      if (run.ending()) return fail(ErrorKind::kConflict, "cancel: run {} is about to end", version);
      if (run.cancel_cause) return {};
      Pending pending{.kind = Pending::Kind::kCancel, .run = &run, .keep = found->second, .cause = cause};
      pending.decision.events.push_back(
          {.kind = EventKind::kCancelRequested, .at = clock_.now(), .note = std::move(cause)});
      auto done = submit_and_wait(std::move(pending));
      return done ? done : done.error().during("cancel");
    }
  }
  return not_active(version, "cancel");
}

Result<> Runtime::unpark(RunVersion version) {
  {
    const sys::Lock lock(mutex_);
    if (life_ != Life::kRunning) return fail(ErrorKind::kUnavailable, "resume: the manager is not running");
    const auto found = runs_.find(version);
    if (found != runs_.end()) {
      LiveRun* parked = parked_below(*found->second);
      if (parked == nullptr || parked->phase != LiveRun::Phase::kWaiting) {
        return fail(ErrorKind::kConflict, "resume: run {} is not parked", version);
      }
      parked->phase = LiveRun::Phase::kWriting;
      Pending pending{
          .kind = Pending::Kind::kMove, .run = parked, .decision = on_unparked(parked->view(), clock_.now())};
      auto done = submit_and_wait(std::move(pending));
      return done ? done : done.error().during("resume");
    }
  }
  return not_active(version, "resume");
}

std::vector<MachineInfo> Runtime::machines() const {
  const sys::Lock lock(mutex_);
  std::vector<MachineInfo> infos;
  infos.reserve(machines_.size());
  for (const auto& [name, machine] : machines_) infos.push_back({name, machine->plan->transitions, machine->plan->end});
  return infos;
}

std::vector<QueueInfo> Runtime::queues() const {
  const sys::Lock lock(mutex_);
  std::vector<QueueInfo> infos;
  infos.reserve(queues_.size());
  for (const auto& [name, queue] : queues_)
    infos.push_back({name, queue->limit(), queue->waiting(), queue->inflight()});
  return infos;
}

MetricsSnapshot Runtime::metrics() const {
  const sys::Lock lock(mutex_);
  MetricsSnapshot snapshot;
  for (const auto& [name, machine] : machines_) {
    machine->metrics.append_to(snapshot, name, machine->definition.resource, machine->plan->transitions);
  }
  const auto gauge = [&](std::string name, Labels labels, std::size_t value) {
    snapshot.numbers.push_back({std::move(name), std::move(labels), static_cast<double>(value), /*is_counter=*/false});
  };
  for (const auto& [name, queue] : queues_) {
    gauge("fsm_queue_depth", {{"queue", name}}, queue->waiting());
    gauge("fsm_queue_inflight", {{"queue", name}}, queue->inflight());
  }
  gauge("fsm_active_runs", {}, runs_.size());
  gauge("fsm_running_handlers", {}, inside_count_);
  gauge("fsm_threads", {}, threads_);
  gauge("fsm_held_back_writes", {}, held_back_ ? pending_.size() : 0);
  snapshot.numbers.push_back(
      {"fsm_failed_commits_count", {}, static_cast<double>(failed_commits_), /*is_counter=*/true});
  snapshot.distributions.push_back({"fsm_commit_batch_size", {}, batch_sizes_});
  snapshot.distributions.push_back({"fsm_commit_sync_seconds", {}, sync_times_});
  return snapshot;
}

}  // namespace slipway::fsm
