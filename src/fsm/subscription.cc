#include "fsm/subscription.h"

#include <utility>

namespace slipway::fsm {

std::optional<RunEvent> Subscription::next(std::optional<TimePoint> deadline) { return mailbox_->take_by(deadline); }
std::optional<RunEvent> Subscription::try_next() { return mailbox_->take(); }
std::size_t Subscription::missed() const { return mailbox_->missed(); }

void Subscription::Mailbox::put(const RunEvent& event) {
  const sys::Lock lock(mutex_);
  if (closed_) return;
  if (events_.size() >= capacity_) {
    ++missed_;
    if (events_.empty()) return;  // a mailbox for nothing
    events_.pop_front();
  }
  events_.push_back(event);
  changed_.notify_one();
}

void Subscription::Mailbox::close() {
  const sys::Lock lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

std::optional<RunEvent> Subscription::Mailbox::take() {
  const sys::Lock lock(mutex_);
  return pop();
}

std::optional<RunEvent> Subscription::Mailbox::take_by(std::optional<TimePoint> deadline) {
  const sys::Lock lock(mutex_);
  while (events_.empty() && !closed_) {
    sys::Borrowed borrowed(mutex_);
    if (!deadline) {
      changed_.wait(borrowed.lock());
    } else if (clock_.now() < *deadline) {
      clock_.wait_until(borrowed.lock(), changed_, *deadline);
    } else {
      return std::nullopt;
    }
  }
  return pop();
}

std::size_t Subscription::Mailbox::missed() const {
  const sys::Lock lock(mutex_);
  return missed_;
}

std::optional<RunEvent> Subscription::Mailbox::pop() {
  if (events_.empty()) return std::nullopt;
  RunEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

Subscription EventHub::subscribe(std::size_t capacity, sys::Clock& clock) {
  auto mailbox = std::make_shared<Subscription::Mailbox>(capacity, clock);
  const sys::Lock lock(mutex_);
  if (closed_) {
    mailbox->close();
    return Subscription(std::move(mailbox));
  }
  mailboxes_.push_back(mailbox);
  readers_.store(mailboxes_.size(), std::memory_order_relaxed);
  return Subscription(std::move(mailbox));
}

void EventHub::publish(const RunEvent& event) {
  const sys::Lock lock(mutex_);
  std::erase_if(mailboxes_, [&](const auto& weak) {
    const auto mailbox = weak.lock();
    if (mailbox) mailbox->put(event);
    return mailbox == nullptr;
  });
  readers_.store(mailboxes_.size(), std::memory_order_relaxed);
}

void EventHub::close() {
  const sys::Lock lock(mutex_);
  closed_ = true;
  for (const auto& weak : mailboxes_) {
    if (const auto mailbox = weak.lock()) mailbox->close();
  }
  mailboxes_.clear();
  readers_.store(0, std::memory_order_relaxed);
}

}  // namespace slipway::fsm
