#include "scenario.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>

#include <fmt/format.h>

#include "dice.h"

namespace slipway::crash {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kMostArrivals = 12;  // from here on a run goes straight to its end
constexpr Duration kLongestWork = 1500us;
constexpr Duration kHangTimeout = 4ms;

Duration random_wait(Dice& dice, std::uint64_t most_ms) { return std::chrono::milliseconds(dice.between(1, most_ms)); }

fsm::Retry random_retry(Dice& dice) {
  if (dice.chance(40)) return fsm::never();
  const auto retries = static_cast<std::uint32_t>(dice.between(1, 3));
  if (dice.chance(50)) return fsm::fixed(retries, random_wait(dice, 4));
  return fsm::exponential(retries, 1ms, 6ms).with_jitter();
}

MachineShape make_machine(Dice& dice, std::size_t number) {
  constexpr std::array<std::size_t, 4> paddings{0, 0, 90, 700};
  MachineShape machine{.name = fmt::format("machine-{}", number)};
  const auto length = dice.between(1, 6);
  for (std::size_t i = 0; i < length; ++i) {
    machine.transitions.push_back({.name = fmt::format("t{}", i), .policy = {.retry = random_retry(dice)}});
  }
  if (length > 1 && dice.chance(40)) {
    machine.last_hangs = true;
    auto& policy = machine.transitions.back().policy;
    policy.timeout = kHangTimeout;
    policy.on_timeout = dice.chance(50) ? fsm::OnTimeout::kAbort : fsm::OnTimeout::kError;
  }
  machine.has_initializer = dice.chance(40);
  machine.has_finalizer = dice.chance(40);
  machine.takes_over = dice.chance(75);
  machine.padding = paddings[dice.below(paddings.size())];
  return machine;
}

// Walks a run from its start to its end, deciding what each try gives.
class Walk {
 public:
  Walk(Dice& dice, const MachineShape& machine, RunShape& run) : dice_(dice), machine_(machine), run_(run) {}

  void go() {
    while (!over_) {
      if (machine_.last_hangs && position_ + 1 == end()) {
        hang();
      } else if (fail_some()) {
        complete();
      }
    }
  }

 private:
  [[nodiscard]] std::uint32_t end() const { return static_cast<std::uint32_t>(machine_.transitions.size()); }
  [[nodiscard]] const fsm::TransitionPolicy& policy() const { return machine_.transitions[position_].policy; }

  void add(Act act, std::uint32_t target = 0) {
    const Duration work = dice_.chance(30) ? Duration(dice_.below(kLongestWork.count())) : Duration{0};
    run_.tries.push_back({position_, arrival_, retry_++, act, target, work});
  }

  void finish(fsm::Ending ending) {
    run_.ending = ending;
    over_ = true;
  }

  void arrive(std::uint32_t position) {
    position_ = position;
    ++arrival_;
    retry_ = 0;
    if (position == end()) finish(fsm::Ending::kCompleted);
  }

  void hang() {
    const bool aborts = policy().on_timeout == fsm::OnTimeout::kAbort;
    const auto tries = aborts ? 1 : policy().retry.max_retries + 1;
    for (std::uint32_t i = 0; i < tries; ++i) add(Act::kHang);
    finish(aborts ? fsm::Ending::kAborted : fsm::Ending::kFailed);
  }

  // False when the run is over with that.
  bool fail_some() {
    const auto allowed = policy().retry.max_retries;
    const bool gives_up = dice_.chance(2);
    std::uint64_t failures = gives_up ? allowed + 1 : 0;
    if (!gives_up && allowed > 0 && dice_.chance(30)) failures = dice_.between(1, allowed);
    for (std::uint64_t i = 0; i < failures; ++i) add(dice_.chance(70) ? Act::kError : Act::kThrow);
    if (gives_up) finish(fsm::Ending::kFailed);
    return !gives_up;
  }

  void complete() {
    const auto roll = dice_.below(100);
    if (roll < 2) return add(Act::kAbort), finish(fsm::Ending::kAborted);
    if (roll < 4) return add(Act::kUnrecoverable), finish(fsm::Ending::kFailed);
    if (roll < 7) return add(Act::kHandoff), finish(fsm::Ending::kHandedOff);
    const bool before_hang = machine_.last_hangs && position_ + 2 == end();
    if (before_hang && dice_.chance(75)) return add(Act::kGoTo, end()), arrive(end());
    if (arrival_ < kMostArrivals && roll < 20) {
      const auto target = static_cast<std::uint32_t>(dice_.below(end() + 1));
      return add(Act::kGoTo, target), arrive(target);
    }
    add(Act::kNext);
    arrive(position_ + 1);
  }

