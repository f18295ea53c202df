#include "fsm/sqlite_run_store.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fsm/run_schema.h"
#include "fsm/testing/run_store_contract.h"
#include "store/database.h"
#include "store/vfs.h"
#include "sys/fault.h"
#include "sys/testing/temp_dir.h"

namespace slipway::fsm {
namespace {

namespace fs = std::filesystem;

class SqliteHarness final : public RunStoreHarness {
 public:
  Result<std::unique_ptr<RunStore>> open() override { return SqliteRunStore::open(directory_.file("runs.db")); }

 private:
  sys::TempDir directory_;
};

INSTANTIATE_TEST_SUITE_P(Sqlite, RunStoreContract,
                         testing::Values(run_store_contract([] { return std::make_unique<SqliteHarness>(); })));

constexpr TimePoint kNow = from_micros(1'700'000'000'000'000);

// A run with all that its writes point to.
struct Sample {
  explicit Sample(std::uint64_t number, std::string payload = "request") : request(std::move(payload)) {
    spec.version = RunVersion(Ulid(1000, number));
    spec.machine = "machine";
    spec.id = std::to_string(number);
    spec.plan = std::make_shared<const Plan>(Plan{{"a", "b"}, "end"});
    spec.started_at = kNow;
  }
  [[nodiscard]] Write start() const { return StartWrite{&spec, &state, &request, {{.kind = EventKind::kStarted}}}; }
  [[nodiscard]] Write move(std::uint64_t base_seq) const {
    return MoveWrite{spec.version, base_seq, &progress, &request, {{.kind = EventKind::kCompleted}}};
  }
  [[nodiscard]] Write finish(std::uint64_t base_seq) const {
    return MoveWrite{spec.version, base_seq, &end, nullptr, {{.kind = EventKind::kFinished}}};
  }

  RunSpec spec;
  RunState state = Running{};
  Progress progress{.state = Running{}, .position = 1, .arrival = 1};
  Progress end{.state = Finished{Ending::kCompleted, {}, kNow}, .position = 2, .arrival = 2};
  std::string request;
};

class SqliteRunStoreTest : public testing::Test {
 protected:
  [[nodiscard]] std::string path() const { return directory_.file("runs.db"); }

  [[nodiscard]] std::unique_ptr<RunStore> open() const {
    auto opened = SqliteRunStore::open(path());
    EXPECT_TRUE(opened) << opened.error().describe();
    return opened ? std::move(*opened) : nullptr;
  }

  static Result<> commit(RunStore& store, std::vector<Write> writes) {
    auto results = store.commit(writes);
    if (!results) return fail(std::move(results.error()));
    for (const auto& result : *results) EXPECT_TRUE(applied(result));
    return {};
  }

  // Runs SQL on the file of a store that is closed.
  void damage(std::string_view sql) const {
    auto db = store::Database::open({.path = path()});
    ASSERT_TRUE(db) << db.error().describe();
    auto done = db->execute(sql);
    ASSERT_TRUE(done) << done.error().describe();
  }

  static constexpr std::uint64_t kNumber = 7;
  const Sample sample_{kNumber};
  sys::TempDir directory_;
};

TEST_F(SqliteRunStoreTest, MakesMissingDirectoriesAndPrivateFiles) {
  const std::string deep = directory_.file("a/b/runs.db");
  auto opened = SqliteRunStore::open(deep);
  ASSERT_TRUE(opened) << opened.error().describe();
  ASSERT_TRUE(commit(**opened, {sample_.start()}));
  for (const char* suffix : {"", "-wal", "-shm", ".inflight"}) {
    struct stat status{};
    ASSERT_EQ(::stat((deep + suffix).c_str(), &status), 0) << suffix;
    EXPECT_EQ(status.st_mode & 0077, 0U) << suffix;
  }
}

TEST_F(SqliteRunStoreTest, ADirectoryThatCannotBeIsAClearError) {
  std::ofstream(directory_.file("file")) << "in the way";
  auto opened = SqliteRunStore::open(directory_.file("file/runs.db"));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind(), ErrorKind::kInvalid);
  EXPECT_NE(opened.error().message().find(directory_.file("file")), std::string::npos);
}

TEST_F(SqliteRunStoreTest, ASecondOwnerIsRefusedAndToldWhoTheFirstIs) {
  auto first = open();
  auto second = SqliteRunStore::open(path());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind(), ErrorKind::kConflict);
  EXPECT_NE(second.error().message().find(std::to_string(::getpid())), std::string::npos) << second.error().message();
  EXPECT_TRUE(commit(*first, {sample_.start()}));
  first.reset();
  EXPECT_TRUE(open());
}

TEST_F(SqliteRunStoreTest, AStoreOfANewerProgramIsRefusedUntouched) {
  open().reset();
  damage("PRAGMA user_version = 99");
  auto opened = SqliteRunStore::open(path());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind(), ErrorKind::kUnsupported);
  EXPECT_EQ(open_run_reader(path()).error().kind(), ErrorKind::kUnsupported);
}

