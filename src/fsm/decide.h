// What becomes of a run when something happens to it. Pure functions: no store, no thread, no clock. The runtime makes
// a Decision durable first, and acts on it then.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "fsm/definition.h"
#include "fsm/event.h"
#include "fsm/metrics.h"
#include "fsm/outcome.h"
#include "fsm/run.h"

namespace slipway::fsm {

// A run as a decision sees it.
struct RunView {
  const Definition& machine;
  const Plan& plan;
  const Progress& progress;
  bool has_queue = false;

  [[nodiscard]] const std::string& transition() const { return plan.transitions[progress.position]; }
};

struct Decision {
  Progress progress;
  std::optional<std::string> response;  // none: unchanged
  std::vector<Event> events;
};

// One try of a transition that is over.
struct Try {
  TimePoint began;
  TimePoint ended;
  double random = 0;  // in [0, 1), for jitter
  bool timed_out = false;
};

// `transition` is the one at the run's position.
[[nodiscard]] Decision on_outcome(const RunView& run, const Transition& transition, const Try& tried,
                                  EncodedOutcome outcome);
[[nodiscard]] TryStatus status_of(const Try& tried, const EncodedOutcome& outcome);

[[nodiscard]] Decision on_cancelled(const RunView& run, const std::string& cause, TimePoint now);
// The run cannot go on, through no doing of its own: the run before it failed, or what is stored of it is broken.
[[nodiscard]] Decision on_unable(const RunView& run, const Error& cause, TimePoint now);
// The program does not have the transition at the run's position: by the machine's wish, all such are skipped up to the
// next one that it has, or the run is refused.
[[nodiscard]] Decision on_unknown_transition(const RunView& run, TimePoint now);
// A start-up found that the last process died inside the run's handler.
[[nodiscard]] Decision on_interrupted(const RunView& run, std::uint32_t max_crash_resumes, TimePoint now);
[[nodiscard]] Decision on_unparked(const RunView& run, TimePoint now);
// All finalizers have been called; `errors` are those they gave.
[[nodiscard]] Decision on_finalized(const RunView& run, const std::vector<Error>& errors, TimePoint now);

}  // namespace slipway::fsm
