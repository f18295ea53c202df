// From decision to disk: batches, the leader, and what happens when the disk refuses.
#include <algorithm>
#include <utility>

#include "fsm/runtime.h"

namespace slipway::fsm {
namespace {

constexpr std::size_t kLargestBatch = 4096;
constexpr std::size_t kHistorySlice = 64;  // runs removed with one write: small, so that others hardly wait for it
constexpr Duration kFirstRetry = std::chrono::milliseconds(100);
constexpr Duration kLongestRetry = std::chrono::seconds(5);

}  // namespace

void Runtime::submit(LiveRun& run, Decision decision) {
  run.phase = LiveRun::Phase::kWriting;
  run.noted = false;  // what is written now says more
  Pending pending;
  pending.run = &run;
  pending.decision = std::move(decision);
  pending_.push_back(std::move(pending));
}

bool Runtime::wants_leader() const {
  if (leading_ || life_ == Life::kClosed || held_back_) return false;
  return !pending_.empty() || write_notes_;
}

// Removing history is for a worker that has nothing better to do, and a little of it for each one that leads.
bool Runtime::wants_removal() const { return remove_history_ && !leading_ && life_ == Life::kRunning; }

void Runtime::lead(Leader who, const WriteGroup* own) {
  leading_ = true;
  if (who == Leader::kWorker) ++busy_;
  for (;;) {
    if (!held_back_) write_batch();  // else it leads to remove history, which may make the room that writes wait for
    if (remove_history_ && who == Leader::kWorker && life_ == Life::kRunning) remove_some_history();
    const bool more = !held_back_ && (!pending_.empty() || write_notes_);
    // A guest has its own business: it leads until its own writes are done. Stops are not fired by a leader, since
    // their callbacks may wait for a write.
    const bool stays = more && stops_.empty() && (who == Leader::kWorker || (own != nullptr && own->left > 0));
    wake_workers(/*soon_free=*/who == Leader::kWorker && !stays ? 1 : 0);
    if (!stays) break;
  }
  if (who == Leader::kWorker) --busy_;
  leading_ = false;
  hand_over();
  if (life_ >= Life::kStopping) quiet_.notify_all();
  fire_stops();
}

// Whoever leads next: the guest whose write is first in line, else a worker, else the timekeeper.
void Runtime::hand_over() {
  if (!wants_leader()) return;
  if (!pending_.empty() && pending_.front().group != nullptr) {
    pending_.front().group->done.notify_all();
  } else if (!wake_or_spawn()) {
    time_.notify_one();
  }
}

std::vector<Runtime::Pending> Runtime::take_batch() {
  const std::size_t size = std::min(pending_.size(), kLargestBatch);
  std::vector<Pending> batch;
  batch.reserve(size + notes_.size());
  const auto end = pending_.begin() + static_cast<std::ptrdiff_t>(size);
  batch.insert(batch.end(), std::make_move_iterator(pending_.begin()), std::make_move_iterator(end));
  pending_.erase(pending_.begin(), end);

  if (batch.empty() && !write_notes_) return batch;
  write_notes_ = false;
  for (const auto& version : notes_) {
    const auto found = runs_.find(version);
    if (found == runs_.end() || !found->second->noted) continue;
    found->second->noted = false;
    Pending pending;
    pending.kind = Pending::Kind::kNote;
    pending.run = found->second.get();
    pending.decision.progress = found->second->progress;
    batch.push_back(std::move(pending));
  }
  notes_.clear();
  return batch;
}

void Runtime::write_batch() {
  auto batch = take_batch();
  if (batch.empty()) return;
  std::vector<Write> writes;
  writes.reserve(batch.size());
  for (auto& pending : batch) {
    LiveRun& run = *pending.run;
    auto& [progress, response, events] = pending.decision;
    if (pending.kind == Pending::Kind::kStart) {
      writes.emplace_back(StartWrite{&run.spec, &run.progress.state, &run.request, events});
    } else if (pending.kind == Pending::Kind::kCancel) {
      writes.emplace_back(CancelWrite{run.spec.version, run.seq, pending.cause, events});
    } else {
      writes.emplace_back(MoveWrite{run.spec.version, run.seq, &progress, response ? &*response : nullptr, events});
    }
    run.seq += events.size();
  }

  const auto store = store_;
  const TimePoint began = clock_.now();
  const auto results = [&]() SLIPWAY_REQUIRES(mutex_) {
    const sys::Unlock unlocked(mutex_);
    return store->commit(writes);
  }();
  if (!results) {
    for (auto& pending : batch) pending.run->seq -= pending.decision.events.size();
    hold_back(std::move(batch), results.error());
    return;
  }
  sync_times_.observe(std::chrono::duration<double>(std::max(Duration{0}, clock_.now() - began)).count());
  batch_sizes_.observe(static_cast<double>(batch.size()));
  retry_wait_ = Duration{0};
  for (std::size_t i = 0; i < batch.size(); ++i) apply(batch[i], (*results)[i]);
}

void Runtime::apply(Pending& pending, const WriteResult& result) {
  LiveRun& run = *pending.run;
  if (!std::holds_alternative<Applied>(result)) {
    if (pending.kind == Pending::Kind::kMove) lose(run);
    answer(pending, result);
    return;
  }
  if (hub_.has_readers()) {
    std::uint64_t seq = run.seq - pending.decision.events.size();
    for (const auto& event : pending.decision.events) publish(run, ++seq, event);
  }
  switch (pending.kind) {
    case Pending::Kind::kStart:
      runs_.emplace(run.spec.version, std::move(pending.keep));
      settle(run);
      break;
    case Pending::Kind::kMove: apply_move(run, pending.decision); break;
    case Pending::Kind::kCancel: apply_cancel(run, std::move(pending.cause)); break;
    case Pending::Kind::kNote: break;
  }
  answer(pending, result);
}

void Runtime::apply_move(LiveRun& run, Decision& decision) {
  run.progress = std::move(decision.progress);
  if (decision.response) run.response = std::move(*decision.response);
  settle(run);
}

void Runtime::apply_cancel(LiveRun& run, std::string cause) {
  run.cancel_cause = std::move(cause);
  switch (run.phase) {
    case LiveRun::Phase::kInside: stop_run(run, StopCause::kCancel); break;
    case LiveRun::Phase::kWaiting:
      withdraw(run);
      make_ready(run);
      break;
    case LiveRun::Phase::kReady:
    case LiveRun::Phase::kWriting: break;  // seen at the next step
  }
}

// Another process has moved the run: it is not ours any more.
void Runtime::lose(LiveRun& run) {
  const RunVersion version = run.spec.version;
  options_.log.warn("run {} of machine {} was moved by another process: left to it", version, run.spec.machine);
  tell_waiters(version, Result<RunResult>(fail(ErrorKind::kConflict, "run {} was moved by another process", version)));
  leave_queue(run);
  runs_.erase(version);
  const auto followers = followers_.extract(version);
  if (followers.empty()) return;
  for (const auto& follower : followers.mapped()) {
    const auto found = runs_.find(follower);
    if (found == runs_.end()) continue;
    LiveRun& waiting = *found->second;
    if (waiting.is_following()) follow(waiting);
    if (waiting.awaited() == version) pass_gates(waiting);
  }
}

// Nothing of the batch is on disk. Callers that wait are told; moves stay in line, in order, so that no run goes on
// without its write.
void Runtime::hold_back(std::vector<Pending> batch, const Error& error) {
  ++failed_commits_;
  options_.log.error("the run store does not take writes, {} runs wait: {}", batch.size(), error.message());
  for (auto pending = batch.rbegin(); pending != batch.rend(); ++pending) {
    if (pending->kind != Pending::Kind::kNote) pending_.push_front(std::move(*pending));
  }
  std::erase_if(pending_, [&](const Pending& pending) SLIPWAY_REQUIRES(mutex_) {
    if (pending.group == nullptr) return false;
    if (pending.kind == Pending::Kind::kMove) settle(*pending.run);  // a run to be unparked stays parked
    answer(pending, std::unexpected(error));
    return true;
  });
  if (pending_.empty()) return;
  held_back_ = true;
  retry_wait_ = retry_wait_ == Duration{0} ? kFirstRetry : std::min(retry_wait_ * 2, kLongestRetry);
  add_timer(clock_.now() + retry_wait_, TimerKind::kRetry);
}

void Runtime::answer(const Pending& pending, Result<WriteResult> result) {
  if (pending.group == nullptr) return;
  pending.group->results[pending.index] = std::move(result);
  if (--pending.group->left == 0) pending.group->done.notify_all();
}

void Runtime::remove_some_history() {
  remove_history_ = false;  // a wish that comes meanwhile is a new one
  const auto store = store_;
  const auto removed = [&]() SLIPWAY_REQUIRES(mutex_) {
    const sys::Unlock unlocked(mutex_);
    return store->remove_finished(options_.retention, clock_.now(), kHistorySlice);
  }();
  if (!removed) options_.log.warn("finished runs cannot be removed: {}", removed.error().message());
  if (removed && *removed == kHistorySlice) remove_history_ = true;
}

void Runtime::publish(const LiveRun& run, std::uint64_t seq, const Event& event) {
  hub_.publish({run.spec.version, run.spec.machine, run.spec.id, seq, event});
}

}  // namespace slipway::fsm
