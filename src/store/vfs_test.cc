#include "store/vfs.h"

#include <algorithm>
#include <csignal>
#include <filesystem>

#include <gtest/gtest.h>

#include "store/database.h"
#include "store/transaction.h"
#include "sys/fault.h"
#include "sys/testing/child_process.h"
#include "sys/testing/temp_dir.h"

namespace slipway::store {
namespace {

class VfsTest : public ::testing::Test {
 protected:
  static std::int64_t count(const std::string& path) {
    auto db = Database::open({.path = path}).value();
    auto rows = db.prepare("SELECT count(*) FROM t").value();
    EXPECT_TRUE(rows.step().value());
    return rows.int64(0);
  }

  sys::TempDir dir_;
  std::string path_ = dir_.file("test.db");
};

TEST_F(VfsTest, CountsWritesAndSyncsOfEachDatabaseAndOfAll) {
  auto db = Database::open({.path = path_}).value();
  auto other = Database::open({.path = dir_.file("other.db")}).value();
  ASSERT_TRUE(db.execute("CREATE TABLE t(x)"));
  const auto before = db.io_stats();
  const auto other_before = other.io_stats();
  const auto all_before = vfs_stats();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(db.execute("INSERT INTO t VALUES (1)"));
  const auto after = db.io_stats();
  EXPECT_EQ(after.syncs, before.syncs + 10);
  EXPECT_GT(after.sync_time, before.sync_time);
  EXPECT_GE(after.bytes_written, before.bytes_written + 10 * 4096);
  EXPECT_GE(after.writes, before.writes + 10);
  EXPECT_EQ(other.io_stats().syncs, other_before.syncs);
  EXPECT_EQ(vfs_stats().syncs, all_before.syncs + 10);
  EXPECT_EQ(vfs_stats().bytes_written - all_before.bytes_written, after.bytes_written - before.bytes_written);
}

TEST_F(VfsTest, WhatIsNotAFileOfOursHasNoCounts) { EXPECT_EQ(file_stats(nullptr).syncs, 0U); }

TEST_F(VfsTest, AFailedTruncateFailsTheCheckpointAndLosesNothing) {
  auto db = Database::open({.path = path_}).value();
  ASSERT_TRUE(db.execute("CREATE TABLE t(x); INSERT INTO t VALUES (1)"));
  {
    const fault::Scope fault("store.truncate", {.times = 1});
    const auto failed = db.checkpoint(CheckpointMode::kTruncate);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().kind(), ErrorKind::kIo);
  }
  EXPECT_TRUE(db.execute("INSERT INTO t VALUES (2)"));
  EXPECT_TRUE(db.checkpoint(CheckpointMode::kTruncate));
  EXPECT_EQ(count(path_), 2);
}

TEST_F(VfsTest, AFailedSyncInACheckpointDoesNotFailTheCommit) {
  auto db = Database::open({.path = path_, .wal_autocheckpoint_pages = 1}).value();
  ASSERT_TRUE(db.execute("CREATE TABLE t(x)"));
  // Two syncs are the commit's own: of the new WAL's header, and of its frames.
  const fault::Scope fault("store.sync", {.skip = 2, .times = 1});
  EXPECT_TRUE(db.execute("INSERT INTO t VALUES (1)"));
  EXPECT_EQ(fault.acted(), 1);
  EXPECT_TRUE(db.execute("INSERT INTO t VALUES (2)"));
  EXPECT_EQ(count(path_), 2);
}

TEST_F(VfsTest, ErrorsNameTheFileAndTheSystemsReason) {
  auto db = Database::open({.path = path_}).value();
  ASSERT_TRUE(db.execute("CREATE TABLE t(x)"));
  const fault::Scope fault("store.sync", {.times = 1});
  const auto failed = db.execute("INSERT INTO t VALUES (1)");
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message().find(path_), std::string::npos) << failed.error().message();
  EXPECT_NE(failed.error().message().find("Input/output error"), std::string::npos) << failed.error().message();
}

// Commits until it is killed, and says each commit that has returned.
int commit_until_killed(const std::string& path, const sys::ChildProcess::Voice& voice) {
  auto db = Database::open({.path = path, .wal_autocheckpoint_pages = 10}).value();
  for (int i = 1; i <= 40; ++i) {
    auto transaction = Transaction::begin(db).value();
    db.execute("INSERT INTO t VALUES (1); INSERT INTO u VALUES (zeroblob(6000))").value();
    transaction.commit().value();
    voice.say("committed");
  }
  return 0;
}

struct Kill {
  const char* point;
  int skip;

  friend void PrintTo(const Kill& kill, std::ostream* out) { *out << kill.point << " after " << kill.skip; }
};

class KillTest : public VfsTest, public ::testing::WithParamInterface<Kill> {};

TEST_P(KillTest, LosesNoCommitAndLeavesNoHalfOne) {
  {
    auto db = Database::open({.path = path_}).value();
    ASSERT_TRUE(db.execute("CREATE TABLE t(x); CREATE TABLE u(x)"));
  }
  sys::ChildProcess child([&](const auto& voice) {
    const fault::Scope kill(GetParam().point, {.skip = GetParam().skip, .action = fault::Action::kKill});
    return commit_until_killed(path_, voice);
  });
  std::int64_t returned = 0;
  while (child.hear() == "committed") ++returned;
  ASSERT_EQ(child.wait(), 128 + SIGKILL) << "the point was not reached";
  const auto found = count(path_);
  EXPECT_GE(found, returned);
  EXPECT_LE(found, returned + 1);  // the one under way may or may not have made it
  auto db = Database::open({.path = path_}).value();
  auto check = db.prepare(
                     "SELECT (SELECT count(*) FROM t) - (SELECT count(*) FROM u), integrity_check FROM "
                     "pragma_integrity_check")
                   .value();
  ASSERT_TRUE(check.step().value());
  EXPECT_EQ(check.int64(0), 0);
  EXPECT_EQ(check.text(1), "ok");
}

INSTANTIATE_TEST_SUITE_P(Points, KillTest,
                         ::testing::Values(Kill{"store.write", 0}, Kill{"store.write", 1}, Kill{"store.write", 7},
                                           Kill{"store.write", 50}, Kill{"store.write", 101}, Kill{"store.sync", 0},
                                           Kill{"store.sync", 9}, Kill{"store.sync", 20}, Kill{"store.sync.after", 0},
                                           Kill{"store.sync.after", 13}),
                         [](const auto& test) {
                           std::string name = fmt::format("{}_{}", test.param.point, test.param.skip);
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace slipway::store
