// The orderly end, and the one that does not wait.
#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "fsm/runtime.h"

namespace slipway::fsm {

ShutdownReport Runtime::shutdown(Duration patience) {
  const sys::Lock lock(mutex_);
  if (life_ == Life::kClosed) return {};
  const bool resumed = life_ == Life::kRunning;
  life_ = Life::kStopping;
  for (LiveRun* run : inside_) {
    if (run != nullptr) stop_run(*run, StopCause::kShutdown);
  }
  fire_stops();
  wait_for_quiet(later(clock_.now(), patience));
  if (life_ == Life::kClosed) return {};  // somebody else was less patient

  ShutdownReport report;
  for (const LiveRun* run : inside_) {
    if (run == nullptr) continue;
    report.stuck.push_back(run->spec.version);
    options_.log.error("run {} of machine {} does not heed its stop token: abandoned", run->spec.version,
                       run->spec.machine);
  }
  if (!pending_.empty()) {
    options_.log.error("{} decisions could not be written: their transitions will run again", pending_.size());
  }
  if (resumed) store_->in_flight().clear();  // else they still tell of an earlier process
  close();
  return report;
}

// Until no handler runs and all is written, or the time is up; what can be written then still is.
void Runtime::wait_for_quiet(TimePoint deadline) {
  bool last_try = false;
  while (life_ != Life::kClosed && (leading_ || inside_count_ > 0 || !pending_.empty())) {
    if (wants_leader()) {
      lead(Leader::kGuest);
      continue;
    }
    const bool late = clock_.now() >= deadline;
    if (late && !leading_) {
      if (!held_back_ || std::exchange(last_try, true)) return;
      held_back_ = false;
      continue;
    }
    sys::Borrowed borrowed(mutex_);
    if (leading_) {
      quiet_.wait(borrowed.lock());  // the store stays open until it has written
    } else {
      clock_.wait_until(borrowed.lock(), quiet_, deadline);
    }
  }
}

void Runtime::close() {
  life_ = Life::kClosed;
  work_.notify_all();
  stalled_.notify_all();
  time_.notify_all();
  const auto told = Result<RunResult>(fail(ErrorKind::kUnavailable, "the manager is shut down"));
  while (!waiters_.empty()) tell_waiters(waiters_.begin()->first, told);
  hub_.close();
  end_threads();
  store_.reset();
}

// Joined, not only counted: what libraries keep for a thread is gone, too, when the program goes on.
void Runtime::end_threads() {
  {
    sys::Borrowed borrowed(mutex_);
    while (threads_ > inside_count_) quiet_.wait(borrowed.lock());
  }
  std::vector<std::thread> ending = std::exchange(workers_, {});
  for (std::size_t slot = 0; slot < ending.size(); ++slot) {
    // The stuck ones hold the runtime alive themselves, and find it closed when they come back.
    if (inside_[slot] != nullptr) ending[slot].detach();
  }
  ending.push_back(std::move(timekeeper_));
  ending.push_back(std::move(sentinel_));
  const sys::Unlock unlocked(mutex_);
  for (auto& thread : ending) {
    if (thread.joinable()) thread.join();
  }
}

}  // namespace slipway::fsm
