// What the thread of a provider does, state by state.
#include <utility>

#include "feeds/provider_machine.h"

namespace slipway::feeds {
namespace {

using enum ProviderState;

bool may_pass(ErrorKind kind) {
  return kind == ErrorKind::kUnavailable || kind == ErrorKind::kTimeout || kind == ErrorKind::kIo ||
         kind == ErrorKind::kNoSpace;
}

}  // namespace

void ProviderMachine::work() {
  while (!ending_) {
    deliver();
    switch (state()) {
      case kAcquiring: acquire(); break;
      case kRunning: run_provider(); break;
      case kWaitingQuota: wait_for_quota(); break;
      case kWaitingBackoff: wait_for_backoff(); break;
      case kPaused:
      case kIdle:
      case kTerminated:
        parts_.broker.release(config_.id);
        await_news(std::nullopt);
        break;
    }
  }
  parts_.broker.release(config_.id);
  deliver();
}

void ProviderMachine::acquire() {
  const int permits = parts_.broker.ask(config_.id, config_.permits);
  if (permits == 0) return await_news(std::nullopt);
  if (const auto moved = move(kRunning); !moved) {
    parts_.broker.release(config_.id);
    if (state() != kAcquiring) return;  // a command came in between
    parts_.log.error("{}", moved.error().describe());
    return await_news(later(parts_.clock.now(), config_.retry_delay));
  }
  send(EventKind::kQuotaGranted, fmt::format("{} permits", permits));
}

void ProviderMachine::wait_for_quota() {
  if (parts_.broker.ask(config_.id, config_.permits) == 0) return await_news(std::nullopt);
  if (const auto moved = move(kAcquiring); !moved) {  // it keeps what it has been given
    if (state() != kWaitingQuota) return parts_.broker.release(config_.id);
    parts_.log.error("{}", moved.error().describe());
    await_news(later(parts_.clock.now(), config_.retry_delay));
  }
}

void ProviderMachine::wait_for_backoff() {
  const auto due = row().resume_at.value_or(parts_.clock.now());
  if (parts_.clock.now() < due) return await_news(due);
  if (const auto moved = move(kAcquiring); !moved && state() == kWaitingBackoff) {
    parts_.log.error("{}", moved.error().describe());
    await_news(later(parts_.clock.now(), config_.retry_delay));
  }
}

// At the end of an item. What is owed to the broker is given back here, and only here.
bool ProviderMachine::interrupted() {
  if (!look_up_.exchange(false)) return false;
  if (const int owed = parts_.broker.owed(config_.id); owed > 0) {
    const int left = parts_.broker.settle(config_.id);
    out_of_permits_ = left == 0;
    send(EventKind::kQuotaRevoked, fmt::format("{} permits, {} are left", owed, left));
  }
  const bool now = ending_ || out_of_permits_ || wish() != Wish::kNone;
  if (now) look_up_ = true;  // also for whoever asks again
  return now;
}

void ProviderMachine::run_provider() {
  std::stop_token stop;
  ProviderRow row;
  {
    const sys::Lock lock(mutex_);
    run_stop_ = std::stop_source();
    if (ending_ || wish_ != Wish::kNone) run_stop_.request_stop();
    stop = run_stop_.get_token();
    row = row_;
  }
  look_up_ = true;
  out_of_permits_ = false;
  Intake intake(config_, parts_.store, std::move(row), parts_.clock, parts_.log,
                {.on_row =
                     [this](const ProviderRow& now) {
                       const sys::Lock lock(mutex_);
                       row_.generation = now.generation;
                       row_.processed = now.processed;
                       row_.errors = now.errors;
                       row_.checkpoint = now.checkpoint;
                       row_.updated_at = now.updated_at;
                     },
                 .interrupted = [this] { return interrupted(); },
                 .on_checkpoint = [this](const Checkpoint& at, std::int64_t) { send(EventKind::kCheckpoint, at.urn); }},
                std::move(stop));
  if (interrupted()) return conclude(intake, fail(ErrorKind::kCancelled, "{} is interrupted", config_.id));
  auto result = provider_->run(intake);
  if (result && !intake.begun()) result = fail(ErrorKind::kInternal, "it has read nothing");
  auto kept = intake.flush();
  if (result && !kept) result = std::move(kept);
  if (intake.made_progress()) failures_ = 0;
  conclude(intake, result);
}

void ProviderMachine::conclude(const Intake& intake, const Result<>& result) {
  if (result) return terminate(Outcome::kCompleted, std::nullopt, &intake);
  if (!interrupted() && result.error().kind() == ErrorKind::kCancelled) return;  // a pause was taken back: it goes on
  if (ending_) return;
  if (wish() == Wish::kStop) return terminate(Outcome::kStopped, std::nullopt, nullptr);
  if (wish() == Wish::kPause) return conclude_pause();
  if (const auto until = intake.patience_until()) return conclude_backoff(*until, result.error());
  if (out_of_permits_) {
    (void)insist(kWaitingQuota);
    return;
  }
  fail_or_retry(intake, result.error());
}

void ProviderMachine::conclude_pause() {
  if (!insist(kPaused)) return;
  {
    const sys::Lock lock(mutex_);
    if (wish_ == Wish::kPause) wish_ = Wish::kNone;
  }
  send(EventKind::kProviderPaused);
}

void ProviderMachine::conclude_backoff(TimePoint until, const Error& error) {
  if (!insist(kWaitingBackoff, [&](ProviderRow& row) { row.resume_at = until; })) return;
  parts_.broker.release(config_.id);
  send(EventKind::kRateLimited, fmt::format("until {}: {}", to_iso8601(until), error.message()));
}

void ProviderMachine::fail_or_retry(const Intake& intake, const Error& error) {
  if (!may_pass(error.kind()) || ++failures_ > config_.max_retries) {
    return terminate(Outcome::kFailed, error, &intake);
  }
  parts_.log.warn("{} failed, and is tried again in {} (retry {} of {}): {}", config_.id, to_human(config_.retry_delay),
                  failures_, config_.max_retries, error.message());
  const TimePoint due = later(parts_.clock.now(), config_.retry_delay);
  // A command, or a permit that is asked back, ends the wait; the next run sees to it.
  while (parts_.clock.now() < due && !ending_ && wish() == Wish::kNone && parts_.broker.owed(config_.id) == 0) {
    await_news(due);
  }
}

void ProviderMachine::terminate(Outcome outcome, std::optional<Error> error, const Intake* intake) {
  const auto complete = [&](ProviderRow& row) {
    row.outcome = outcome;
    row.error = error;
    if (outcome != Outcome::kCompleted) return;
    row.source_tag = intake->source().tag;
    row.completed_at = parts_.clock.now();
    if (row.checkpoint) row.checkpoint->position.clear();
  };
  const auto save = [&](const ProviderRow& row) -> Result<> {
    if (outcome != Outcome::kCompleted) return parts_.store.save_state(row);
    if (intake->unchanged()) return parts_.store.confirm_sync(row);
    return parts_.store.complete_sync(row, row.source_tag, intake->source().whole);
  };
  failures_ = 0;
  if (!insist(kTerminated, complete, save)) return;
  if (outcome == Outcome::kCompleted) return send(EventKind::kProviderCompleted);
  send(EventKind::kProviderFailed, error ? error->message() : "stopped");
}

}  // namespace slipway::feeds
