#include "sys/testing/manual_clock.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

namespace slipway::sys {

TimePoint ManualClock::now() const {
  const std::scoped_lock lock(mutex_);
  return now_;
}

void ManualClock::wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& changed, TimePoint due) {
  Sleepers::iterator self;
  {
    const std::scoped_lock own(mutex_);
    if (now_ >= due) return;
    self = sleepers_.insert(sleepers_.end(), {.mutex = lock.mutex(), .changed = &changed, .due = due});
  }
  sleepers_changed_.notify_all();

  // From the check above until the wait begins, `lock` is held: wake_due(), which takes it, cannot notify in between.
  changed.wait(lock);

  // A thread in wake_due() that has pinned this sleeper may be about to take `lock`, so it must be free while we wait
  // to be unpinned; after that, `lock` and `changed` may be destroyed by their owner.
  lock.unlock();
  {
    std::unique_lock own(mutex_);
    sleepers_changed_.wait(own, [&] { return self->pins == 0; });
    sleepers_.erase(self);
  }
  lock.lock();
}

void ManualClock::advance(Duration by) {
  assert(by >= Duration::zero());
  std::unique_lock lock(mutex_);
  now_ += by;
  wake_due(std::move(lock));
}

void ManualClock::set(TimePoint to) {
  std::unique_lock lock(mutex_);
  now_ = to;
  wake_due(std::move(lock));
}

void ManualClock::await_sleepers(std::size_t count) {
  std::unique_lock lock(mutex_);
  sleepers_changed_.wait(lock, [&] { return sleepers_.size() >= count; });
}

void ManualClock::await_sleeper_until(TimePoint due) {
  std::unique_lock lock(mutex_);
  sleepers_changed_.wait(lock, [&] { return std::ranges::find(sleepers_, due, &Sleeper::due) != sleepers_.end(); });
}

void ManualClock::wake_due(std::unique_lock<std::mutex> lock) {
  std::vector<Sleeper*> due;
  for (auto& sleeper : sleepers_) {
    if (sleeper.due > now_) continue;
    ++sleeper.pins;
    due.push_back(&sleeper);
  }
  lock.unlock();
  for (const Sleeper* sleeper : due) {
    const std::scoped_lock theirs(*sleeper->mutex);
    sleeper->changed->notify_all();
  }
  lock.lock();
  for (Sleeper* sleeper : due) --sleeper->pins;
  lock.unlock();
  sleepers_changed_.notify_all();
}

}  // namespace slipway::sys
