// Holds what a killed program left (its store and its trace) against the scenario that it ran. Called after each of its
// lives; everything that the runtime promises and that does not hold becomes a violation, a sentence.
//
// A run's durable position is the number of tries whose outcome is in its history. From it follows all the rest: the
// events, the response, and which try the next life begins with.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "fsm/event.h"
#include "fsm/run.h"
#include "scenario.h"
#include "snapshot.h"
#include "trace.h"

namespace slipway::crash {

// What a history tells, as far as the scenario settles it.
struct Story {
  std::size_t done = 0;                           // the durable position
  std::optional<std::size_t> done_before_cancel;  // set when a cancel was requested
  std::size_t interruptions = 0;
  std::optional<fsm::Ending> ending;
};

class Checker {
 public:
  explicit Checker(const Scenario& scenario) : scenario_(scenario) {}  // must outlive the checker

  // `life`: what the trace has gained in this life. `store`: as it was found after its end.
  void after_life(const std::vector<Record>& life, const Snapshot& store);
  // The program has ended by itself: nothing may be left to do.
  void after_all();

  [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }
  // Every acknowledged start and all progress so far; to tell whether a life got anything done.
  [[nodiscard]] std::size_t durable_steps() const;
  [[nodiscard]] std::vector<std::string> unfinished() const;

 private:
  // A run that is in the store, as this life left it and as the one before did.
  struct Known {
    const RunShape* shape = nullptr;
    const StoredRun* stored = nullptr;  // null between two calls
    Story story{};
    bool known_before = false;
    bool running_before = false;  // on disk it was under way, so that it came back with its place in the queue
    Story story_before{};
    std::vector<fsm::RunEvent> history_before{};
    bool begun_before = false;
    bool begun = false;
    std::size_t finalized = 0;
  };
  using Runs = std::map<fsm::RunVersion, Known>;

  template <class... Args>
  void violation(fsm::RunVersion run, fmt::format_string<Args...> what, Args&&... args) {
    violations_.push_back(fmt::format("run {}: {}", describe(run), fmt::format(what, std::forward<Args>(args)...)));
  }
  [[nodiscard]] std::string describe(fsm::RunVersion run) const;

  // checker.cc: the store against the scenario.
  void take(const Snapshot& store);
  void check_acknowledged(const std::vector<Record>& life);
  void check_start(const Known& run);
  void check_progress(const Known& run);
  void check_response(const Known& run);
  [[nodiscard]] const Known* predecessor_of(const Known& run) const;
  [[nodiscard]] std::optional<std::string> request_of(const Known& run) const;
  void remember();

  // checker_story.cc: one history against the scenario.
  Story read_story(const Known& run);
  void read_outcome(const Known& run, const fsm::Event& event, Story& story);
  void check_ending(const Known& run);

  // checker_trace.cc: what ran, against what was durable before and after.
  struct Life;  // of one run
  void check_trace(const std::vector<Record>& life);
  void check_begin(const Record& begin, Life& life);
  void check_inputs(const Record& begin, const Known& run, std::size_t index);
  void check_end(const Record& end, Life& life);
  void check_final(const Record& final, Life& life);
  void check_against_disk(const Life& life);

  // checker_queue.cc: limits and order.
  void check_queues(const std::vector<Record>& life);
  [[nodiscard]] std::size_t owed_before(fsm::RunVersion version, const Known& run,
                                        const std::map<fsm::RunVersion, bool>& begun) const;

  const Scenario& scenario_;
  Runs runs_;
  std::map<std::size_t, fsm::RunVersion> acknowledged_;  // by index of the run
  std::map<fsm::RunVersion, bool> cancelled_;            // acknowledged cancels
  std::vector<std::string> violations_;
};

}  // namespace slipway::crash