TEST_F(SqliteRunStoreTest, AReaderSeesWhatTheOwnerCommits) {
  EXPECT_EQ(open_run_reader(path()).error().kind(), ErrorKind::kNotFound);
  auto owner = open();
  auto reader = open_run_reader(path());
  ASSERT_TRUE(reader) << reader.error().describe();
  EXPECT_EQ((*reader)->find(sample_.spec.version).value(), std::nullopt);
  ASSERT_TRUE(commit(*owner, {sample_.start()}));
  auto found = (*reader)->find(sample_.spec.version);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->spec.id, sample_.spec.id);
  EXPECT_EQ((*reader)->history(sample_.spec.version)->size(), 1U);
  owner.reset();
  EXPECT_EQ((*reader)->list({})->size(), 1U);
  auto after = open_run_reader(path());
  ASSERT_TRUE(after) << after.error().describe();
  EXPECT_EQ((*after)->list({})->size(), 1U);
}

TEST_F(SqliteRunStoreTest, ACommitIsOneSyncAndOneWithoutEffectIsNone) {
  auto store = open();
  ASSERT_TRUE(commit(*store, {sample_.start()}));
  auto before = store::vfs_stats().syncs;
  std::vector<Sample> many;
  for (std::uint64_t i = 100; i < 200; ++i) many.emplace_back(i);
  std::vector<Write> writes;
  writes.reserve(many.size());
  for (const auto& sample : many) writes.push_back(sample.start());
  ASSERT_TRUE(commit(*store, writes));
  EXPECT_EQ(store::vfs_stats().syncs - before, 1U);

  before = store::vfs_stats().syncs;
  ASSERT_TRUE(store->commit({}));
  Sample again(1);
  again.spec.id = sample_.spec.id;
  again.spec.plan = std::make_shared<const Plan>(Plan{{"another", "plan"}, "end"});
  const std::vector<Write> refused = {sample_.move(99), again.start()};
  auto results = store->commit(refused);
  ASSERT_TRUE(results);
  EXPECT_TRUE(fenced(results->at(0)));
  EXPECT_EQ(in_the_way(results->at(1)), sample_.spec.version);
  EXPECT_EQ(store->remove_finished({}, kNow, 100).value(), 0U);
  EXPECT_EQ(store::vfs_stats().syncs, before);

  again.spec.id = "free";
  ASSERT_TRUE(commit(*store, {again.start()})) << "the plan of the refused start was not written, and is now";
  EXPECT_EQ(*(*store->find(again.spec.version))->spec.plan, *again.spec.plan);
}

