// What a crash test runs: machines of random shape and the runs started on them, all derived from one seed. It is the
// model too: what each try of each transition gives is settled here, as a function of the durable position alone, so
// that the program that is killed and the one that checks it know the same story whatever happens in between.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "fsm/manager.h"
#include "fsm/policy.h"
#include "fsm/run.h"

namespace slipway::crash {

enum class Act : std::uint8_t {
  kNext,
  kGoTo,
  kHandoff,
  kError,
  kThrow,
  kHang,  // until the stop token fires
  kAbort,
  kUnrecoverable,
};

[[nodiscard]] constexpr bool completes(Act act) {
  return act == Act::kNext || act == Act::kGoTo || act == Act::kHandoff;
}

// One try of one transition.
struct Try {
  std::uint32_t position = 0;
  std::uint32_t arrival = 0;
  std::uint32_t retry = 0;
  Act act = Act::kNext;
  std::uint32_t target = 0;  // of kGoTo: a position; the number of transitions is the end
  Duration work{0};          // how long the handler takes
};

struct TransitionShape {
  std::string name;
  fsm::TransitionPolicy policy{};
};

struct MachineShape {
  std::string name;
  std::vector<TransitionShape> transitions{};
  bool last_hangs = false;  // every try of the last transition is a kHang
  bool has_initializer = false;
  bool has_finalizer = false;
  bool takes_over = false;  // makes its request from the response of the run before it
  std::size_t padding = 0;  // bytes that each completion adds: decides where the store keeps the response
};

struct RunShape {
  std::string id;  // each is started once
  std::size_t machine = 0;
  std::size_t batch = 0;  // runs of one batch are started with one call
  std::string queue{};
  int priority = 0;
  std::optional<Duration> delay{};
  std::optional<std::size_t> after{};  // index of an earlier run
  bool after_any_ending = false;
  std::optional<std::size_t> parent{};  // index of an earlier run
  bool cancel = false;
  std::vector<Try> tries{};                      // all of them, when nothing cuts the run short
  fsm::Ending ending = fsm::Ending::kCompleted;  // after the last of `tries`

  // Runs that join their queue the moment they are started.
  [[nodiscard]] bool queues_at_once() const { return !queue.empty() && !delay && !after; }
  // The index in `tries`.
  [[nodiscard]] std::optional<std::size_t> find_try(std::uint32_t arrival, std::uint32_t retry) const;
};

struct Scenario {
  std::uint64_t seed = 0;
  int checkpoint_pages = 1000;
  std::vector<fsm::QueueLimit> queues{};
  std::vector<MachineShape> machines{};
  std::vector<RunShape> runs{};

  [[nodiscard]] const MachineShape& machine_of(const RunShape& run) const { return machines[run.machine]; }
  [[nodiscard]] const std::string& transition_name(const RunShape& run, const Try& a_try) const {
    return machine_of(run).transitions[a_try.position].name;
  }
  [[nodiscard]] std::optional<std::size_t> find_run(std::string_view id) const;
  [[nodiscard]] std::size_t limit_of(std::string_view queue) const;
};

inline constexpr const char* kEndState = "end";

[[nodiscard]] Scenario make_scenario(std::uint64_t seed);

// What a run is started with.
[[nodiscard]] std::string given_request(const RunShape& run);
// What the run's handlers get, when the run before it ended with `handed_on`.
[[nodiscard]] std::string taken_over(std::string_view given, std::string_view handed_on);

// The response that a completion makes of the one before it (empty: there was none) and the request.
[[nodiscard]] std::string response_after(std::string_view request, std::string_view before, std::string_view transition,
                                         std::uint32_t arrival, std::size_t padding);
// The response after the first `done` tries, folded from nothing: empty when none of them completed.
[[nodiscard]] std::string response_after_tries(const Scenario& scenario, const RunShape& run, std::string_view request,
                                               std::size_t done);

// Short, for traces.
[[nodiscard]] std::uint64_t digest_of(std::string_view bytes);

}  // namespace slipway::crash
