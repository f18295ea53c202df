#include "fsm/testing/memory_run_store.h"

#include <gtest/gtest.h>

#include "fsm/testing/run_store_contract.h"

namespace slipway::fsm {
namespace {

class MemoryHarness final : public RunStoreHarness {
 public:
  Result<std::unique_ptr<RunStore>> open() override { return std::make_unique<MemoryRunStore>(data_); }

 private:
  std::shared_ptr<MemoryRunData> data_ = std::make_shared<MemoryRunData>();
};

INSTANTIATE_TEST_SUITE_P(Memory, RunStoreContract,
                         testing::Values(run_store_contract([] { return std::make_unique<MemoryHarness>(); })));

// A run to write, with all that its writes point to.
struct Sample {
  RunSpec spec;
  RunState state = Running{};
  Progress progress{.state = Running{}, .position = 1};
  std::string request = "request";

  Sample() {
    spec.version = RunVersion(Ulid(1, 1));
    spec.machine = "machine";
    spec.id = "id";
    spec.plan = std::make_shared<const Plan>(Plan{{"a"}, "end"});
  }
  [[nodiscard]] std::vector<Write> start() const { return {StartWrite{&spec, &state, &request, {}}}; }
  [[nodiscard]] std::vector<Write> move() const { return {MoveWrite{spec.version, 0, &progress, nullptr, {}}}; }
};

TEST(MemoryRunStore, FailsTheNextCommitsAndAppliesNothingOfThem) {
  MemoryRunStore store;
  const Sample sample;
  store.fail_next_commits(2, Error(ErrorKind::kNoSpace, "full"));
  EXPECT_TRUE(store.commit({})) << "an empty commit has nothing to fail";
  for (int i = 0; i < 2; ++i) {
    auto failed = store.commit(sample.start());
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().kind(), ErrorKind::kNoSpace);
    EXPECT_EQ(store.find(sample.spec.version).value(), std::nullopt);
  }
  EXPECT_EQ(store.commits(), 0U);
  EXPECT_TRUE(store.commit(sample.start()));
  EXPECT_EQ(store.commits(), 1U);
}

TEST(MemoryRunStore, ASnapshotIsWhatACrashWouldLeave) {
  MemoryRunStore store;
  const Sample sample;
  ASSERT_TRUE(store.commit(sample.start()));
  store.in_flight().enter(5, sample.spec.version);
  MemoryRunStore crashed(store.snapshot());
  ASSERT_TRUE(store.commit(sample.move()));
  EXPECT_EQ(crashed.found_in_flight(), std::vector{sample.spec.version});
  EXPECT_EQ((*crashed.find(sample.spec.version))->progress.position, 0U);
  EXPECT_EQ((*store.find(sample.spec.version))->progress.position, 1U);
}

}  // namespace
}  // namespace slipway::fsm
