#include "feeds/provider_machine.h"

#include <utility>

namespace slipway::feeds {
namespace {

using enum ProviderState;

}  // namespace

ProviderMachine::ProviderMachine(ProviderConfig config, std::unique_ptr<Provider> provider, Parts parts,
                                 ProviderRow row)
    : config_(std::move(config)),
      provider_(std::move(provider)),
      parts_(std::move(parts)),
      row_(std::move(row)),
      state_(fmt::format("provider {}", config_.id), provider_transitions(), row_.state) {}

Result<std::unique_ptr<ProviderMachine>> ProviderMachine::make(ProviderConfig config,
                                                               std::unique_ptr<Provider> provider, Parts parts) {
  if (auto good = check_config(config); !good) return fail(std::move(good.error()));
  auto row = parts.store.register_provider(config.id, config.type);
  if (!row) return row.error().during("register provider {}", config.id);
  std::unique_ptr<ProviderMachine> machine(
      new ProviderMachine(std::move(config), std::move(provider), std::move(parts), std::move(*row)));
  machine->parts_.broker.enter(machine->config_.id, [self = machine.get()] { self->wake(); });
  return machine;
}

ProviderMachine::~ProviderMachine() {
  shut_down();
  parts_.broker.leave(config_.id);
}

void ProviderMachine::shut_down() {
  ending_ = true;
  {
    const sys::Lock lock(mutex_);
    run_stop_.request_stop();
  }
  wake();
  if (thread_.joinable()) thread_.join();
}

// The end of the process took the permits of one that ran.
Result<> ProviderMachine::recover() {
  const sys::Lock lock(mutex_);
  if (state_.get() == kRunning) {
    if (auto moved = move_locked(kWaitingQuota, {}, {}); !moved) return moved;
  }
  if (state_.get() == kWaitingQuota) {
    if (auto moved = move_locked(kAcquiring, {}, {}); !moved) return moved;
  }
  if (state_.get() != kIdle && state_.get() != kTerminated) begin_work();
  return {};
}

Result<> ProviderMachine::start() {
  const sys::Lock lock(mutex_);
  if (state_.get() == kTerminated) {
    ProviderRow fresh = row_;
    fresh.state = kIdle;
    fresh.outcome.reset();
    fresh.error.reset();
    ++fresh.instance;
    if (auto saved = parts_.store.save_state(fresh); !saved) {
      return saved.error().during("restart provider {}", config_.id);
    }
    row_ = std::move(fresh);
    state_ = {state_.subject(), provider_transitions(), kIdle};
  }
  if (state_.get() != kIdle) return refuse("started");
  if (auto moved = move_locked(kAcquiring, {}, {}); !moved) return moved;
  wish_ = Wish::kNone;
  post(EventKind::kProviderStarted);
  begin_work();
  return {};
}

Result<> ProviderMachine::pause() {
  const sys::Lock lock(mutex_);
  if (state_.get() == kRunning) {
    if (wish_ == Wish::kStop) return refuse("paused while it is being stopped");
    wish_ = Wish::kPause;
    run_stop_.request_stop();
    wake_locked();
    return {};
  }
  if (auto moved = move_locked(kPaused, {}, {}); !moved) return moved;
  post(EventKind::kProviderPaused);
  wake_locked();
  return {};
}

Result<> ProviderMachine::resume() {
  const sys::Lock lock(mutex_);
  if (state_.get() == kRunning && wish_ == Wish::kPause) {
    wish_ = Wish::kNone;  // it has not come to the end of its item yet
    return {};
  }
  if (state_.get() != kPaused) return refuse("resumed");
  if (auto moved = move_locked(kAcquiring, {}, {}); !moved) return moved;
  post(EventKind::kProviderResumed);
  wake_locked();
  return {};
}

Result<> ProviderMachine::stop() {
  const sys::Lock lock(mutex_);
  if (state_.get() == kRunning) {
    wish_ = Wish::kStop;
    run_stop_.request_stop();
    wake_locked();
    return {};
  }
  auto moved = move_locked(kTerminated, [](ProviderRow& row) { row.outcome = Outcome::kStopped; }, {});
  if (!moved) return moved;
  post(EventKind::kProviderFailed, "stopped");
  wake_locked();
  return {};
}

ProviderRow ProviderMachine::row() const {
  const sys::Lock lock(mutex_);
  return row_;
}

ProviderState ProviderMachine::state() const {
  const sys::Lock lock(mutex_);
  return state_.get();
}

ProviderMachine::Wish ProviderMachine::wish() const {
  const sys::Lock lock(mutex_);
  return wish_;
}

Result<> ProviderMachine::refuse(std::string_view command) const {
  return fail(ErrorKind::kConflict, "provider {} is {}: it cannot be {}", config_.id, to_string(state_.get()), command);
}

Result<> ProviderMachine::move(ProviderState to, const Change& change, const Save& save) {
  const sys::Lock lock(mutex_);
  return move_locked(to, change, save);
}

Result<> ProviderMachine::move_locked(ProviderState to, const Change& change, const Save& save) {
  ProviderRow next = row_;
  next.state = to;
  next.resume_at.reset();
  next.outcome.reset();
  next.error.reset();
  if (change) change(next);
  auto moved = state_.move(to, [&](ProviderState) { return save ? save(next) : parts_.store.save_state(next); });
  if (!moved) return moved;
  next.updated_at = parts_.clock.now();
  row_ = std::move(next);
  return {};
}

bool ProviderMachine::insist(ProviderState to, const Change& change, const Save& save) {
  for (;;) {
    const auto moved = move(to, change, save);
    if (moved) return true;
    parts_.log.error("{}", moved.error().describe());
    await_news(later(parts_.clock.now(), config_.retry_delay));
    if (ending_) return false;
  }
}

void ProviderMachine::begin_work() {
  if (!thread_.joinable()) thread_ = std::jthread([this] { work(); });
  wake_locked();
}

void ProviderMachine::wake() {
  const sys::Lock lock(mutex_);
  wake_locked();
}

void ProviderMachine::wake_locked() {
  news_ = true;
  look_up_ = true;
  changed_.notify_all();
}

void ProviderMachine::await_news(std::optional<TimePoint> due) {
  const sys::Lock lock(mutex_);
  while (!news_ && !ending_ && (!due || parts_.clock.now() < *due)) {
    sys::Borrowed held(mutex_);
    parts_.clock.wait_until(held.lock(), changed_, due.value_or(TimePoint::max()));
  }
  news_ = false;
}

void ProviderMachine::post(EventKind kind, std::string detail) {
  outbox_.push_back({.kind = kind,
                     .provider = config_.id,
                     .at = parts_.clock.now(),
                     .processed = row_.processed,
                     .detail = std::move(detail)});
}

void ProviderMachine::deliver() {
  for (;;) {
    Event event;
    {
      const sys::Lock lock(mutex_);
      if (outbox_.empty()) return;
      event = std::move(outbox_.front());
      outbox_.pop_front();
    }
    parts_.events.send(std::move(event));
  }
}

void ProviderMachine::send(EventKind kind, std::string detail) {
  {
    const sys::Lock lock(mutex_);
    post(kind, std::move(detail));
  }
  deliver();
}

}  // namespace slipway::feeds
