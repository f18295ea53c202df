// The contract of commit().
#include <string>
#include <vector>

#include "fsm/testing/run_store_contract.h"

namespace slipway::fsm {

void link_run_store_contract_writing() {}

namespace {

const Progress kAtB{.state = Running{}, .position = 1, .arrival = 1};
const Progress kDone{.state = Finished{Ending::kCompleted, {}, from_micros(1'700'000'000'000'000)}, .position = 3};
const RunState kRunning = Running{};
const std::string kNothing;

TEST_P(RunStoreContract, AStartedRunIsThereAsItWasGiven) {
  RunSpec given = spec("machine", "id");
  given.queue = "slow";
  given.priority = -7;
  given.not_before = kNow + std::chrono::hours(1);
  given.after = RunVersion(Ulid(1, 2));
  given.after_any_ending = true;
  given.parent = RunVersion(Ulid(3, 4));
  given.started_at = kNow + Duration(5);
  ASSERT_TRUE(applied(start(given, Delayed{kNow + std::chrono::hours(1)}, "the request")));
  reopen();
  const RunRecord found = get(given.version);
  EXPECT_EQ(found.spec.version, given.version);
  EXPECT_EQ(found.spec.machine, "machine");
  EXPECT_EQ(found.spec.id, "id");
  ASSERT_TRUE(found.spec.plan);
  EXPECT_EQ(*found.spec.plan, *given.plan);
  EXPECT_EQ(found.spec.queue, "slow");
  EXPECT_EQ(found.spec.priority, -7);
  EXPECT_EQ(found.spec.not_before, given.not_before);
  EXPECT_EQ(found.spec.after, given.after);
  EXPECT_TRUE(found.spec.after_any_ending);
  EXPECT_EQ(found.spec.parent, given.parent);
  EXPECT_EQ(found.spec.started_at, given.started_at);
  EXPECT_EQ(found.progress, (Progress{.state = Delayed{kNow + std::chrono::hours(1)}}));
  EXPECT_EQ(found.seq, 1U);
  EXPECT_EQ(found.cancel_cause, std::nullopt);
  EXPECT_EQ(found.request, "the request");
  EXPECT_EQ(found.response, "");
}

TEST_P(RunStoreContract, EveryStateIsKeptWithWhatItHolds) {
  const Error error = Error(ErrorKind::kNoSpace, "disk full").with_hint("empty it");
  const RunState states[] = {Following{},
                             Delayed{kNow},
                             Queued{},
                             Running{},
                             BackingOff{kNow + Duration(3)},
                             Awaiting{spec("machine", "other").version},
                             Parked{"it died three times"},
                             Finishing{Ending::kAborted, error},
                             Finishing{Ending::kHandedOff, {}},
                             Finished{Ending::kCancelled, error, kNow + Duration(9)}};
  const RunVersion version = started("machine", "id");
  std::uint64_t seq = 1;
  for (const auto& state : states) {
    const Progress progress{.state = state, .position = 2, .arrival = 40, .retries = 3, .crashes = 1};
    ASSERT_TRUE(applied(move(version, seq++, progress)));
    reopen();
    EXPECT_EQ(get(version).progress, progress) << name_of(state);
  }
}

TEST_P(RunStoreContract, ASecondStartWhileOneIsActiveNamesIt) {
  const RunVersion first = started("machine", "id");
  const RunSpec second = spec("machine", "id");
  EXPECT_EQ(in_the_way(start(second)), first);
  EXPECT_FALSE(exists(second.version));
  EXPECT_TRUE(history(second.version).empty());
  reopen();
  EXPECT_EQ(in_the_way(start(second)), first);
}

TEST_P(RunStoreContract, ASecondStartInTheSameBatchIsRefusedAlone) {
  const RunSpec first = spec("machine", "id");
  const RunSpec second = spec("machine", "id");
  const RunSpec other = spec("machine", "other");
  const auto results =
      commit({StartWrite{&first, &kRunning, &kNothing, {}}, StartWrite{&second, &kRunning, &kNothing, {}},
              StartWrite{&other, &kRunning, &kNothing, {}}});
  EXPECT_TRUE(applied(results.at(0)));
  EXPECT_EQ(in_the_way(results.at(1)), first.version);
  EXPECT_TRUE(applied(results.at(2)));
  EXPECT_FALSE(exists(second.version));
  EXPECT_TRUE(exists(other.version));
}

TEST_P(RunStoreContract, AFinishedRunMayBeStartedAgain) {
  const RunVersion first = finished("machine", "id");
  const RunVersion second = started("machine", "id");
  EXPECT_TRUE(is_finished(get(first).progress.state));
  EXPECT_FALSE(is_finished(get(second).progress.state));
  EXPECT_EQ(history(first).size(), 2U);
  EXPECT_EQ(history(second).size(), 1U);
}

TEST_P(RunStoreContract, FinishAndStartAgainInOneBatch) {
  const RunVersion first = started("machine", "id");
  const RunSpec second = spec("machine", "id");
  const auto results = commit({MoveWrite{first, 1, &kDone, nullptr, {event(EventKind::kFinished)}},
                               StartWrite{&second, &kRunning, &kNothing, {event(EventKind::kStarted)}}});
  EXPECT_TRUE(applied(results.at(0)));
  EXPECT_TRUE(applied(results.at(1)));
}

TEST_P(RunStoreContract, AStartThatIsFinishedAtOnceObeysTheSameRules) {
  const RunState done = Finished{Ending::kFailed, Error(ErrorKind::kConflict, "predecessor failed"), kNow};
  const RunSpec first = spec("machine", "id");
  ASSERT_TRUE(applied(start(first, done)));
  EXPECT_EQ(get(first.version).progress.state, done);
  EXPECT_TRUE(load().empty());
  const RunVersion active = started("machine", "id");
  EXPECT_EQ(in_the_way(start(spec("machine", "id"), done)), active);
  EXPECT_EQ(remove({.max_age = {}, .max_count = 0}), 1U);
}

TEST_P(RunStoreContract, AVersionThatIsTakenIsFenced) {
  const RunVersion taken = finished("machine", "id");
  RunSpec again = spec("machine", "id");
  again.version = taken;
  EXPECT_TRUE(fenced(start(again)));
  again.id = "other";
  EXPECT_TRUE(fenced(start(again)));
  EXPECT_EQ(history(taken).size(), 2U);
  EXPECT_TRUE(load().empty());
}

TEST_P(RunStoreContract, IdsAreComparedExactly) {
  using namespace std::string_literals;
  const std::vector<std::string> ids = {"id",    "ID",       "id ", "i",      "id\0"s, "id\0x"s,
                                        "id'--", "\xff\xfe", "%d",  "\"id\"", "*",     std::string(1024, 'i')};
  std::vector<RunVersion> versions;
  versions.reserve(ids.size());
  for (const auto& id : ids) versions.push_back(started("machine", id));
  const RunVersion elsewhere = started("Machine", "id");
  reopen();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(get(versions[i]).spec.id, ids[i]);
    EXPECT_EQ(in_the_way(start(spec("machine", ids[i]))), versions[i]);
    EXPECT_EQ(store().latest("machine", ids[i]).value(), versions[i]);
    EXPECT_EQ(list({.machine = "machine", .id = ids[i]}), std::vector{versions[i]});
  }
  EXPECT_EQ(store().latest("Machine", "id").value(), elsewhere);
  EXPECT_EQ(store().latest("machine", "none").value(), std::nullopt);
}

TEST_P(RunStoreContract, AMoveOnTheWrongBaseIsFencedAndTheOthersApply) {
  const RunVersion one = started("machine", "1");
  const RunVersion two = started("machine", "2");
  for (const std::uint64_t wrong : {0U, 2U, 99U}) {
    const auto results = commit({MoveWrite{one, wrong, &kAtB, nullptr, {event(EventKind::kCompleted)}},
                                 MoveWrite{two, get(two).seq, &kAtB, nullptr, {event(EventKind::kCompleted)}}});
    EXPECT_TRUE(fenced(results.at(0))) << wrong;
    EXPECT_TRUE(applied(results.at(1))) << wrong;
  }
  EXPECT_EQ(get(one).progress, (Progress{.state = Running{}}));
  EXPECT_EQ(get(one).seq, 1U);
  EXPECT_EQ(history(one).size(), 1U);
  EXPECT_EQ(history(two).size(), 4U);
}

TEST_P(RunStoreContract, MovesOfOneRunInABatchBuildOnEachOther) {
  const RunVersion version = started("machine", "id");
  const auto results = commit({MoveWrite{version, 1, &kAtB, nullptr, {event(EventKind::kCompleted)}},
                               MoveWrite{version, 1, &kAtB, nullptr, {event(EventKind::kErrored)}},
                               MoveWrite{version, 2, &kDone, nullptr, {event(EventKind::kFinished)}}});
  EXPECT_TRUE(applied(results.at(0)));
  EXPECT_TRUE(fenced(results.at(1)));
  EXPECT_TRUE(applied(results.at(2)));
  EXPECT_EQ(get(version).progress, kDone);
  EXPECT_EQ(get(version).seq, 3U);
}

TEST_P(RunStoreContract, AFinishedOrUnknownRunIsFenced) {
  const RunVersion done = finished("machine", "id");
  const RunVersion unknown = spec("machine", "id").version;
  for (const auto version : {done, unknown}) {
    EXPECT_TRUE(fenced(move(version, 2, kAtB)));
    EXPECT_TRUE(fenced(cancel(version, 2, "too late")));
  }
  EXPECT_EQ(get(done).cancel_cause, std::nullopt);
  EXPECT_EQ(get(done).seq, 2U);
  EXPECT_EQ(history(done).size(), 2U);
  EXPECT_TRUE(history(unknown).empty());
}

TEST_P(RunStoreContract, ACancelLeavesProgressAndResponseAlone) {
  const RunVersion version = started("machine", "id");
  const std::string response = "half-way";
  ASSERT_TRUE(applied(move(version, 1, kAtB, &response)));
  EXPECT_TRUE(fenced(cancel(version, 1, "old news")));
  ASSERT_TRUE(applied(cancel(version, 2, "by hand")));
  reopen();
  const RunRecord found = get(version);
  EXPECT_EQ(found.cancel_cause, "by hand");
  EXPECT_EQ(found.progress, kAtB);
  EXPECT_EQ(found.response, "half-way");
  EXPECT_EQ(found.seq, 3U);
  EXPECT_TRUE(fenced(move(version, 2, kAtB)));
  EXPECT_TRUE(applied(move(version, 3, kAtB)));
  EXPECT_EQ(get(version).cancel_cause, "by hand");
}

TEST_P(RunStoreContract, AResponseStaysUntilAMoveBringsAnother) {
  const RunVersion version = started("machine", "id");
  const std::string small = "small";
  const std::string large(100'000, 'x');
  std::uint64_t seq = 1;
  for (const std::string* response : {&small, &large, &small, &kNothing, &large}) {
    ASSERT_TRUE(applied(move(version, seq++, kAtB, response)));
    ASSERT_TRUE(applied(move(version, seq++, kAtB, nullptr)));
    EXPECT_EQ(get(version).response, *response);
  }
  reopen();
  EXPECT_EQ(get(version).response, large);
}

TEST_P(RunStoreContract, AMoveMayHaveNoEventsOrMany) {
  const RunVersion version = started("machine", "id");
  ASSERT_TRUE(applied(move(version, 1, kAtB, nullptr, {})));
  EXPECT_EQ(get(version).seq, 1U);
  ASSERT_TRUE(applied(move(version, 1, kAtB, nullptr,
                           {event(EventKind::kErrored, "a"), event(EventKind::kParked), event(EventKind::kUnparked)})));
  EXPECT_EQ(get(version).seq, 4U);
  EXPECT_EQ(history(version).size(), 4U);
  const RunSpec silent = spec("machine", "silent");
  ASSERT_TRUE(applied(start(silent, kRunning, "", {})));
  EXPECT_EQ(get(silent.version).seq, 0U);
  EXPECT_TRUE(history(silent.version).empty());
  EXPECT_TRUE(applied(move(silent.version, 0, kAtB)));
  EXPECT_EQ(history(silent.version).size(), 1U);
}

TEST_P(RunStoreContract, AnEmptyBatchIsASuccess) { EXPECT_TRUE(commit({}).empty()); }

TEST_P(RunStoreContract, ALiveOnlyEventSpoilsItsBatch) {
  const RunSpec good = spec("machine", "good");
  const RunSpec bad = spec("machine", "bad");
  const std::vector<Write> writes = {StartWrite{&good, &kRunning, &kNothing, {event(EventKind::kStarted)}},
                                     StartWrite{&bad, &kRunning, &kNothing, {event(EventKind::kBegan)}}};
  auto results = store().commit(writes);
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().kind(), ErrorKind::kInvalid);
  EXPECT_FALSE(exists(good.version));
}

TEST_P(RunStoreContract, PayloadsAndTextsAreAnyBytes) {
  using namespace std::string_literals;
  std::string all_bytes;
  for (int i = 0; i < 256; ++i) all_bytes += static_cast<char>(i);
  const std::string texts[] = {""s,
                               "\0"s,
                               "'; DROP TABLE runs; --"s,
                               all_bytes,
                               std::string(1023, '\0'),
                               std::string(1024, 'k'),
                               std::string(1025, '\xff'),
                               std::string((1 << 20) + 1, 'M')};
  for (const auto& text : texts) {
    const RunSpec made = spec("machine", "id");
    ASSERT_TRUE(applied(start(made, kRunning, text)));
    Event told = event(EventKind::kFinished);
    told.error = Error(ErrorKind::kCorrupt, text).with_hint(text);
    told.note = text;
    ASSERT_TRUE(applied(move(made.version, 1, {.state = Parked{text}}, &text, {})));
    EXPECT_EQ(get(made.version).progress.state, RunState(Parked{text}));
    ASSERT_TRUE(applied(cancel(made.version, 1, text)));
    const RunState end = Finished{Ending::kCancelled, told.error, kNow};
    ASSERT_TRUE(applied(move(made.version, 2, {.state = end}, nullptr, {told})));
    reopen();
    const RunRecord found = get(made.version);
    EXPECT_EQ(found.request, text);
    EXPECT_EQ(found.response, text);
    EXPECT_EQ(found.cancel_cause, text);
    EXPECT_EQ(found.progress.state, end);
    EXPECT_EQ(history(made.version).at(2).event, told);
  }
}

}  // namespace
}  // namespace slipway::fsm
