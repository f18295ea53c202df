// The contract of retention, in-flight marks, durability, and of reading while others write.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "fsm/testing/run_store_contract.h"

namespace slipway::fsm {

void link_run_store_contract_keeping() {}

namespace {

using std::chrono::hours;
using Versions = std::vector<RunVersion>;

TEST_P(RunStoreContract, RunsPastTheirAgeAreRemovedWithTheirHistory) {
  const RunVersion old = finished("machine", "old", kNow - hours(3));
  const RunVersion exactly = finished("machine", "exactly", kNow - hours(2));
  const RunVersion young = finished("machine", "young", kNow - hours(1));
  const RunVersion active = started("machine", "active");
  EXPECT_EQ(remove({.max_age = hours(2), .max_count = {}}), 1U);
  EXPECT_EQ(list({}), (Versions{active, young, exactly}));
  EXPECT_FALSE(exists(old));
  EXPECT_TRUE(history(old).empty());
  EXPECT_EQ(store().latest("machine", "old").value(), std::nullopt);
  EXPECT_EQ(history(young).size(), 2U);
  EXPECT_EQ(remove({.max_age = hours(2), .max_count = {}}), 0U);
  reopen();
  EXPECT_EQ(list({}), (Versions{active, young, exactly}));
}

TEST_P(RunStoreContract, RunsBeyondTheCountAreRemovedOldestEndingFirst) {
  const RunVersion a = finished("machine", "a", kNow + hours(3));  // the oldest run, but the last to end
  const RunVersion b = finished("machine", "b", kNow + hours(2));
  const RunVersion c = finished("machine", "c", kNow + hours(1));
  const RunVersion active = started("machine", "active");
  EXPECT_EQ(remove({.max_age = {}, .max_count = 3}), 0U);
  EXPECT_EQ(remove({.max_age = {}, .max_count = 2}), 1U);
  EXPECT_EQ(list({}), (Versions{active, b, a}));
  const RunVersion d = finished("machine", "d", kNow + hours(4));
  EXPECT_EQ(remove({.max_age = {}, .max_count = 2}), 1U);
  EXPECT_EQ(list({}), (Versions{d, active, a}));
  EXPECT_EQ(remove({.max_age = {}, .max_count = 0}), 2U);
  EXPECT_EQ(list({}), (Versions{active}));
  EXPECT_FALSE(exists(c));
}

TEST_P(RunStoreContract, EitherLimitIsEnoughToGoAndNoneKeepsAll) {
  for (int i = 0; i < 6; ++i) finished("machine", std::to_string(i), kNow - hours(i));
  EXPECT_EQ(remove({.max_age = {}, .max_count = {}}), 0U);
  EXPECT_EQ(remove({.max_age = hours(3), .max_count = 6}), 2U);   // 4 and 5 hours
  EXPECT_EQ(remove({.max_age = hours(99), .max_count = 3}), 1U);  // 3 hours
  EXPECT_EQ(list({}).size(), 3U);
}

TEST_P(RunStoreContract, ARemovalIsOfAtMostSoMany) {
  for (int i = 0; i < 10; ++i) finished("machine", std::to_string(i), kNow - hours(i));
  const Retention nothing{.max_age = {}, .max_count = 0};
  EXPECT_EQ(remove(nothing, kNow, 0), 0U);
  EXPECT_EQ(remove(nothing, kNow, 4), 4U);
  EXPECT_EQ(list({}).size(), 6U);
  EXPECT_EQ(get(list({}).back()).spec.id, "0");
  EXPECT_EQ(remove(nothing, kNow, 4), 4U);
  EXPECT_EQ(remove(nothing, kNow, 4), 2U);
  EXPECT_EQ(remove(nothing, kNow, 4), 0U);
}

TEST_P(RunStoreContract, APartOfAnActiveRunStays) {
  const RunSpec whole = spec("machine", "whole");
  ASSERT_TRUE(applied(start(whole)));
  RunSpec part = spec("machine", "part");
  part.parent = whole.version;
  ASSERT_TRUE(applied(start(part)));
  ASSERT_TRUE(applied(move(part.version, 1, {.state = Finished{Ending::kCompleted, {}, kNow - hours(9)}})));
  const Retention nothing{.max_age = {}, .max_count = 0};
  EXPECT_EQ(remove(nothing), 0U);
  ASSERT_TRUE(applied(move(whole.version, 1, {.state = Finished{Ending::kCompleted, {}, kNow}})));
  EXPECT_EQ(remove(nothing), 2U);
}

TEST_P(RunStoreContract, ARunThatAnActiveOneFollowsStays) {
  const RunVersion followed = finished("machine", "followed", kNow - hours(9));
  const RunVersion other = finished("machine", "other", kNow - hours(8));
  RunSpec follower = spec("machine", "follower");
  follower.after = followed;
  ASSERT_TRUE(applied(start(follower, Following{})));
  EXPECT_EQ(remove({.max_age = {}, .max_count = 1}), 0U);  // the one beyond the count is the one that is followed
  EXPECT_EQ(remove({.max_age = hours(1), .max_count = {}}), 1U);
  EXPECT_TRUE(exists(followed));
  EXPECT_FALSE(exists(other));
  EXPECT_EQ(history(followed).size(), 2U);
  ASSERT_TRUE(applied(move(follower.version, 1, {.state = Finished{Ending::kCompleted, {}, kNow}})));
  EXPECT_EQ(remove({.max_age = hours(1), .max_count = {}}), 1U);
  EXPECT_FALSE(exists(followed));
}

TEST_P(RunStoreContract, ActiveRunsAreNeverRemoved) {
  const RunState states[] = {Following{}, Queued{}, Parked{"why"}, Finishing{Ending::kFailed, {}}};
  for (const auto& state : states) started("machine", std::string(name_of(state)), state);
  EXPECT_EQ(remove({.max_age = Duration(0), .max_count = 0}, kNow + hours(1'000'000)), 0U);
  EXPECT_EQ(list({}).size(), 4U);
}

TEST_P(RunStoreContract, TheGreatestVersionIsRememberedAfterItsRemoval) {
  started("machine", "small");
  const RunVersion greatest = finished("machine", "great");
  EXPECT_EQ(store().greatest_version().value(), greatest);
  ASSERT_EQ(remove({.max_age = {}, .max_count = 0}), 1U);
  EXPECT_EQ(store().greatest_version().value(), greatest);
  reopen();
  EXPECT_EQ(store().greatest_version().value(), greatest);
  const RunVersion greater = started("machine", "greater");
  EXPECT_EQ(store().greatest_version().value(), greater);
}

TEST_P(RunStoreContract, AStoreGoesOnAfterItsNewestRunWasRemoved) {
  const RunVersion kept = started("machine", "kept");
  finished("machine", "newest");
  ASSERT_EQ(remove({.max_age = {}, .max_count = 0}), 1U);
  reopen();
  const std::string response(5000, 'r');
  const RunSpec next = spec("machine", "next");
  ASSERT_TRUE(applied(start(next)));
  ASSERT_TRUE(applied(move(kept, 1, {.state = Running{}}, &response)));
  EXPECT_EQ(get(next.version).response, "");
  EXPECT_EQ(history(next.version).size(), 1U);
  EXPECT_EQ(history(kept).size(), 2U);
}

TEST_P(RunStoreContract, MarksTellWhoWasInsideWhenTheOwnerDied) {
  const RunVersion inside = started("machine", "inside");
  const RunVersion left = started("machine", "left");
  const RunVersion replaced = started("machine", "replaced");
  const RunVersion last = started("machine", "last");
  auto& marks = store().in_flight();
  ASSERT_GE(marks.slots(), 4U);
  EXPECT_TRUE(store().found_in_flight().empty());
  marks.enter(0, inside);
  marks.enter(1, left);
  marks.leave(1);
  marks.enter(2, replaced);
  marks.enter(2, inside);
  marks.enter(marks.slots() - 1, last);
  reopen();
  EXPECT_EQ(store().found_in_flight(), (Versions{inside, last}));
  reopen();  // an owner that died before it cleared them has learnt nothing
  EXPECT_EQ(store().found_in_flight(), (Versions{inside, last}));
}

TEST_P(RunStoreContract, ClearedMarksAreGone) {
  const RunVersion inside = started("machine", "inside");
  store().in_flight().enter(0, inside);
  store().in_flight().enter(3, inside);
  store().in_flight().clear();
  reopen();
  EXPECT_TRUE(store().found_in_flight().empty());
}

TEST_P(RunStoreContract, MarksOfRunsThatAreNotActiveAreNoneOfItsBusiness) {
  store().in_flight().enter(0, finished("machine", "done"));
  store().in_flight().enter(1, RunVersion(Ulid(7, 7)));
  reopen();
  EXPECT_TRUE(store().found_in_flight().empty());
}

TEST_P(RunStoreContract, ManyRunsSurviveReopening) {
  std::vector<RunSpec> specs;
  specs.reserve(500);
  for (int i = 0; i < 500; ++i) specs.push_back(spec("machine", std::to_string(i)));
  const RunState state = Running{};
  std::vector<Write> writes;
  writes.reserve(specs.size());
  for (const auto& each : specs) {
    writes.emplace_back(StartWrite{&each, &state, &each.id, {event(EventKind::kStarted)}});
  }
  for (const auto& result : commit(writes)) ASSERT_TRUE(applied(result));
  reopen();
  writes.clear();
  const Progress progress{.state = state, .position = 1, .arrival = 1};
  for (const auto& each : specs) {
    writes.emplace_back(MoveWrite{each.version, 1, &progress, &each.machine, {event(EventKind::kCompleted, "a")}});
  }
  for (const auto& result : commit(writes)) ASSERT_TRUE(applied(result));
  reopen();
  const auto runs = load();
  ASSERT_EQ(runs.size(), specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    EXPECT_EQ(runs[i].record.spec.id, specs[i].id);
    EXPECT_EQ(runs[i].record.request, specs[i].id);
    EXPECT_EQ(runs[i].record.response, "machine");
    EXPECT_EQ(runs[i].record.progress, progress);
  }
  EXPECT_EQ(history(specs.back().version).size(), 2U);
}

// Each batch moves both runs: a reader that sees them apart has seen half of one.
TEST_P(RunStoreContract, ReadersSeeWholeBatchesWhileAnotherThreadWrites) {
  const RunVersion one = started("machine", "1");
  const RunVersion two = started("machine", "2");
  std::atomic<bool> stop = false;
  std::atomic<int> reads = 0;
  std::thread reader([&] {
    std::uint64_t before = 0;
    while (!stop) {
      auto runs = store().list({.machine = "machine"});
      ASSERT_TRUE(runs) << runs.error().describe();
      ASSERT_EQ(runs->size(), 2U);
      EXPECT_EQ(runs->at(0).progress, runs->at(1).progress);
      EXPECT_EQ(runs->at(0).seq, runs->at(1).seq);
      EXPECT_GE(runs->at(0).seq, before);
      before = runs->at(0).seq;
      auto events = store().history(one);
      ASSERT_TRUE(events) << events.error().describe();
      EXPECT_GE(events->size(), before);
      ++reads;
    }
  });
  std::uint64_t seq = 1;
  for (; seq < 400 || reads < 20; ++seq) {
    const Progress progress{.state = Running{}, .arrival = static_cast<std::uint32_t>(seq)};
    const auto results = commit({MoveWrite{one, seq, &progress, nullptr, {event(EventKind::kCompleted, "a")}},
                                 MoveWrite{two, seq, &progress, nullptr, {event(EventKind::kCompleted, "a")}}});
    if (!applied(results.at(0)) || !applied(results.at(1)) || HasFailure()) break;
  }
  stop = true;
  reader.join();
  EXPECT_EQ(get(one).seq, seq);
}

}  // namespace
}  // namespace slipway::fsm
