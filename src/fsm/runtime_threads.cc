// Threads and time: the workers, the sentinel that notices when all of them are stuck, and the timekeeper.
#include <algorithm>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include "fsm/runtime.h"

namespace slipway::fsm {
namespace {

// How many threads short handlers keep busy. More are woken or made only when these make no progress.
std::size_t usual_threads() { return std::max<std::size_t>(2, std::thread::hardware_concurrency()) + 1; }

// How long no work may be taken before the sentinel adds threads. It measures the machine, not the program's time: it
// decides how soon a thread is there, never what happens; so it is not the Clock's business.
constexpr auto kStall = std::chrono::milliseconds(1);

}  // namespace

// `soon_free`: the calling thread itself looks for work next.
void Runtime::wake_workers(std::size_t soon_free) {
  if (life_ != Life::kRunning) return;
  std::size_t free = threads_ - idle_ - busy_ + soon_free;
  static const std::size_t usual = usual_threads();
  while (ready_.size() > free && threads_ - idle_ < usual && wake_or_spawn()) ++free;
  if (ready_.size() > free) stalled_.notify_one();
}

bool Runtime::wake_or_spawn() {
  if (idle_ == 0) return spawn_worker();
  --idle_;
  ++wakeups_;
  work_.notify_one();
  return true;
}

bool Runtime::spawn_worker() {
  if (free_slots_.empty() || life_ == Life::kClosed) return false;
  const std::size_t slot = free_slots_.back();
  if (workers_[slot].joinable()) workers_[slot].join();  // it has given its place back: it needs no lock to end
  try {
    workers_[slot] = std::thread([self = shared_from_this(), slot] { self->work(slot); });
  } catch (const std::system_error& e) {
    options_.log.warn("no further thread can be made, {} do the work: {}", threads_, e.what());
    return false;
  }
  free_slots_.pop_back();
  ++threads_;
  return true;
}

void Runtime::watch() {
  const sys::Lock lock(mutex_);
  while (life_ != Life::kClosed) {
    sys::Borrowed borrowed(mutex_);
    if (life_ != Life::kRunning || ready_.empty()) {
      stalled_.wait(borrowed.lock());
      continue;
    }
    const auto before = taken_;
    stalled_.wait_for(borrowed.lock(), kStall);
    if (taken_ != before || life_ != Life::kRunning) continue;
    // Growing by half each time: hundreds of blocked handlers need milliseconds, not hundreds of them.
    const std::size_t more = std::min(ready_.size(), threads_ / 2 + 1);
    for (std::size_t i = 0; i < more && wake_or_spawn(); ++i) {
    }
  }
}

void Runtime::keep_time() {
  const sys::Lock lock(mutex_);
  while (life_ != Life::kClosed) {
    if (const auto fired = timers_.take_due(clock_.now())) {
      fire(*fired);
      continue;
    }
    wake_workers(/*soon_free=*/0);
    if (wants_removal()) wake_or_spawn();
    if (wants_leader() && !wake_or_spawn()) {  // all threads are inside handlers, and may wait for this very write
      lead(Leader::kGuest);
      continue;
    }
    fire_stops();
    const auto due = timers_.next_due();
    sys::Borrowed borrowed(mutex_);
    if (life_ == Life::kClosed) break;
    if (!due) {
      time_.wait(borrowed.lock());
    } else if (*due > clock_.now()) {
      clock_.wait_until(borrowed.lock(), time_, *due);
    }
  }
}

void Runtime::fire(const Timers::Fired& fired) {
  switch (fired.kind) {
    case TimerKind::kRetry:
      held_back_ = false;
      quiet_.notify_all();
      return;
    case TimerKind::kNotes: write_notes_ = !notes_.empty(); return;
    case TimerKind::kRetention:
      remove_history_ = life_ == Life::kRunning;
      add_timer(later(clock_.now(), options_.retention_interval), TimerKind::kRetention);
      return;
    case TimerKind::kDue:
    case TimerKind::kTimeout:
    case TimerKind::kRecheck: break;
  }
  const auto found = runs_.find(fired.run);
  if (found == runs_.end()) return;
  LiveRun& run = *found->second;
  run.timer.reset();
  if (fired.kind != TimerKind::kTimeout && run.phase != LiveRun::Phase::kWaiting) return;
  if (fired.kind == TimerKind::kDue) {
    pass_gates(run);
  } else if (fired.kind == TimerKind::kRecheck) {
    make_ready(run);
  } else {
    stop_run(run, StopCause::kTimeout);
    publish(run, /*seq=*/0,
            {.kind = EventKind::kOverdue,
             .at = clock_.now(),
             .transition = run.view().transition(),
             .retry = run.progress.retries});
  }
}

void Runtime::add_timer(TimePoint due, TimerKind kind) {
  const auto earliest = timers_.next_due();
  timers_.add(due, kind);
  if (!earliest || due < *earliest) time_.notify_one();
}

// Stop callbacks are the program's code: they are called without the lock, by fire_stops().
void Runtime::stop_run(LiveRun& run, StopCause cause) {
  if (run.stop && run.stop->flip(cause)) stops_.push_back(run.stop);
}

void Runtime::fire_stops() {
  while (!stops_.empty()) {
    const auto stops = std::exchange(stops_, {});
    const sys::Unlock unlocked(mutex_);
    for (const auto& stop : stops) stop->source.request_stop();
  }
}

}  // namespace slipway::fsm