TEST_F(SqliteRunStoreTest, AFailedCommitLeavesNothingAndTheNextOneWorks) {
  const std::pair<const char*, ErrorKind> faults[] = {{"fsm.commit.before", ErrorKind::kIo},
                                                      {"fsm.commit.written", ErrorKind::kIo},
                                                      {"store.write", ErrorKind::kNoSpace},
                                                      {"store.sync", ErrorKind::kIo}};
  auto store = open();
  std::uint64_t number = 100;
  std::uint64_t seq = 0;
  ASSERT_TRUE(commit(*store, {sample_.start()}));
  ++seq;
  for (const auto& [point, kind] : faults) {
    Sample fresh(++number, std::string(10'000, 'p'));
    fresh.spec.plan = std::make_shared<const Plan>(Plan{{"of", "its", point}, "end"});
    {
      const fault::Scope fault(point, {.times = 1, .error = Error(kind, "injected")});
      const std::vector<Write> writes = {fresh.start(), sample_.move(seq)};
      auto failed = store->commit(writes);
      ASSERT_FALSE(failed) << point;
      EXPECT_EQ(failed.error().kind(), kind) << point << ": " << failed.error().describe();
      EXPECT_EQ(fault.acted(), 1) << point;
    }
    EXPECT_EQ(store->find(fresh.spec.version).value(), std::nullopt) << point;
    EXPECT_EQ((*store->find(sample_.spec.version))->seq, seq) << point;
    ASSERT_TRUE(commit(*store, {fresh.start(), sample_.move(seq)})) << point;
    ++seq;
    EXPECT_EQ(*(*store->find(fresh.spec.version))->spec.plan, *fresh.spec.plan);
    EXPECT_EQ(store->history(sample_.spec.version)->size(), seq) << point;
  }
  store.reset();
  store = open();
  EXPECT_EQ(store->history(sample_.spec.version)->size(), seq);
  EXPECT_EQ(store->list({})->size(), 5U);
}

TEST_F(SqliteRunStoreTest, AFaultAfterTheCommitCannotFailIt) {
  auto store = open();
  const fault::Scope fault("fsm.commit.after", {.times = 1});
  EXPECT_TRUE(commit(*store, {sample_.start()}));
  EXPECT_EQ(fault.acted(), 1);
}

TEST_F(SqliteRunStoreTest, AFailedRemovalLeavesAllAndIsRepeated) {
  auto store = open();
  ASSERT_TRUE(commit(*store, {sample_.start(), sample_.finish(1)}));
  const Retention nothing{.max_age = {}, .max_count = 0};
  {
    const fault::Scope fault("store.sync", {.times = 1});
    EXPECT_FALSE(store->remove_finished(nothing, kNow, 10));
  }
  EXPECT_EQ(store->history(sample_.spec.version)->size(), 2U);
  EXPECT_EQ(store->remove_finished(nothing, kNow, 10).value(), 1U);
  EXPECT_EQ(store->remove_finished(nothing, kNow, 10).value(), 0U);
}

// The child is killed at `point` of its second commit; what it had written by then is what the store has.
class KilledAt : public SqliteRunStoreTest,
                 public testing::WithParamInterface<std::pair<const char*, std::uint64_t>> {};

TEST_P(KilledAt, LeavesWholeCommitsOnly) {
  const auto& [point, seq] = GetParam();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const fault::Scope fault(point, {.skip = 1, .action = fault::Action::kKill});
    auto store = SqliteRunStore::open(path());
    if (!store || !(*store)->commit(std::vector{sample_.start()})) ::_exit(1);
    (*store)->in_flight().enter(3, sample_.spec.version);
    const auto survived = (*store)->commit(std::vector{sample_.move(1), sample_.move(2)});
    ::_exit(survived ? 2 : 3);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status)) << "exit status " << WEXITSTATUS(status);
  auto store = open();
  ASSERT_TRUE(store);
  auto found = store->find(sample_.spec.version);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->seq, seq);
  EXPECT_EQ((*found)->progress.position, seq == 1 ? 0U : 1U);
  EXPECT_EQ(store->history(sample_.spec.version)->size(), seq);
  EXPECT_EQ(store->found_in_flight(), std::vector{sample_.spec.version});
  EXPECT_TRUE(commit(*store, {sample_.move(seq)}));
}

INSTANTIATE_TEST_SUITE_P(Points, KilledAt,
                         testing::Values(std::pair{"fsm.commit.before", 1}, std::pair{"fsm.commit.written", 1},
                                         std::pair{"fsm.commit.after", 3}));

TEST_F(SqliteRunStoreTest, AWriterThatIsNotAloneIsFenced) {
  auto store = open();
  ASSERT_TRUE(commit(*store, {sample_.start()}));
  damage("UPDATE runs SET seq = 5");  // behind the owner's back
  for (int i = 0; i < 2; ++i) {
    const std::vector<Write> writes = {sample_.move(1), CancelWrite{sample_.spec.version, 1, "late", {}}};
    auto results = store->commit(writes);
    ASSERT_TRUE(results);
    EXPECT_TRUE(fenced(results->at(0)));
    EXPECT_TRUE(fenced(results->at(1)));
  }
  EXPECT_TRUE(commit(*store, {sample_.move(5)}));
}

