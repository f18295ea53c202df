// One history against the scenario.
#include "checker.h"

namespace slipway::crash {

Story Checker::read_story(const Known& run) {
  Story story;
  const auto& history = run.stored->history;
  const auto version = run.stored->record.spec.version;
  for (std::size_t i = 0; i < history.size(); ++i) {
    const auto& event = history[i].event;
    if (history[i].seq != i + 1) {
      violation(version, "its events have a hole: number {} follows {}", history[i].seq, i);
    }
    if ((event.kind == fsm::EventKind::kStarted) != (i == 0)) {
      violation(version, "event {} is {}", i + 1, to_string(event.kind));
    }
    if (story.ending) violation(version, "has the event {} after its end", to_string(event.kind));
    switch (event.kind) {
      case fsm::EventKind::kStarted: break;
      case fsm::EventKind::kCompleted:
      case fsm::EventKind::kErrored: read_outcome(run, event, story); break;
      case fsm::EventKind::kInterrupted: ++story.interruptions; break;
      case fsm::EventKind::kCancelRequested:
        if (story.done_before_cancel) violation(version, "was cancelled twice");
        story.done_before_cancel = story.done;
        break;
      case fsm::EventKind::kFinished: story.ending = event.ending; break;
      default: violation(version, "has the event {}", to_string(event.kind)); break;
    }
  }
  return story;
}

void Checker::read_outcome(const Known& run, const fsm::Event& event, Story& story) {
  const auto version = run.stored->record.spec.version;
  if (story.done == run.shape->tries.size()) {
    violation(version, "{} {} after its last try", event.transition, to_string(event.kind));
    return;
  }
  const Try& expected = run.shape->tries[story.done];
  const auto kind = completes(expected.act) ? fsm::EventKind::kCompleted : fsm::EventKind::kErrored;
  const auto& name = scenario_.transition_name(*run.shape, expected);
  if (event.kind != kind || event.transition != name || event.retry != expected.retry) {
    violation(version, "try {} is on disk as {} {} retry {}, and was {} {} retry {}", story.done, to_string(event.kind),
              event.transition, event.retry, to_string(kind), name, expected.retry);
  }
  ++story.done;
}

void Checker::check_ending(const Known& run) {
  const auto version = run.stored->record.spec.version;
  const Story& story = run.story;
  // The handler that was under way when the cancel came may still complete, none after it.
  if (story.done_before_cancel && story.done > *story.done_before_cancel + 1) {
    violation(version, "went on for {} tries after its cancel", story.done - *story.done_before_cancel);
  }
  if (cancelled_.contains(version) && !story.done_before_cancel)
    violation(version, "its cancel was acknowledged, and is lost");
  if (!story.ending) return;

  const Known* before = predecessor_of(run);
  if (run.shape->after && (before == nullptr || !before->story.ending)) {
    if (*story.ending != fsm::Ending::kCancelled) violation(version, "ended before the run it follows");
    return;
  }
  const bool refused = before != nullptr && !fsm::succeeded(*before->story.ending) && !run.shape->after_any_ending;
  if (refused && story.done > 0) violation(version, "ran, though the run it follows ended badly");
  const bool complete = story.done == run.shape->tries.size();
  const bool natural = complete && *story.ending == run.shape->ending;
  const bool cut_short = !complete && ((story.done_before_cancel && *story.ending == fsm::Ending::kCancelled) ||
                                       (refused && *story.ending == fsm::Ending::kFailed));
  if (!natural && !cut_short) {
    violation(version, "ended {} after {} of {} tries", to_string(*story.ending), story.done, run.shape->tries.size());
  }
}

}  // namespace slipway::crash