  Dice& dice_;
  const MachineShape& machine_;
  RunShape& run_;
  std::uint32_t position_ = 0;
  std::uint32_t arrival_ = 0;
  std::uint32_t retry_ = 0;
  bool over_ = false;
};

// `earlier`: how many runs are started in batches before this one's.
RunShape make_run(Dice& dice, const Scenario& scenario, std::size_t number, std::size_t machine, std::size_t earlier) {
  RunShape run{.id = fmt::format("run-{}", number), .machine = machine};
  if (!scenario.queues.empty() && dice.chance(60)) {
    run.queue = scenario.queues[dice.below(scenario.queues.size())].name;
    run.priority = static_cast<int>(dice.below(3)) - 1;
  }
  if (dice.chance(15)) run.delay = random_wait(dice, 30);
  if (earlier > 0 && dice.chance(30)) {
    // Not far back: chains of several, and predecessors that are still under way.
    run.after = earlier - 1 - dice.below(std::min<std::size_t>(earlier, 6));
    run.after_any_ending = dice.chance(40);
  }
  if (earlier > 0 && dice.chance(20)) run.parent = dice.below(earlier);
  run.cancel = dice.chance(6);
  Walk(dice, scenario.machines[machine], run).go();
  return run;
}

}  // namespace

std::optional<std::size_t> RunShape::find_try(std::uint32_t arrival, std::uint32_t retry) const {
  const auto found =
      std::ranges::find_if(tries, [&](const Try& t) { return t.arrival == arrival && t.retry == retry; });
  if (found == tries.end()) return std::nullopt;
  return static_cast<std::size_t>(found - tries.begin());
}

std::optional<std::size_t> Scenario::find_run(std::string_view id) const {
  const auto found = std::ranges::find(runs, id, &RunShape::id);
  if (found == runs.end()) return std::nullopt;
  return static_cast<std::size_t>(found - runs.begin());
}

std::size_t Scenario::limit_of(std::string_view queue) const {
  const auto found = std::ranges::find(queues, queue, &fsm::QueueLimit::name);
  if (found == queues.end()) throw std::out_of_range("no such queue");
  return found->limit;
}

Scenario make_scenario(std::uint64_t seed) {
  Dice dice(seed);
  Scenario scenario{.seed = seed, .checkpoint_pages = static_cast<int>(dice.between(4, 200))};
  const auto queues = dice.below(4);
  for (std::size_t i = 0; i < queues; ++i) {
    scenario.queues.push_back({.name = fmt::format("queue-{}", i), .limit = dice.between(1, 3)});
  }
  const auto machines = dice.between(1, 5);
  for (std::size_t i = 0; i < machines; ++i) scenario.machines.push_back(make_machine(dice, i));
  const auto runs = dice.between(30, 90);
  for (std::size_t batch = 0; scenario.runs.size() < runs; ++batch) {
    const auto earlier = scenario.runs.size();
    const auto machine = dice.below(machines);
    const auto members = dice.chance(30) ? dice.between(2, 8) : 1;
    for (std::size_t i = 0; i < members; ++i) {
      scenario.runs.push_back(make_run(dice, scenario, earlier + i, machine, earlier));
      scenario.runs.back().batch = batch;
    }
  }
  return scenario;
}

std::string given_request(const RunShape& run) { return "request of " + run.id; }

std::string taken_over(std::string_view given, std::string_view handed_on) {
  return fmt::format("{}<{}>", given, handed_on);
}

std::string response_after(std::string_view request, std::string_view before, std::string_view transition,
                           std::uint32_t arrival, std::size_t padding) {
  const std::string begun = before.empty() ? fmt::format("{}|", request) : std::string(before);
  return fmt::format("{}{}/{};{}", begun, transition, arrival, std::string(padding, '.'));
}

std::string response_after_tries(const Scenario& scenario, const RunShape& run, std::string_view request,
                                 std::size_t done) {
  std::string response;
  for (std::size_t i = 0; i < done; ++i) {
    const Try& a_try = run.tries[i];
    if (!completes(a_try.act)) continue;
    response = response_after(request, response, scenario.transition_name(run, a_try), a_try.arrival,
                              scenario.machine_of(run).padding);
  }
  return response;
}

std::uint64_t digest_of(std::string_view bytes) {
  std::uint64_t digest = 0xcbf29ce484222325U;  // FNV-1a
  for (const char c : bytes) digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return digest;
}

}  // namespace slipway::crash
