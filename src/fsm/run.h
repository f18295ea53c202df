// What a run is, as it is stored and as it can be asked for.
//
//                        ┌──────────── delayed ─────────┐
//   start ──► following ─┤                              ├─► queued ─► running ◄─► backing-off, awaiting
//             (run-after)└──────────────────────────────┘               │  └────► parked ─(by hand)─► queued
//                                                                       ▼
//                                                     finishing (finalizers) ─► finished
//
// Each arrow is optional: a run without queue, delay and predecessor is running at once. A cancel takes any of the
// states before `finishing` to the end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "fsm/version.h"

namespace slipway::fsm {

enum class Ending : std::uint8_t {
  kCompleted,  // every transition ran
  kHandedOff,  // a transition found the work done already: a success too
  kFailed,     // retries used up, or an unrecoverable error
  kAborted,    // refused: validation, security, exhaustion
  kCancelled,  // somebody asked for it
};

[[nodiscard]] std::string_view to_string(Ending ending);  // "completed", "handed-off", ...
[[nodiscard]] std::optional<Ending> parse_ending(std::string_view name);
[[nodiscard]] constexpr bool succeeded(Ending ending) {
  return ending == Ending::kCompleted || ending == Ending::kHandedOff;
}

// Each state holds only what it has.
struct Following {  // waits for the run it was started after
  friend bool operator==(const Following&, const Following&) = default;
};
struct Delayed {
  TimePoint due;
  friend bool operator==(const Delayed&, const Delayed&) = default;
};
struct Queued {
  friend bool operator==(const Queued&, const Queued&) = default;
};
struct Running {
  friend bool operator==(const Running&, const Running&) = default;
};
struct BackingOff {  // its transition failed; it is tried again when due
  TimePoint due;
  friend bool operator==(const BackingOff&, const BackingOff&) = default;
};
struct Awaiting {  // its next transition begins when that run has ended
  RunVersion run;
  friend bool operator==(const Awaiting&, const Awaiting&) = default;
};
struct Parked {  // took the process down too often; a person must decide
  std::string reason;
  friend bool operator==(const Parked&, const Parked&) = default;
};
struct Finishing {  // its end is decided; finalizers are to run
  Ending ending;
  std::optional<Error> error;
  friend bool operator==(const Finishing&, const Finishing&) = default;
};
struct Finished {
  Ending ending;
  std::optional<Error> error;
  TimePoint at;
  friend bool operator==(const Finished&, const Finished&) = default;
};
using RunState = std::variant<Following, Delayed, Queued, Running, BackingOff, Parked, Finishing, Finished, Awaiting>;

[[nodiscard]] std::string_view name_of(const RunState& state);  // "queued", "backing-off", ...
[[nodiscard]] bool is_state_name(std::string_view name);
[[nodiscard]] inline bool is_finished(const RunState& state) { return std::holds_alternative<Finished>(state); }

// The part of a run that moves. Every move is one durable write.
struct Progress {
  RunState state;
  std::uint32_t position = 0;  // index into the plan of the transition that runs next; its size: past the last
  std::uint32_t arrival = 0;   // transitions completed so far (grows also when a go-to leads back)
  std::uint32_t retries = 0;   // of the transition at `position`
  std::uint32_t crashes = 0;   // times the process died inside the transition at `position`

  friend bool operator==(const Progress&, const Progress&) = default;
};

// The names of a machine's transitions, in order, as the run was started with them.
struct Plan {
  std::vector<std::string> transitions;
  std::string end;  // the name of the state after the last one

  friend bool operator==(const Plan&, const Plan&) = default;
};

// The part of a run that is settled when it starts.
struct RunSpec {
  RunVersion version;
  std::string machine;
  std::string id;  // any bytes; compared exactly
  std::shared_ptr<const Plan> plan;
  std::string queue;  // empty: none
  int priority = 0;   // higher goes first
  std::optional<TimePoint> not_before;
  std::optional<RunVersion> after;
  bool after_any_ending = false;
  std::optional<RunVersion> parent;
  TimePoint started_at;
};

struct RunRecord {
  RunSpec spec;
  Progress progress;
  std::uint64_t seq = 0;  // of its last event
  std::optional<std::string> cancel_cause;
  std::string request;   // as encoded by the machine's types
  std::string response;  // of the last completed transition; empty before the first
};

// Which runs to list. Everything that is set must hold.
struct RunFilter {
  enum class Phase : std::uint8_t { kAny, kActive, kFinished };

  Phase phase = Phase::kAny;
  std::optional<std::string> machine;
  std::optional<std::string> id;
  std::optional<std::string> state;  // a name as of name_of(); any other is kInvalid
  std::optional<Ending> ending;
  std::optional<RunVersion> parent;
  std::optional<TimePoint> started_from;
  std::optional<TimePoint> started_before;
  std::optional<RunVersion> older_than;  // for the next page: the last version of this one
  std::size_t limit = 1000;              // newest first
};

}  // namespace slipway::fsm
