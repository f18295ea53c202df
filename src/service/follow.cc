#include "service/follow.h"

#include <chrono>
#include <unordered_map>
#include <utility>

namespace slipway::service {
namespace {

// How long a stop, or an event that was dropped for want of room, may go unnoticed.
constexpr auto kLook = std::chrono::milliseconds(100);

constexpr auto kPatience = std::chrono::seconds(30);

// Which runs belong to the one that is followed.
class Family {
 public:
  Family(fsm::Manager& manager, fsm::RunVersion head) : manager_(manager), head_(head) {}

  bool has(fsm::RunVersion run) {
    if (run == head_) return true;
    const auto known = known_.find(run);
    if (known != known_.end()) return known->second;
    const auto record = manager_.run(run);
    const bool child = record && record->spec.parent == head_;
    if (record) known_.emplace(run, child);
    return child;
  }

 private:
  fsm::Manager& manager_;
  const fsm::RunVersion head_;
  std::unordered_map<fsm::RunVersion, bool> known_;
};

// Says of a run that is inside a transition which one that is: who comes late has missed its beginning.
void tell_where_it_is(const fsm::RunRecord& run, TimePoint now, const OnEvent& on_event) {
  const auto& transitions = run.spec.plan->transitions;
  const auto position = run.progress.position;
  if (!std::holds_alternative<fsm::Running>(run.progress.state) || position >= transitions.size()) return;
  on_event({.run = run.spec.version,
            .machine = run.spec.machine,
            .id = run.spec.id,
            .event = {.kind = fsm::EventKind::kBegan, .at = now, .transition = transitions[position]}});
}

void tell_where_they_are(fsm::Manager& manager, fsm::RunVersion head, const OnEvent& on_event) {
  if (!on_event) return;
  const auto run = manager.run(head);
  const auto children = manager.children(head);
  if (run) tell_where_it_is(*run, manager.clock().now(), on_event);
  if (!children) return;
  for (const auto& child : *children) tell_where_it_is(child, manager.clock().now(), on_event);
}

// A parent that was cancelled has told its parts to end, and what they leave is theirs to clean up: its end is told
// when they are through with it.
void await_children(fsm::Manager& manager, fsm::RunVersion head) {
  const auto children = manager.children(head);
  if (!children) return;
  const TimePoint deadline = later(manager.clock().now(), kPatience);
  for (const auto& child : *children) {
    if (!fsm::is_finished(child.progress.state)) (void)manager.wait(child.spec.version, deadline);
  }
}

}  // namespace

Result<fsm::RunResult> follow(fsm::Manager& manager, fsm::Subscription& events, fsm::RunVersion run,
                              const OnEvent& on_event, std::stop_token stop) {
  Family family(manager, run);
  std::size_t known_missed = 0;
  tell_where_they_are(manager, run, on_event);
  for (;;) {
    if (stop.stop_requested()) return fail(ErrorKind::kCancelled, "run {} is no longer followed", run);
    const auto event = events.next(manager.clock().now() + kLook);
    if (event && family.has(event->run)) {
      if (on_event) on_event(*event);
    }
    const bool ended = event && event->run == run && event->event.kind == fsm::EventKind::kFinished;
    const bool missed = events.missed() != std::exchange(known_missed, events.missed());
    if (event && !ended && !missed) continue;
    auto result = manager.wait(run, TimePoint{});
    if (result && result->ending == fsm::Ending::kCancelled) await_children(manager, run);
    if (result || result.error().kind() != ErrorKind::kTimeout) return result;
  }
}

Result<fsm::Started> start_work(fsm::Manager& manager, const Work& work, const Settings& here) {
  if (auto same = check_same(here, work.settings, "runs"); !same) return fail(std::move(same.error()));
  auto started = manager.start(work.machine, {work.id, work.request, {.queue = work.queue}});
  if (!started || !started->already_running) return started;
  const auto other = manager.run(started->version);
  if (!other) return started;  // it has just ended
  if (other->request == work.request) {
    auto taken_up = manager.unpark(started->version);
    if (!taken_up && taken_up.error().kind() != ErrorKind::kConflict) return fail(std::move(taken_up.error()));
    return started;
  }
  return fail(Error(ErrorKind::kConflict, fmt::format("{} is under way for {} already, with another request, as run {}",
                                                      work.machine, work.id, started->version))
                  .with_hint(fmt::format("wait for it, or end it: slipway runs cancel {}", started->version)));
}

}  // namespace slipway::service
