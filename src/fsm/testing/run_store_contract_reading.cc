// The contract of reading.
#include <algorithm>
#include <string>
#include <vector>

#include "fsm/testing/run_store_contract.h"

namespace slipway::fsm {

void link_run_store_contract_reading() {}

namespace {

using Phase = RunFilter::Phase;
using Versions = std::vector<RunVersion>;

TEST_P(RunStoreContract, AnEmptyStoreAnswersEverything) {
  const RunVersion unknown(Ulid(1, 1));
  EXPECT_FALSE(exists(unknown));
  EXPECT_EQ(store().latest("machine", "id").value(), std::nullopt);
  EXPECT_TRUE(list({}).empty());
  EXPECT_TRUE(history(unknown).empty());
  EXPECT_TRUE(load().empty());
  EXPECT_EQ(store().greatest_version().value(), RunVersion());
  EXPECT_EQ(remove({.max_age = Duration(0), .max_count = 0}), 0U);
  EXPECT_TRUE(store().found_in_flight().empty());
}

TEST_P(RunStoreContract, LatestIsTheNewestRunOfItsMachineAndId) {
  const RunVersion first = finished("machine", "id");
  const RunVersion second = finished("machine", "id", kNow - std::chrono::hours(1));
  EXPECT_EQ(store().latest("machine", "id").value(), second);
  const RunVersion third = started("machine", "id");
  EXPECT_EQ(store().latest("machine", "id").value(), third);
  EXPECT_NE(first, third);
  EXPECT_EQ(store().latest("other", "id").value(), std::nullopt);
}

TEST_P(RunStoreContract, ListIsNewestFirstWithoutPayloads) {
  const RunSpec old = spec("machine", "old");
  const RunSpec young = spec("machine", "young");
  ASSERT_TRUE(applied(start(young, Running{}, "request")));  // stored first, but the younger version
  ASSERT_TRUE(applied(start(old, Running{}, std::string(5000, 'r'))));
  const std::string response = "response";
  ASSERT_TRUE(applied(move(young.version, 1, {.state = Running{}, .position = 1}, &response)));
  auto listed = store().list({});
  ASSERT_TRUE(listed) << listed.error().describe();
  ASSERT_EQ(listed->size(), 2U);
  EXPECT_EQ(listed->at(0).spec.version, young.version);
  EXPECT_EQ(listed->at(1).spec.version, old.version);
  EXPECT_EQ(listed->at(0).spec.id, "young");
  EXPECT_EQ(*listed->at(0).spec.plan, *plan_);
  EXPECT_EQ(listed->at(0).progress.position, 1U);
  EXPECT_EQ(listed->at(0).seq, 2U);
  for (const auto& run : *listed) EXPECT_EQ(run.request + run.response, "");
}

TEST_P(RunStoreContract, ListFindsByEachField) {
  const RunVersion parent = started("parent", "p", Queued{});
  RunSpec child = spec("child", "c");
  child.parent = parent;
  child.started_at = kNow + std::chrono::hours(2);
  ASSERT_TRUE(applied(start(child, BackingOff{kNow})));
  const RunVersion failed = finished("parent", "f", kNow, Ending::kFailed);
  const RunVersion done = finished("child", "d");
  const RunVersion ending = started("child", "e", Finishing{Ending::kFailed, {}});

  EXPECT_EQ(list({}), (Versions{ending, done, failed, child.version, parent}));
  EXPECT_EQ(list({.phase = Phase::kActive}), (Versions{ending, child.version, parent}));
  EXPECT_EQ(list({.phase = Phase::kFinished}), (Versions{done, failed}));
  EXPECT_EQ(list({.machine = "parent"}), (Versions{failed, parent}));
  EXPECT_EQ(list({.id = "d"}), (Versions{done}));
  EXPECT_EQ(list({.machine = "parent", .id = "d"}), Versions{});
  EXPECT_EQ(list({.state = "queued"}), (Versions{parent}));
  EXPECT_EQ(list({.state = "backing-off"}), (Versions{child.version}));
  EXPECT_EQ(list({.state = "finished"}), (Versions{done, failed}));
  EXPECT_EQ(list({.state = "parked"}), Versions{});
  EXPECT_EQ(list({.ending = Ending::kFailed}), (Versions{ending, failed}));
  EXPECT_EQ(list({.phase = Phase::kFinished, .ending = Ending::kFailed}), (Versions{failed}));
  EXPECT_EQ(list({.parent = parent}), (Versions{child.version}));
  EXPECT_EQ(list({.phase = Phase::kFinished, .parent = parent}), Versions{});
  EXPECT_EQ(list({.started_from = child.started_at}), (Versions{child.version}));
  EXPECT_EQ(list({.started_before = child.started_at}), (Versions{ending, done, failed, parent}));
  EXPECT_EQ(list({.started_from = kNow + Duration(1), .started_before = child.started_at}), Versions{});
  EXPECT_EQ(list({.older_than = failed}), (Versions{child.version, parent}));
  EXPECT_EQ(list({.phase = Phase::kActive,
                  .machine = "child",
                  .id = "e",
                  .state = "finishing",
                  .ending = Ending::kFailed,
                  .started_from = kNow}),
            (Versions{ending}));
}

TEST_P(RunStoreContract, ListRefusesAStateThatDoesNotExist) {
  auto listed = store().list({.state = "Running"});
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().kind(), ErrorKind::kInvalid);
}

TEST_P(RunStoreContract, ListGivesPages) {
  Versions all;
  for (int i = 0; i < 25; ++i) {
    const std::string id = std::to_string(i);
    all.insert(all.begin(), i % 2 == 0 ? started("machine", id) : finished("machine", id));
  }
  for (const auto phase : {Phase::kAny, Phase::kActive, Phase::kFinished}) {
    Versions paged;
    RunFilter filter{.phase = phase, .limit = 4};
    for (;;) {
      const auto page = list(filter);
      EXPECT_LE(page.size(), 4U);
      if (page.empty()) break;
      paged.insert(paged.end(), page.begin(), page.end());
      filter.older_than = page.back();
    }
    EXPECT_EQ(paged, list({.phase = phase}));
    EXPECT_EQ(paged.size(), phase == Phase::kAny ? 25U : phase == Phase::kActive ? 13U : 12U);
  }
  EXPECT_EQ(list({}), all);
  EXPECT_TRUE(list({.limit = 0}).empty());
  EXPECT_EQ(list({.limit = static_cast<std::size_t>(-1)}).size(), 25U);
}

TEST_P(RunStoreContract, HistoryIsInTheOrderOfWritingWhateverTheClockSaid) {
  const RunVersion version = started("machine", "id");
  const RunVersion other = started("machine", "other");
  std::vector<Event> written = {event(EventKind::kStarted)};
  std::uint64_t seq = 1;
  for (int i = 0; i < 6; ++i) {
    Event next = event(i % 2 == 0 ? EventKind::kErrored : EventKind::kCompleted, "step");
    next.at = kNow - std::chrono::hours(i);  // the clock goes back
    next.retry = static_cast<std::uint32_t>(i);
    next.took = Duration(1000 + i);
    next.note = "note";
    if (i % 2 == 0) next.error = Error(ErrorKind::kTimeout, "slow").with_hint("wait");
    written.push_back(next);
    ASSERT_TRUE(applied(move(version, seq, {.state = Running{}}, nullptr, {next})));
    ASSERT_TRUE(applied(move(other, seq, {.state = Running{}})));
    ++seq;
  }
  Event end = event(EventKind::kFinished);
  end.ending = Ending::kHandedOff;
  written.push_back(end);
  ASSERT_TRUE(applied(move(version, seq, {.state = Finished{Ending::kHandedOff, {}, kNow}}, nullptr, {end})));
  reopen();
  const auto events = history(version);
  ASSERT_EQ(events.size(), written.size());
  for (std::size_t i = 0; i < written.size(); ++i) {
    EXPECT_EQ(events[i], (RunEvent{version, "machine", "id", i + 1, written[i]}));
  }
  EXPECT_EQ(history(other).size(), 7U);
}

TEST_P(RunStoreContract, LoadActiveGivesTheUnfinishedOldestFirst) {
  const RunSpec specs[] = {spec("m", "z"), spec("m", "y"), spec("m", "x"), spec("a", "z")};
  for (const int i : {2, 0, 3, 1}) ASSERT_TRUE(applied(start(specs[i], Queued{}, "request " + specs[i].id)));
  const RunVersion done = finished("m", "done");
  reopen();
  const auto runs = load();
  ASSERT_EQ(runs.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(runs[i].record.spec.version, specs[i].version);
    EXPECT_EQ(runs[i].record.request, "request " + specs[i].id);
    EXPECT_EQ(runs[i].record.seq, 1U);
    EXPECT_EQ(*runs[i].record.spec.plan, *plan_);
    EXPECT_TRUE(runs[i].has_payload);
  }
  EXPECT_TRUE(exists(done));
}

TEST_P(RunStoreContract, LoadActiveLeavesOutPayloadsBeyondTheLimit) {
  for (const std::size_t size : {10U, 3000U}) {  // of the request, and of the response
    const std::string payload(size, 'p');
    const RunSpec made = spec("machine", std::to_string(size));
    ASSERT_TRUE(applied(start(made, Running{}, payload)));
    ASSERT_TRUE(applied(move(made.version, 1, {.state = Running{}}, &payload)));
    const auto just = load(2 * size);
    const auto too_small = load(2 * size - 1);
    EXPECT_TRUE(just.at(0).has_payload);
    EXPECT_EQ(just.at(0).record.request, payload);
    EXPECT_EQ(just.at(0).record.response, payload);
    EXPECT_FALSE(too_small.at(0).has_payload);
    EXPECT_EQ(too_small.at(0).record.request + too_small.at(0).record.response, "");
    EXPECT_EQ(get(made.version).request, payload);
    ASSERT_TRUE(applied(move(made.version, 2, {.state = Finished{Ending::kCompleted, {}, kNow}})));
  }
  const RunSpec bare = spec("machine", "bare");
  ASSERT_TRUE(applied(start(bare)));
  EXPECT_TRUE(load(0).at(0).has_payload);
}

TEST_P(RunStoreContract, RunsOfOnePlanShareItAndPlansDoNotMix) {
  const RunVersion one = started("machine", "1");
  RunSpec other = spec("machine", "2");
  other.plan = std::make_shared<const Plan>(Plan{{"a", "b,c"}, "end"});
  ASSERT_TRUE(applied(start(other)));
  RunSpec third = spec("machine", "3");
  third.plan = std::make_shared<const Plan>(Plan{{"a", "b", "c", "end"}, ""});
  ASSERT_TRUE(applied(start(third)));
  RunSpec equal = spec("machine", "4");
  equal.plan = std::make_shared<const Plan>(*plan_);
  ASSERT_TRUE(applied(start(equal)));
  reopen();
  EXPECT_EQ(*get(one).spec.plan, *plan_);
  EXPECT_EQ(*get(other.version).spec.plan, *other.plan);
  EXPECT_EQ(*get(third.version).spec.plan, *third.plan);
  EXPECT_EQ(*get(equal.version).spec.plan, *plan_);
}

}  // namespace
}  // namespace slipway::fsm
