// A run in memory: what the store has of it, and where it stands in this process.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "fsm/context.h"
#include "fsm/decide.h"
#include "fsm/definition.h"
#include "fsm/metrics.h"
#include "fsm/run.h"
#include "fsm/run_queue.h"
#include "fsm/timers.h"

namespace slipway::fsm {

// Larger payloads stay on disk while their run is not under way, and are read when it is: so a run that waits costs
// what its bookkeeping costs, whatever it carries.
inline constexpr std::size_t kResidentPayload = 256;

// A registered machine, with what the runtime keeps about it.
struct LiveMachine {
  Definition definition;
  std::shared_ptr<const Plan> plan;
  MachineMetrics metrics;
};

// One call of a handler, as others reach it: to stop it.
struct StopSwitch {
  std::stop_source source;
  std::atomic<StopCause> cause = StopCause::kNone;

  // The first cause stays.
  bool flip(StopCause why) {
    StopCause none = StopCause::kNone;
    return cause.compare_exchange_strong(none, why);
  }
};

struct LiveRun {
  enum class Phase : std::uint8_t {
    kWaiting,  // for a timer, a place in a queue, another run, or a person
    kReady,    // for a thread
    kInside,   // a thread works on it
    kWriting,  // a decision about it is on its way to the disk
  };

  RunSpec spec;
  LiveMachine* machine = nullptr;

  // As on disk (the state may be ahead of the disk by what a restart finds out by itself: see Runtime::note).
  Progress progress;
  std::uint64_t seq = 0;
  std::optional<std::string> cancel_cause;
  std::string request;
  std::string response;

  Phase phase = Phase::kWaiting;
  bool payload_here = true;    // large ones stay on disk between tries
  bool initialized = false;    // initializers have run in this process
  bool resumed = false;        // taken up after a restart, and not tried since
  bool was_in_queue = false;   // had its place when the process died
  bool has_place = false;      // counts against its queue's limit
  bool noted = false;          // its state is to be written when something else is
  bool after_settled = false;  // the run before has ended, and this one may go on
  std::optional<Error> after_failed;

  RunQueue* queue = nullptr;
  std::optional<Timers::Id> timer;
  std::shared_ptr<StopSwitch> stop;  // while kInside

  [[nodiscard]] RunView view() const { return {machine->definition, *spec.plan, progress, queue != nullptr}; }
  [[nodiscard]] RunQueue::Place place() const { return {was_in_queue, spec.priority, spec.version}; }
  [[nodiscard]] bool is_following() const {
    return phase == Phase::kWaiting && std::holds_alternative<Following>(progress.state) && !cancel_cause;
  }
  // The run that this one waits for before its next transition.
  [[nodiscard]] std::optional<RunVersion> awaited() const {
    const auto* awaiting = std::get_if<Awaiting>(&progress.state);
    if (phase != Phase::kWaiting || awaiting == nullptr || cancel_cause) return std::nullopt;
    return awaiting->run;
  }
  [[nodiscard]] bool ending() const {
    return std::holds_alternative<Finishing>(progress.state) || is_finished(progress.state);
  }
};

}  // namespace slipway::fsm
