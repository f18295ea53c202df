#include "feeds/event_queue.h"

#include <utility>

namespace slipway::feeds {

void EventQueue::send(Event event) {
  const sys::Lock lock(mutex_);
  while (events_.size() >= most_ && !closed_) room_.wait(sys::Borrowed(mutex_).lock());
  events_.push_back(std::move(event));
  news_.notify_one();
}

std::optional<Event> EventQueue::take() {
  const sys::Lock lock(mutex_);
  while (events_.empty() && !closed_) news_.wait(sys::Borrowed(mutex_).lock());
  if (events_.empty()) return std::nullopt;
  Event event = std::move(events_.front());
  events_.pop_front();
  room_.notify_one();
  return event;
}

void EventQueue::close() {
  const sys::Lock lock(mutex_);
  closed_ = true;
  room_.notify_all();
  news_.notify_all();
}

std::size_t EventQueue::length() const {
  const sys::Lock lock(mutex_);
  return events_.size();
}

}  // namespace slipway::feeds
