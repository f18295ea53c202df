#include "store/transaction.h"

#include <csignal>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include "sys/fault.h"
#include "sys/testing/child_process.h"
#include "sys/testing/temp_dir.h"

namespace slipway::store {
namespace {

Result<> insert(Database& db, int value) {
  auto transaction = Transaction::begin(db);
  if (!transaction) return fail(std::move(transaction.error()));
  auto statement = db.prepare("INSERT INTO t VALUES (?1)");
  if (!statement) return fail(std::move(statement.error()));
  if (auto ran = statement->run(value); !ran) return ran;
  return transaction->commit();
}

std::vector<std::int64_t> values(Database& db) {
  std::vector<std::int64_t> all;
  auto select = db.prepare("SELECT x FROM t ORDER BY x").value();
  while (select.step().value()) all.push_back(select.int64(0));
  return all;
}

using Values = std::vector<std::int64_t>;

class TransactionTest : public ::testing::Test {
 protected:
  TransactionTest() { db_.execute("CREATE TABLE t(x INTEGER) STRICT").value(); }
  // What a new process would find after this one has died right now: nothing is closed, nothing checkpointed.
  Values values_after_a_crash() {
    const std::string copy = dir_.file("copy.db");
    for (const char* suffix : {"", "-wal"}) {
      std::filesystem::copy_file(path_ + suffix, copy + suffix, std::filesystem::copy_options::overwrite_existing);
    }
    std::filesystem::remove(copy + "-shm");
    auto db = Database::open({.path = copy}).value();
    return values(db);
  }

  sys::TempDir dir_;
  std::string path_ = dir_.file("test.db");
  Database db_ = Database::open({.path = path_}).value();
};

TEST_F(TransactionTest, WhatIsCommittedIsThereAfterACrash) {
  ASSERT_TRUE(insert(db_, 1));
  EXPECT_EQ(values_after_a_crash(), Values{1});
  EXPECT_FALSE(db_.in_transaction());
}

TEST_F(TransactionTest, WhatIsNotCommittedIsRolledBack) {
  {
    auto transaction = Transaction::begin(db_);
    ASSERT_TRUE(transaction);
    ASSERT_TRUE(db_.execute("INSERT INTO t VALUES (1)"));
    EXPECT_EQ(values(db_), Values{1});
  }
  EXPECT_EQ(values(db_), Values{});
  EXPECT_TRUE(insert(db_, 2));
}

TEST_F(TransactionTest, IsOverAfterItsCommit) {
  auto transaction = Transaction::begin(db_);
  ASSERT_TRUE(transaction);
  ASSERT_TRUE(transaction->commit());
  EXPECT_EQ(transaction->commit().error().kind(), ErrorKind::kInternal);
}

TEST_F(TransactionTest, OneAtATimeOnAConnection) {
  auto first = Transaction::begin(db_);
  ASSERT_TRUE(first);
  EXPECT_EQ(Transaction::begin(db_).error().kind(), ErrorKind::kInternal);
  EXPECT_TRUE(first->commit());
}

TEST_F(TransactionTest, AFailedConstraintDoesNotEndIt) {
  ASSERT_TRUE(db_.execute("CREATE TABLE u(x PRIMARY KEY); INSERT INTO u VALUES (1)"));
  auto transaction = Transaction::begin(db_);
  ASSERT_TRUE(transaction);
  ASSERT_TRUE(db_.execute("INSERT INTO t VALUES (7)"));
  EXPECT_EQ(db_.execute("INSERT INTO u VALUES (1)").error().kind(), ErrorKind::kConflict);
  ASSERT_TRUE(transaction->commit());
  EXPECT_EQ(values(db_), Values{7});
}

struct Failure {
  const char* point;
  ErrorKind kind;
  const char* name;

