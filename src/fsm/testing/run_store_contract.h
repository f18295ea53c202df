// What every RunStore must do (fsm/run_store.h), as a suite that each implementation runs:
//
//   INSTANTIATE_TEST_SUITE_P(Memory, RunStoreContract, testing::Values(run_store_contract([] { return ...; })));
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fsm/run_store.h"

namespace slipway::fsm {

// One store that can be closed and opened again. Made empty for each test.
class RunStoreHarness {
 public:
  RunStoreHarness() = default;
  RunStoreHarness(const RunStoreHarness&) = delete;
  RunStoreHarness& operator=(const RunStoreHarness&) = delete;
  virtual ~RunStoreHarness() = default;

  // The same store each time, as its last owner left it. That owner is gone by then.
  [[nodiscard]] virtual Result<std::unique_ptr<RunStore>> open() = 0;
};

struct RunStoreFactory {
  std::function<std::unique_ptr<RunStoreHarness>()> make;
};
void PrintTo(const RunStoreFactory& factory, std::ostream* out);
void PrintTo(const RunVersion& version, std::ostream* out);

// Use this and not RunStoreFactory{}: it makes the linker take all files of the suite out of their library.
[[nodiscard]] RunStoreFactory run_store_contract(std::function<std::unique_ptr<RunStoreHarness>()> make);

class RunStoreContract : public testing::TestWithParam<RunStoreFactory> {
 protected:
  static constexpr TimePoint kNow = from_micros(1'700'000'000'000'000);

  void SetUp() override;
  [[nodiscard]] RunStore& store() { return *store_; }
  void reopen();

  // A spec with a version greater than all before.
  [[nodiscard]] RunSpec spec(std::string machine, std::string id);
  [[nodiscard]] static Event event(EventKind kind, std::string transition = {});

  // Commits of one write; its result.
  WriteResult start(const RunSpec& spec, const RunState& state = Running{}, const std::string& request = {},
                    std::vector<Event> events = {event(EventKind::kStarted)});
  WriteResult move(RunVersion version, std::uint64_t base_seq, const Progress& progress,
                   const std::string* response = nullptr,
                   std::vector<Event> events = {event(EventKind::kCompleted, "a")});
  WriteResult cancel(RunVersion version, std::uint64_t base_seq, std::string cause);
  std::vector<WriteResult> commit(const std::vector<Write>& writes);

  // Started, applied, with one event.
  RunVersion started(const std::string& machine, const std::string& id, const RunState& state = Running{});
  // Started and finished at `at`, with two events.
  RunVersion finished(const std::string& machine, const std::string& id, TimePoint at = kNow,
                      Ending ending = Ending::kCompleted);

  [[nodiscard]] RunRecord get(RunVersion version);  // fails the test when it is not there
  [[nodiscard]] bool exists(RunVersion version);
  [[nodiscard]] std::vector<RunVersion> list(const RunFilter& filter);
  [[nodiscard]] std::vector<RunEvent> history(RunVersion version);
  [[nodiscard]] std::vector<RunStore::ActiveRun> load(std::size_t payload_limit = 1 << 20);
  std::size_t remove(const Retention& keep, TimePoint now = kNow, std::size_t most = 1000);

  const std::shared_ptr<const Plan> plan_ = std::make_shared<const Plan>(Plan{{"a", "b", "c"}, "end"});

 private:
  std::unique_ptr<RunStoreHarness> harness_;
  std::unique_ptr<RunStore> store_;
  UlidSource versions_{1};
};

[[nodiscard]] inline bool applied(const WriteResult& result) { return std::holds_alternative<Applied>(result); }
[[nodiscard]] inline bool fenced(const WriteResult& result) { return std::holds_alternative<Fenced>(result); }
// The version that stands in the way; none when the result is another.
[[nodiscard]] inline RunVersion in_the_way(const WriteResult& result) {
  const auto* active = std::get_if<AlreadyActive>(&result);
  return active == nullptr ? RunVersion() : active->version;
}

}  // namespace slipway::fsm
