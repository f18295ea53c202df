// Events in the order in which they were sent, none dropped. It holds so many: who sends another waits until the
// listener has taken one. So a slow listener slows the senders, and nobody must send while he holds a lock or a
// transaction.
//
// Thread-safe, for any number of senders and one listener.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <optional>

#include "feeds/event.h"
#include "sys/mutex.h"

namespace slipway::feeds {

class EventQueue {
 public:
  explicit EventQueue(std::size_t most = 1'000) : most_(most) {}

  // Waits for room. Once the queue is closed, what is sent is kept all the same, and nobody waits.
  void send(Event event) SLIPWAY_EXCLUDES(mutex_);

  // Waits for an event; none: it is closed and empty.
  [[nodiscard]] std::optional<Event> take() SLIPWAY_EXCLUDES(mutex_);

  // Lets the listener have what is there, and then end.
  void close() SLIPWAY_EXCLUDES(mutex_);

  [[nodiscard]] std::size_t length() const SLIPWAY_EXCLUDES(mutex_);

 private:
  const std::size_t most_;
  mutable sys::Mutex mutex_;
  std::condition_variable room_;
  std::condition_variable news_;
  std::deque<Event> events_ SLIPWAY_GUARDED_BY(mutex_);
  bool closed_ SLIPWAY_GUARDED_BY(mutex_) = false;
};

}  // namespace slipway::feeds
