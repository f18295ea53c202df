// Where a run goes next: the gates before it runs (predecessor, delay, queue), and the end.
#include <set>
#include <utility>

#include "fsm/runtime.h"

namespace slipway::fsm {
namespace {

constexpr Duration kNoteDelay = std::chrono::milliseconds(250);

}  // namespace

Error parked_error(const LiveRun& run) {
  return Error(ErrorKind::kParked,
               fmt::format("run {} is parked: {}", run.spec.version, std::get<Parked>(run.progress.state).reason))
      .with_hint("resume or cancel it by hand");
}

void Runtime::settle(LiveRun& run) {
  run.phase = LiveRun::Phase::kWaiting;
  if (is_finished(run.progress.state)) return finish(run);
  drop_large_payload(run);
  if (run.ending() || run.cancel_cause) return make_ready(run);
  if (std::holds_alternative<Following>(run.progress.state)) return follow(run);
  if (const auto awaited = run.awaited()) {
    leave_queue(run);
    if (runs_.contains(*awaited)) {
      followers_[*awaited].push_back(run.spec.version);
      if (const auto* parked = parked_below(run)) tell_parked(run.spec.version, *parked);
      return;
    }
  }
  if (const auto* waits = std::get_if<BackingOff>(&run.progress.state)) {
    const TimePoint due = waits->due;
    leave_queue(run);
    if (due > clock_.now()) return wait_until(run, due, TimerKind::kDue);
  }
  if (std::holds_alternative<Parked>(run.progress.state)) {
    leave_queue(run);
    return tell_parked(run.spec.version, run);
  }
  pass_gates(run);
}

// The run's predecessor, if any, has ended. Delay, then queue, then ready.
void Runtime::pass_gates(LiveRun& run) {
  auto& state = run.progress.state;
  const bool not_begun = std::holds_alternative<Following>(state) || std::holds_alternative<Delayed>(state);
  if (not_begun && run.spec.not_before && *run.spec.not_before > clock_.now()) {
    if (!std::holds_alternative<Delayed>(state)) {
      state = Delayed{*run.spec.not_before};
      note(run);
    }
    return wait_until(run, *run.spec.not_before, TimerKind::kDue);
  }
  if (run.queue != nullptr && !run.has_place) return join_queue(run);
  if (!std::holds_alternative<Running>(state)) {
    state = Running{};
    note(run);
  }
  make_ready(run);
}

void Runtime::wait_until(LiveRun& run, TimePoint due, TimerKind kind) {
  run.phase = LiveRun::Phase::kWaiting;
  const auto earliest = timers_.next_due();
  run.timer = timers_.add(due, kind, run.spec.version);
  if (!earliest || due < *earliest) time_.notify_one();
}

void Runtime::join_queue(LiveRun& run) {
  run.phase = LiveRun::Phase::kWaiting;
  if (!std::holds_alternative<Queued>(run.progress.state) && !run.was_in_queue) {
    run.progress.state = Queued{};
    note(run);
  }
  run.queue->join(run.place());
  admit(*run.queue);
}

void Runtime::leave_queue(LiveRun& run) {
  if (!run.has_place) return;
  run.has_place = false;
  run.queue->leave();
  admit(*run.queue);
}

void Runtime::admit(RunQueue& queue) {
  if (life_ == Life::kOpen) return;  // resume() lets them in when all have found their places
  while (const auto next = queue.admit()) {
    LiveRun& run = *runs_.at(*next);
    run.has_place = true;
    run.was_in_queue = false;
    if (!std::holds_alternative<Running>(run.progress.state)) {
      run.progress.state = Running{};
      note(run);
    }
    make_ready(run);
  }
}

// Waits for the run before. One that is not active here has ended, or is another process's: the worker looks it up.
void Runtime::follow(LiveRun& run) {
  if (runs_.contains(*run.spec.after)) {
    run.phase = LiveRun::Phase::kWaiting;
    followers_[*run.spec.after].push_back(run.spec.version);
  } else {
    make_ready(run);
  }
}

void Runtime::make_ready(LiveRun& run) {
  if (run.timer) timers_.cancel(*std::exchange(run.timer, std::nullopt));
  run.phase = LiveRun::Phase::kReady;
  ready_.push_back(&run);
}

// Out of whatever it waits for. (A predecessor that ends later finds that it does not wait any more.)
void Runtime::withdraw(LiveRun& run) {
  if (run.timer) timers_.cancel(*std::exchange(run.timer, std::nullopt));
  if (run.queue != nullptr && !run.has_place) run.queue->withdraw(run.place());
}

// The state has changed in a way that a restart finds out by itself (a gate was passed), but that others who read the
// store want to see: it is written with the next batch, or soon, and nobody waits for it.
void Runtime::note(LiveRun& run) {
  if (run.noted) return;
  run.noted = true;
  if (notes_.empty()) add_timer(clock_.now() + kNoteDelay, TimerKind::kNotes);
  notes_.push_back(run.spec.version);
}

void Runtime::drop_large_payload(LiveRun& run) {
  const bool small = run.request.size() + run.response.size() <= kResidentPayload;
  if (small && !run.spec.after) return;  // a request made from a predecessor's response is made anew each time
  run.payload_here = false;
  std::string().swap(run.request);
  std::string().swap(run.response);
}

void Runtime::finish(LiveRun& run) {
  const RunVersion version = run.spec.version;
  const auto& end = std::get<Finished>(run.progress.state);
  const Duration took = std::max(Duration{0}, end.at - run.spec.started_at);
  run.machine->metrics.run_ended(end.ending, end.error ? &*end.error : nullptr, took);
  if (run.payload_here) {
    tell_waiters(version, Result<RunResult>(
                              RunResult{version, run.spec.machine, end.ending, end.error, std::move(run.response)}));
  } else {
    tell_waiters(version, std::nullopt);
  }
  release_followers(run, end);
  leave_queue(run);
  runs_.erase(version);
}

void Runtime::release_followers(const LiveRun& before, const Finished& end) {
  const auto followers = followers_.extract(before.spec.version);
  if (followers.empty()) return;
  for (const auto& version : followers.mapped()) {
    const auto found = runs_.find(version);
    if (found == runs_.end()) continue;
    LiveRun& run = *found->second;
    if (run.awaited() == before.spec.version) {
      pass_gates(run);
    } else if (!run.is_following()) {
      continue;  // cancelled meanwhile
    } else if (succeeded(end.ending) || run.spec.after_any_ending) {
      run.after_settled = true;
      pass_gates(run);
    } else {
      run.after_failed = end.error->during("run {} before it", before.spec.version).error();
      make_ready(run);
    }
  }
}

LiveRun* Runtime::parked_below(LiveRun& run) {
  LiveRun* below = &run;
  // As many steps as there are runs: those that await each other in a circle are not parked.
  for (std::size_t steps = 0; steps <= runs_.size(); ++steps) {
    if (std::holds_alternative<Parked>(below->progress.state)) return below->cancel_cause ? nullptr : below;
    const auto awaited = below->awaited();
    const auto next = awaited ? runs_.find(*awaited) : runs_.end();
    if (next == runs_.end()) return nullptr;
    below = next->second.get();
  }
  return nullptr;
}

// A run that is parked does not end by itself, nor do those who await it: whoever waits for any of them is told.
void Runtime::tell_parked(RunVersion version, const LiveRun& parked) {
  std::set<RunVersion> told;
  std::vector<RunVersion> to_tell{version};
  while (!to_tell.empty()) {
    const RunVersion next = to_tell.back();
    to_tell.pop_back();
    if (!told.insert(next).second) continue;
    tell_waiters(next, Result<RunResult>(fail(parked_error(parked))));
    const auto found = followers_.find(next);
    if (found == followers_.end()) continue;
    for (const auto& follower : found->second) {
      const auto run = runs_.find(follower);
      if (run != runs_.end() && run->second->awaited() == next) to_tell.push_back(follower);
    }
  }
}

void Runtime::tell_waiters(RunVersion version, const std::optional<Result<RunResult>>& result) {
  const auto waiters = waiters_.extract(version);
  if (waiters.empty()) return;
  for (auto* waiter : waiters.mapped()) {
    waiter->told = true;
    waiter->result = result;
    waiter->done.notify_all();
  }
}

}  // namespace slipway::fsm
