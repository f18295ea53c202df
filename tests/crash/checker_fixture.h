// A scenario of three runs, and a fixture that tells the checker stories about them, true and false ones.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checker.h"

namespace slipway::crash {

inline fsm::RunVersion version(std::uint64_t number) { return fsm::RunVersion(Ulid(1, number)); }

// Machine "m" of the transitions t0 (one retry) and t1. Runs a and b: t0 fails once, then both complete, in a queue of
// one place. c follows a; it goes straight through.
inline Scenario small_scenario() {
  Scenario scenario{.queues = {{.name = "q", .limit = 1}}};
  scenario.machines.push_back({.name = "m",
                               .transitions = {{"t0", {.retry = fsm::fixed(1, std::chrono::milliseconds(1))}}, {"t1"}},
                               .takes_over = true});
  const std::vector<Try> with_error{{.act = Act::kError}, {.retry = 1}, {.position = 1, .arrival = 1}};
  const std::vector<Try> straight{{}, {.position = 1, .arrival = 1}};
  scenario.runs.push_back({.id = "a", .queue = "q", .tries = with_error});
  scenario.runs.push_back({.id = "b", .queue = "q", .tries = with_error});
  scenario.runs.push_back({.id = "c", .after = 0, .tries = straight});
  return scenario;
}

class CheckerTest : public testing::Test {
 protected:
  // The run as it is after `done` tries.
  StoredRun& store_run(std::size_t index, std::size_t done) {
    const RunShape& shape = scenario_.runs[index];
    StoredRun& run = store_[version(index)];
    run = {};
    auto& [spec, progress, seq, cancel_cause, request, response] = run.record;
    spec = {.version = version(index), .machine = "m", .id = shape.id, .queue = shape.queue};
    if (shape.after) spec.after = version(*shape.after);
    request = given_request(shape);
    response = response_after_tries(scenario_, shape, request_of(index), done);
    progress.state = fsm::Running{};
    add_event(index, {.kind = fsm::EventKind::kStarted});
    for (std::size_t i = 0; i < done; ++i) add_event(index, outcome_of(index, i));
    if (done == shape.tries.size()) {
      progress.state = fsm::Finished{.ending = shape.ending, .error = {}, .at = {}};
      add_event(index, {.kind = fsm::EventKind::kFinished, .ending = shape.ending});
    } else {
      const Try& next = shape.tries[done];
      progress.position = next.position;
      progress.arrival = next.arrival;
      progress.retries = next.retry;
    }
    return run;
  }

  fsm::Event outcome_of(std::size_t index, std::size_t number) const {
    const RunShape& shape = scenario_.runs[index];
    const Try& a_try = shape.tries[number];
    return {.kind = completes(a_try.act) ? fsm::EventKind::kCompleted : fsm::EventKind::kErrored,
            .transition = scenario_.transition_name(shape, a_try),
            .retry = a_try.retry};
  }

  void add_event(std::size_t index, fsm::Event event) {
    StoredRun& run = store_[version(index)];
    run.history.push_back({version(index), "m", scenario_.runs[index].id, ++run.record.seq, std::move(event)});
  }

  std::string request_of(std::size_t index) const {
    const RunShape& shape = scenario_.runs[index];
    if (!shape.after) return given_request(shape);
    return taken_over(given_request(shape), store_.at(version(*shape.after)).record.response);
  }

  void ack(std::size_t index) {
    life_.push_back({.kind = Record::Kind::kAck, .version = version(index), .run = index});
  }

  // `returns` false: the process dies inside.
  Record& run_try(std::size_t index, std::size_t number, bool resumed = false, bool returns = true) {
    const RunShape& shape = scenario_.runs[index];
    const Try& a_try = shape.tries[number];
    Record record{.kind = Record::Kind::kBegin,
                  .version = version(index),
                  .transition = scenario_.transition_name(shape, a_try),
                  .arrival = a_try.arrival,
                  .retry = a_try.retry,
                  .resumed = resumed,
                  .request = digest_of(request_of(index)),
                  .response = digest_of(response_after_tries(scenario_, shape, request_of(index), number))};
    life_.push_back(record);
    record.kind = Record::Kind::kEnd;
    if (returns) life_.push_back(record);
    return life_[life_.size() - (returns ? 2 : 1)];
  }

  // The process dies, and what it left is checked.
  void die() {
    checker_.after_life(life_, store_);
    life_.clear();
  }

  // The first life of run a: the error of t0 is on disk, and it dies in the second try.
  void die_in_second_try() {
    store_run(0, 1);
    ack(0);
    run_try(0, 0);
    run_try(0, 1, /*resumed=*/false, /*returns=*/false);
    die();
    ASSERT_THAT(checker_.violations(), testing::IsEmpty());
  }

  void expect_violation(const std::string& text) {
    EXPECT_THAT(checker_.violations(), testing::Contains(testing::HasSubstr(text)));
  }

  Scenario scenario_ = small_scenario();
  Checker checker_{scenario_};
  Snapshot store_;
  std::vector<Record> life_;
};

}  // namespace slipway::crash