  friend void PrintTo(const Failure& failure, std::ostream* out) { *out << failure.name; }
};

class FailedCommitTest : public TransactionTest, public ::testing::WithParamInterface<Failure> {};

TEST_P(FailedCommitTest, AppliesNothingAndDoesNotPoisonTheConnection) {
  ASSERT_TRUE(insert(db_, 1));
  for (int round = 0; round < 3; ++round) {
    const fault::Scope fault(GetParam().point, {.times = 1, .error = {GetParam().kind, "injected"}});
    const auto failed = insert(db_, 666);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().kind(), GetParam().kind) << failed.error().message();
    EXPECT_EQ(fault.acted(), 1);
    EXPECT_FALSE(db_.in_transaction());
    EXPECT_EQ(values(db_).front(), 1);
    EXPECT_EQ(values(db_).back(), round == 0 ? 1 : 1 + round);
    EXPECT_EQ(values_after_a_crash(), values(db_));  // also before anything else is written
    ASSERT_TRUE(insert(db_, 2 + round));
  }
  EXPECT_EQ(values(db_), (Values{1, 2, 3, 4}));
  EXPECT_EQ(values_after_a_crash(), (Values{1, 2, 3, 4}));
  db_ = Database::open({.path = path_}).value();
  EXPECT_EQ(values(db_), (Values{1, 2, 3, 4}));
}

TEST_P(FailedCommitTest, TakesManyFailuresInARow) {
  {
    const fault::Scope fault(GetParam().point, {.times = -1, .error = {GetParam().kind, "injected"}});
    for (int i = 0; i < 5; ++i) ASSERT_FALSE(insert(db_, 666));
    EXPECT_GE(fault.acted(), 5);
  }
  EXPECT_EQ(values(db_), Values{});
  EXPECT_TRUE(insert(db_, 1));
  EXPECT_EQ(values_after_a_crash(), Values{1});
}

TEST_P(FailedCommitTest, CommitsAreSyncedAgainAfterwards) {
  {
    const fault::Scope fault(GetParam().point, {.times = 1, .error = {GetParam().kind, "injected"}});
    ASSERT_FALSE(insert(db_, 666));
  }
  const auto before = db_.io_stats();
  ASSERT_TRUE(insert(db_, 1));
  EXPECT_EQ(db_.io_stats().syncs, before.syncs + 1);
}

INSTANTIATE_TEST_SUITE_P(Points, FailedCommitTest,
                         ::testing::Values(Failure{"store.write", ErrorKind::kIo, "FailedWrite"},
                                           Failure{"store.write", ErrorKind::kNoSpace, "FullOnWrite"},
                                           Failure{"store.sync", ErrorKind::kIo, "FailedSync"},
                                           Failure{"store.sync", ErrorKind::kNoSpace, "FullOnSync"},
                                           Failure{"store.sync.after", ErrorKind::kIo, "FailedAfterSync"}),
                         [](const auto& test) { return test.param.name; });

// --- A disk that is really full ---

constexpr int kNotPermitted = 77;

// A tmpfs of 1 MiB at `dir`, seen by this process alone.
bool mount_small_disk(const std::string& dir) {
  const std::string users = fmt::format("0 {} 1", ::getuid());
  const std::string groups = fmt::format("0 {} 1", ::getgid());
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  // Without a mapping no file can be created on the new disk.
  std::ofstream("/proc/self/uid_map") << users;
  std::ofstream("/proc/self/setgroups") << "deny";
  std::ofstream("/proc/self/gid_map") << groups;
  return ::mount("none", dir.c_str(), "tmpfs", 0, "size=1m") == 0;
}

// Fills the disk with transactions until one fails; then makes room and goes on. Says what is wrong, if anything.
std::string fill_and_recover(const std::string& path) {
  auto opened = Database::open({.path = path, .wal_autocheckpoint_pages = 0});
  if (!opened) return opened.error().describe();
  Database& db = *opened;
  if (auto made = db.execute("CREATE TABLE t(x INTEGER) STRICT; CREATE TABLE ballast(b BLOB) STRICT"); !made) {
    return made.error().describe();
  }
  std::int64_t committed = 0;
  Result<> failed;
  while (failed && committed < 1'000) {
    auto transaction = Transaction::begin(db).value();
    failed =
        db.execute(fmt::format("INSERT INTO t VALUES ({}); INSERT INTO ballast VALUES (zeroblob(20000))", committed));
    if (failed) failed = transaction.commit();
    if (failed) ++committed;
  }
  if (failed) return "the disk did not get full";
  if (committed < 10) return fmt::format("only {} were committed", committed);
  if (failed.error().kind() != ErrorKind::kNoSpace) return failed.error().describe();
  if (std::ssize(values(db)) != committed) return "the failed one is half there";
  // The WAL now holds most of the disk: what is in it goes to the file only once there is room.
  std::filesystem::remove(path + ".reserve");
  if (auto moved = db.checkpoint(CheckpointMode::kTruncate); !moved) return moved.error().describe();
  if (auto next = insert(db, 1'000'000); !next) return next.error().describe();
  db = Database::open({.path = path}).value();
  const auto found = values(db);
  if (std::ssize(found) != committed + 1 || found.back() != 1'000'000) return "the data is wrong after a reopen";
  return {};
}

TEST(FullDiskTest, AFullDiskFailsTheCommitAndRoomMakesItGoOn) {
  const sys::TempDir dir;
  sys::ChildProcess child([&](const sys::ChildProcess::Voice& voice) {
    if (!mount_small_disk(dir.path())) return kNotPermitted;
    const std::string path = dir.file("test.db");
    std::ofstream(path + ".reserve") << std::string(500'000, 'x');
    const std::string wrong = fill_and_recover(path);
    voice.say(wrong);
    return wrong.empty() ? 0 : 1;
  });
  const std::string wrong = child.hear();
  const int status = child.wait();
  if (status == kNotPermitted) GTEST_SKIP() << "this host does not let us mount in a user namespace";
  EXPECT_EQ(status, 0) << wrong;
}

}  // namespace
}  // namespace slipway::store
