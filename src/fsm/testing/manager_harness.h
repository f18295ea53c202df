// A manager over the fake store and the manual clock, that can be restarted and crashed.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fsm/machine.h"
#include "fsm/manager.h"
#include "fsm/testing/memory_run_store.h"
#include "sys/testing/manual_clock.h"

namespace slipway::fsm {

// Most tests need no more than strings.
using Text = Context<std::string, std::string>;
using TextMachine = Machine<std::string, std::string>;

class ManagerHarness {
 public:
  using Setup = std::function<void(Manager&)>;  // adds machines

  explicit ManagerHarness(ManagerOptions options = {}) : options_(std::move(options)) { options_.clock = &clock; }
  ~ManagerHarness() { close(); }
  ManagerHarness(const ManagerHarness&) = delete;
  ManagerHarness& operator=(const ManagerHarness&) = delete;

  // Opens over what is stored, adds machines, resumes. Throws what open() or resume() refuse.
  ResumeReport open(const Setup& setup);
  Result<ResumeReport> try_open(const Setup& setup);
  // The process dies now: what is durable at this instant is what the next open() finds. Handlers still under way are
  // told to stop and waited for, since they use what the test owns; nothing they do counts.
  void crash();
  void close();  // an orderly end; waits for handlers too

  Manager& manager() { return *manager_; }
  MemoryRunStore& store() { return *store_; }
  ManagerOptions& options() { return options_; }

  // The next event of this kind, passing over all others. Throws when the manager closes first.
  RunEvent await(EventKind kind);
  // The names of a run's stored events: "started", "completed greet", ...
  std::vector<std::string> story(RunVersion version);
  // A run's end, waited for: "completed", "failed: message", ...
  std::string ending(RunVersion version);

  sys::ManualClock clock;

 private:
  ManagerOptions options_;
  std::shared_ptr<MemoryRunData> data_ = std::make_shared<MemoryRunData>();
  MemoryRunStore* store_ = nullptr;
  std::unique_ptr<Manager> manager_;
  std::unique_ptr<Subscription> events_;
};

// Where handlers wait until a test lets them go on. Thread-safe.
class Gate {
 public:
  // Called by a handler: counts, and blocks until open() or the token fires (false).
  bool pass(const std::stop_token& stop);
  void block();  // the same, deaf to any token
  // Called by the test: until so many have arrived, ever.
  void await_arrivals(int count);
  void open();
  void await_all_left();  // after this the gate may go
  [[nodiscard]] int arrivals() const;
  [[nodiscard]] int most_at_once() const;

 private:
  void arrive();

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool open_ = false;
  int arrivals_ = 0;
  int inside_ = 0;
  int most_ = 0;
};

}  // namespace slipway::fsm