TEST_F(SqliteRunStoreTest, ADamagedRowIsCorruptAndNamesTheRun) {
  const std::string name = sample_.spec.version.to_string();
  const std::pair<const char*, std::string> cases[] = {
      {"UPDATE runs SET state = 99", name},
      {"UPDATE runs SET state = -1", name},
      {"UPDATE runs SET state = 260", name},
      {"UPDATE runs SET state = 8", name},
      {"UPDATE runs SET state = 2, due = NULL", name},
      {"UPDATE runs SET state = 7, ending = NULL", name},
      {"UPDATE runs SET state = 7, ending = 77", name},
      {"UPDATE runs SET position = -1", name},
      {"UPDATE runs SET retries = 1 << 40", name},
      {"UPDATE runs SET seq = -3", name},
      {"UPDATE runs SET priority = 1 << 50", name},
      {"UPDATE runs SET plan = 1234", name},
      {"UPDATE plans SET names = '{}'", name},
      {"UPDATE plans SET names = 'no json'", name},
      {"UPDATE runs SET parent = x'010203'", name},
      {"UPDATE runs SET after_version = x''", name},
      {"UPDATE runs SET version = x'010203'", "row 1"},
  };
  for (const auto& [sql, names] : cases) {
    fs::remove(path());
    ASSERT_TRUE(commit(*open(), {sample_.start()}));
    damage(sql);
    auto store = open();
    ASSERT_TRUE(store) << sql;
    auto listed = store->list({});
    ASSERT_FALSE(listed) << sql;
    EXPECT_EQ(listed.error().kind(), ErrorKind::kCorrupt) << sql;
    EXPECT_NE(listed.error().message().find(names), std::string::npos) << sql << ": " << listed.error().message();
    auto loaded = store->load_active(1000, [](RunStore::ActiveRun&&) {});
    ASSERT_FALSE(loaded) << sql;
    EXPECT_EQ(loaded.error().kind(), ErrorKind::kCorrupt) << sql;
  }
}

TEST_F(SqliteRunStoreTest, ADamagedHistoryIsCorruptAndItsRunCanBeRemoved) {
  for (const char* sql : {"DELETE FROM events WHERE seq = 2", "UPDATE events SET prev = n WHERE seq = 2",
                          "UPDATE events SET prev = n + 1 WHERE seq = 2", "UPDATE events SET prev = NULL WHERE seq = 3",
                          "UPDATE events SET kind = 55 WHERE seq = 1", "UPDATE events SET run = 9 WHERE seq = 1",
                          "UPDATE events SET ending = 55", "UPDATE events SET retry = -1"}) {
    fs::remove(path());
    ASSERT_TRUE(commit(*open(), {sample_.start(), sample_.move(1), sample_.finish(2)}));
    damage(sql);
    auto store = open();
    auto events = store->history(sample_.spec.version);
    ASSERT_FALSE(events) << sql;
    EXPECT_EQ(events.error().kind(), ErrorKind::kCorrupt) << sql;
    EXPECT_NE(events.error().message().find(sample_.spec.version.to_string()), std::string::npos) << sql;
    EXPECT_EQ(store->remove_finished({.max_age = {}, .max_count = 0}, kNow, 10).value(), 1U) << sql;
    EXPECT_TRUE(store->list({})->empty());
  }
}

TEST_F(SqliteRunStoreTest, AMissingLargePayloadIsCorrupt) {
  const Sample large(1, std::string(50'000, 'x'));
  ASSERT_TRUE(commit(*open(), {large.start()}));
  damage("DELETE FROM payloads");
  auto found = open()->find(large.spec.version);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind(), ErrorKind::kCorrupt);
}

TEST_F(SqliteRunStoreTest, AnErrorOfAKindFromTheFutureIsStillAnError) {
  const RunState failed = Finished{Ending::kFailed, Error(ErrorKind::kIo, "why").with_hint("what to do"), kNow};
  Sample sample(1);
  sample.state = failed;
  ASSERT_TRUE(commit(*open(), {sample.start()}));
  damage("UPDATE runs SET error_kind = 'invented-later'");
  auto found = open()->find(sample.spec.version);
  ASSERT_TRUE(found && *found) << found.error().describe();
  EXPECT_EQ((*found)->progress.state,
            RunState(Finished{Ending::kFailed, Error(ErrorKind::kInternal, "why").with_hint("what to do"), kNow}));
}

TEST_F(SqliteRunStoreTest, RemovalLeavesNothingBehind) {
  {
    auto store = open();
    const Sample large(1, std::string(50'000, 'x'));
    ASSERT_TRUE(commit(*store, {large.start(), large.move(1), large.finish(2), sample_.start(), sample_.finish(1)}));
    ASSERT_EQ(store->remove_finished({.max_age = {}, .max_count = 0}, kNow, 10).value(), 2U);
  }
  auto db = store::Database::open({.path = path()});
  ASSERT_TRUE(db);
  for (const char* table : {"runs", "events", "payloads"}) {
    auto count = db->prepare(fmt::format("SELECT count(*) FROM {}", table));
    ASSERT_TRUE(count && count->step());
    EXPECT_EQ(count->int64(0), 0) << table;
  }
}

}  // namespace
}  // namespace slipway::fsm
