// Live events: a bounded mailbox for each reader. Publishing never waits for a reader.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "base/time.h"
#include "fsm/event.h"
#include "sys/clock.h"
#include "sys/mutex.h"

namespace slipway::fsm {

// One reader's end. Movable; unsubscribes when it goes. It may outlive the manager.
class Subscription {
 public:
  class Mailbox;

  explicit Subscription(std::shared_ptr<Mailbox> mailbox) : mailbox_(std::move(mailbox)) {}

  // The next event; nothing when the deadline passes first, or when the manager has shut down and all is read.
  [[nodiscard]] std::optional<RunEvent> next(std::optional<TimePoint> deadline = {});
  [[nodiscard]] std::optional<RunEvent> try_next();  // never waits
  [[nodiscard]] std::size_t missed() const;          // dropped so far, since the mailbox was full

 private:
  std::shared_ptr<Mailbox> mailbox_;
};

class Subscription::Mailbox {
 public:
  Mailbox(std::size_t capacity, sys::Clock& clock) : capacity_(capacity), clock_(clock) {}

  void put(const RunEvent& event) SLIPWAY_EXCLUDES(mutex_);
  void close() SLIPWAY_EXCLUDES(mutex_);
  [[nodiscard]] std::optional<RunEvent> take() SLIPWAY_EXCLUDES(mutex_);
  // Without a deadline: until there is an event, or the mailbox is closed.
  [[nodiscard]] std::optional<RunEvent> take_by(std::optional<TimePoint> deadline) SLIPWAY_EXCLUDES(mutex_);
  [[nodiscard]] std::size_t missed() const SLIPWAY_EXCLUDES(mutex_);

 private:
  [[nodiscard]] std::optional<RunEvent> pop() SLIPWAY_REQUIRES(mutex_);

  const std::size_t capacity_;
  sys::Clock& clock_;  // used only while the manager lives: not after close()
  mutable sys::Mutex mutex_;
  std::condition_variable changed_;
  std::deque<RunEvent> events_ SLIPWAY_GUARDED_BY(mutex_);
  std::size_t missed_ SLIPWAY_GUARDED_BY(mutex_) = 0;
  bool closed_ SLIPWAY_GUARDED_BY(mutex_) = false;
};

// The runtime's end. Thread-safe.
class EventHub {
 public:
  [[nodiscard]] Subscription subscribe(std::size_t capacity, sys::Clock& clock) SLIPWAY_EXCLUDES(mutex_);
  // Whether making an event is worth the while.
  [[nodiscard]] bool has_readers() const { return readers_.load(std::memory_order_relaxed) > 0; }
  void publish(const RunEvent& event) SLIPWAY_EXCLUDES(mutex_);
  void close() SLIPWAY_EXCLUDES(mutex_);

 private:
  sys::Mutex mutex_;
  std::vector<std::weak_ptr<Subscription::Mailbox>> mailboxes_ SLIPWAY_GUARDED_BY(mutex_);
  bool closed_ SLIPWAY_GUARDED_BY(mutex_) = false;
  std::atomic<std::size_t> readers_ = 0;  // an upper bound: readers that left are noticed at the next publish
};

}  // namespace slipway::fsm
