// What happened to a run. Stored events are the run's history: numbered 1, 2, 3, ... in the order in which they became
// durable, which is their order, whatever the clock said. Live-only events are never stored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/time.h"
#include "fsm/run.h"

namespace slipway::fsm {

// Numbers are stored: they may be added to, never changed.
enum class EventKind : std::uint8_t {
  kStarted = 1,
  kCompleted = 2,    // a transition; `took` is its duration
  kErrored = 3,      // a try of a transition failed
  kSkipped = 4,      // the program no longer has the transition, and the machine says skip
  kRefused = 5,      // the program no longer has the transition, and the machine says fail
  kInterrupted = 6,  // the process died inside the transition
  kParked = 7,
  kUnparked = 8,  // resumed by hand
  kCancelRequested = 9,
  kFinalizerFailed = 10,
  kFinished = 11,

  kBegan = 100,     // live only: a try of a transition begins
  kProgress = 101,  // live only: note is "done/total unit"
  kOverdue = 102,   // live only: the transition's time is up; its handler has been told to stop
};

[[nodiscard]] std::string_view to_string(EventKind kind);
[[nodiscard]] std::optional<EventKind> parse_event_kind(std::int64_t number);  // a stored number; nothing for any other
[[nodiscard]] constexpr bool is_stored(EventKind kind) { return static_cast<int>(kind) < 100; }

struct Event {
  EventKind kind = EventKind::kStarted;
  TimePoint at{};
  std::string transition{};  // empty where none is meant
  std::uint32_t retry = 0;   // of the transition
  Duration took{0};
  std::optional<Error> error{};    // of kErrored, kRefused, kFinalizerFailed, and of an unhappy kFinished
  std::optional<Ending> ending{};  // of kFinished
  std::string note{};              // cause, reason: for people

  friend bool operator==(const Event&, const Event&) = default;
};

// An event with whose it is: how it is read back and how subscribers get it.
struct RunEvent {
  RunVersion run;
  std::string machine;
  std::string id;
  std::uint64_t seq = 0;  // 0 for live-only events
  Event event;

  friend bool operator==(const RunEvent&, const RunEvent&) = default;
};

}  // namespace slipway::fsm
