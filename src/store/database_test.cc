#include "store/database.h"

#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/transaction.h"
#include "sys/testing/child_process.h"
#include "sys/testing/temp_dir.h"

namespace slipway::store {
namespace {

using namespace std::chrono_literals;

class DatabaseTest : public ::testing::Test {
 protected:
  Database open_or_throw(OpenMode mode = OpenMode::kReadWriteCreate) {
    return Database::open({.path = path_, .mode = mode}).value();
  }
  void make_file_of_one_row() {
    auto db = open_or_throw();
    ASSERT_TRUE(db.execute("CREATE TABLE t(x INTEGER) STRICT; INSERT INTO t VALUES (42)"));
  }
  static std::int64_t ask(Database& db, std::string_view sql) {
    auto statement = db.prepare(sql).value();
    EXPECT_TRUE(statement.step().value());
    return statement.int64(0);
  }
  static std::string ask_text(Database& db, std::string_view sql) {
    auto statement = db.prepare(sql).value();
    EXPECT_TRUE(statement.step().value());
    return std::string(statement.text(0));
  }
  ErrorKind kind_of_open(OpenMode mode = OpenMode::kReadWriteCreate) {
    const auto db = Database::open({.path = path_, .mode = mode});
    if (db) throw std::logic_error("it opened");
    EXPECT_NE(db.error().message().find(path_), std::string::npos) << db.error().message();
    return db.error().kind();
  }

  sys::TempDir dir_;
  std::string path_ = dir_.file("test.db");
};

TEST_F(DatabaseTest, AWriterIsInWalModeAndSyncsEachCommit) {
  auto db = open_or_throw();
  EXPECT_EQ(ask_text(db, "PRAGMA journal_mode"), "wal");
  EXPECT_EQ(ask(db, "PRAGMA synchronous"), 2);
  EXPECT_EQ(ask(db, "PRAGMA foreign_keys"), 1);
  EXPECT_EQ(ask(db, "PRAGMA cache_size"), -8 * 1024);
  ASSERT_TRUE(db.execute("CREATE TABLE t(x)"));
  const auto before = db.io_stats();
  ASSERT_TRUE(db.execute("INSERT INTO t VALUES (1)"));
  EXPECT_EQ(db.io_stats().syncs, before.syncs + 1);
}

TEST_F(DatabaseTest, ForeignKeysCanBeLeftAlone) {
  auto db = Database::open({.path = path_, .foreign_keys = false}).value();
  EXPECT_EQ(ask(db, "PRAGMA foreign_keys"), 0);
}

TEST_F(DatabaseTest, KeepsItsDataOverAReopen) {
  make_file_of_one_row();
  auto db = open_or_throw();
  EXPECT_EQ(ask(db, "SELECT x FROM t"), 42);
}

TEST_F(DatabaseTest, CountsChangesAndRowids) {
  auto db = open_or_throw();
  ASSERT_TRUE(db.execute("CREATE TABLE t(x); INSERT INTO t VALUES (1), (2), (3)"));
  EXPECT_EQ(db.changes(), 3);
  EXPECT_EQ(db.last_insert_rowid(), 3);
}

TEST_F(DatabaseTest, IsMovedWithItsStatementsAndState) {
  auto first = open_or_throw();
  ASSERT_TRUE(first.execute("CREATE TABLE t(x); INSERT INTO t VALUES (1)"));
  Database second(std::move(first));
  auto other = Database::open({.path = dir_.file("other.db")}).value();
  other = std::move(second);
  auto transaction = Transaction::begin(other);
  ASSERT_TRUE(transaction);
  EXPECT_TRUE(transaction->commit());
  EXPECT_EQ(other.path(), path_);
}

TEST_F(DatabaseTest, AFileThatIsNotADatabaseIsRefusedAndLeftAlone) {
  for (const auto& content : {std::string("hello"), std::string(20'000, 'x')}) {
    std::ofstream(path_) << content;
    EXPECT_EQ(kind_of_open(), ErrorKind::kCorrupt);
    EXPECT_EQ(kind_of_open(OpenMode::kReadOnly), ErrorKind::kCorrupt);
    std::ifstream file(path_);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), content);
  }
}

TEST_F(DatabaseTest, WhatIsMissingIsNotFound) {
  EXPECT_EQ(kind_of_open(OpenMode::kReadOnly), ErrorKind::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(path_));
  path_ = dir_.file("missing/test.db");
  EXPECT_EQ(kind_of_open(), ErrorKind::kNotFound);
}

TEST_F(DatabaseTest, ADirectoryIsRefused) {
  std::filesystem::create_directory(path_);
  EXPECT_EQ(kind_of_open(), ErrorKind::kIo);
}

TEST_F(DatabaseTest, NamesWithAMeaningToSqliteAreNotPaths) {
  for (const auto& path : {std::string(), std::string(":memory:"), std::string("a\0b", 3)}) {
    const auto db = Database::open({.path = path});
    ASSERT_FALSE(db);
    EXPECT_EQ(db.error().kind(), ErrorKind::kInvalid);
  }
}

TEST_F(DatabaseTest, APathThatLooksLikeAUriIsAPath) {
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(dir_.path());
  const auto db = Database::open({.path = "file:x.db?mode=memory"});
  std::filesystem::current_path(here);
  ASSERT_TRUE(db) << db.error().message();
  EXPECT_TRUE(std::filesystem::exists(dir_.file("file:x.db?mode=memory")));
}

TEST_F(DatabaseTest, AnotherProgramsDatabaseIsRefusedBeforeItIsChanged) {
  {
    auto db = open_or_throw();
    ASSERT_TRUE(db.execute("PRAGMA application_id = 7; CREATE TABLE theirs(x); PRAGMA journal_mode = DELETE"));
  }
  const auto db = Database::open({.path = path_, .application_id = 8});
  ASSERT_FALSE(db);
  EXPECT_EQ(db.error().kind(), ErrorKind::kUnsupported);
  auto after = open_or_throw(OpenMode::kReadOnly);
  EXPECT_EQ(ask_text(after, "PRAGMA journal_mode"), "delete");
}

TEST_F(DatabaseTest, BadSqlIsOurBugAndTheErrorShowsIt) {
  auto db = open_or_throw();
  const auto bad = db.prepare("SELECT FROM");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().kind(), ErrorKind::kInternal);
  EXPECT_NE(bad.error().message().find("SELECT FROM"), std::string::npos);
  EXPECT_EQ(db.execute("SELECT \"misspelt\"").error().kind(), ErrorKind::kInternal);
}

TEST_F(DatabaseTest, PrepareTakesExactlyOneStatement) {
  auto db = open_or_throw();
  EXPECT_TRUE(db.prepare("SELECT 1 ; \n"));
  for (const std::string_view sql : {"SELECT 1; SELECT 2", "", "-- nothing"}) {
    EXPECT_EQ(db.prepare(sql).error().kind(), ErrorKind::kInvalid) << sql;
  }
}

TEST_F(DatabaseTest, ExecuteTakesAnyNumberOfStatements) {
  auto db = open_or_throw();
  EXPECT_TRUE(db.execute(""));
  EXPECT_TRUE(db.execute("CREATE TABLE t(x); -- a comment\n INSERT INTO t VALUES (1); SELECT * FROM t; \n"));
  EXPECT_EQ(ask(db, "SELECT count(*) FROM t"), 1);
  EXPECT_EQ(db.execute(std::string_view("SELECT 1;\0SELECT 2", 18)).error().kind(), ErrorKind::kInvalid);
}

TEST_F(DatabaseTest, ABusyDatabaseIsUnavailable) {
  auto first = open_or_throw();
  auto second = Database::open({.path = path_, .busy_timeout = 10ms}).value();
  const auto holding = Transaction::begin(first);
  ASSERT_TRUE(holding);
  const auto waiting = Transaction::begin(second);
  ASSERT_FALSE(waiting);
  EXPECT_EQ(waiting.error().kind(), ErrorKind::kUnavailable);
}

TEST_F(DatabaseTest, AReaderCannotWrite) {
  make_file_of_one_row();
  auto reader = open_or_throw(OpenMode::kReadOnly);
  EXPECT_EQ(ask(reader, "SELECT x FROM t"), 42);
  EXPECT_EQ(reader.execute("INSERT INTO t VALUES (1)").error().kind(), ErrorKind::kPermission);
}

TEST_F(DatabaseTest, AReaderSeesWholeTransactionsWhileAnotherProcessWrites) {
  make_file_of_one_row();
  sys::ChildProcess writer([this](const sys::ChildProcess::Voice& voice) {
    auto db = open_or_throw();
    for (int i = 0;; ++i) {
      if (!db.execute("BEGIN; INSERT INTO t VALUES (1); INSERT INTO t VALUES (2); COMMIT")) return 1;
      if (i == 5) voice.say("writing");
    }
  });
  ASSERT_EQ(writer.hear(), "writing");
  auto reader = open_or_throw(OpenMode::kReadOnly);
  std::int64_t last = 0;
  for (int i = 0; i < 50; ++i) {
    const auto rows = ask(reader, "SELECT count(*) FROM t");
    EXPECT_EQ(rows % 2, 1);
    EXPECT_GE(rows, last);
    last = rows;
  }
  EXPECT_GE(last, 13);

  // The killed writer's WAL is still there: an old reader and a new one read it.
  writer.kill();
  const auto rows = ask(reader, "SELECT count(*) FROM t");
  auto late_reader = open_or_throw(OpenMode::kReadOnly);
  EXPECT_EQ(ask(late_reader, "SELECT count(*) FROM t"), rows);
}

// Runs as a user for whom file modes count. 0: as expected.
int as_unprivileged_reader(const std::string& path, const sys::ChildProcess::Voice& voice) {
  if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) return 77;
  auto db = Database::open({.path = path, .mode = OpenMode::kReadOnly});
  if (!db) {
    voice.say(db.error().describe());
    return db.error().kind() == ErrorKind::kPermission ? 1 : 2;
  }
  return db->prepare("SELECT x FROM t") ? 0 : 3;
}

TEST_F(DatabaseTest, AReaderThatMayNotWriteToTheDirectoryReadsWhatIsWhole) {
  make_file_of_one_row();
  ASSERT_FALSE(std::filesystem::exists(path_ + "-wal"));
  ::chmod(dir_.path().c_str(), 0555);
  sys::ChildProcess reader([this](const auto& voice) { return as_unprivileged_reader(path_, voice); });
  const std::string message = reader.hear();
  const int status = reader.wait();
  ::chmod(dir_.path().c_str(), 0755);
  if (status == 77) GTEST_SKIP() << "cannot change to an unprivileged user";
  EXPECT_EQ(status, 0) << message;
}

TEST_F(DatabaseTest, OfAWalAReaderThatMayNotWriteToTheDirectoryNeedsARunningOwner) {
  make_file_of_one_row();
  {
    sys::ChildProcess writer([this](const sys::ChildProcess::Voice& voice) {
      auto db = open_or_throw();
      if (!db.execute("INSERT INTO t VALUES (2)")) return 1;
      voice.say("written");
      for (;;) ::pause();
      return 0;
    });
    ASSERT_EQ(writer.hear(), "written");
    writer.kill();
  }
  ASSERT_TRUE(std::filesystem::remove(path_ + "-shm"));
  ::chmod(dir_.path().c_str(), 0555);
  {
    sys::ChildProcess reader([this](const auto& voice) { return as_unprivileged_reader(path_, voice); });
    const std::string message = reader.hear();
    const int status = reader.wait();
    if (status == 77) GTEST_SKIP() << "cannot change to an unprivileged user";
    EXPECT_EQ(status, 1) << message;
    EXPECT_NE(message.find("while its owner is running"), std::string::npos) << message;
  }
  ::chmod(dir_.path().c_str(), 0755);
  auto owner = open_or_throw();
  ASSERT_TRUE(owner.execute("INSERT INTO t VALUES (1)"));
  ::chmod(dir_.path().c_str(), 0555);
  sys::ChildProcess reader([this](const auto& voice) { return as_unprivileged_reader(path_, voice); });
  const std::string message = reader.hear();
  EXPECT_EQ(reader.wait(), 0) << message;
  ::chmod(dir_.path().c_str(), 0755);
}

TEST_F(DatabaseTest, AFileThatMayNotBeWrittenIsRefusedForWriting) {
  make_file_of_one_row();
  ::chmod(path_.c_str(), 0444);
  ::chmod(dir_.path().c_str(), 0777);
  sys::ChildProcess writer([this](const auto&) {
    if (::geteuid() == 0 && ::setuid(65534) != 0) return 77;
    const auto db = Database::open({.path = path_});
    return !db && db.error().kind() == ErrorKind::kPermission ? 0 : 1;
  });
  const int status = writer.wait();
  if (status == 77) GTEST_SKIP() << "cannot change to an unprivileged user";
  EXPECT_EQ(status, 0);
}

TEST_F(DatabaseTest, ACheckpointMovesTheWalIntoTheFile) {
  auto db = Database::open({.path = path_, .wal_autocheckpoint_pages = 0}).value();
  ASSERT_TRUE(db.execute("CREATE TABLE t(x); INSERT INTO t VALUES (zeroblob(100000))"));
  const auto passive = db.checkpoint(CheckpointMode::kPassive);
  ASSERT_TRUE(passive);
  EXPECT_GT(passive->wal_pages, 20);
  EXPECT_EQ(passive->checkpointed_pages, passive->wal_pages);
  EXPECT_GT(std::filesystem::file_size(path_ + "-wal"), 0U);
  ASSERT_TRUE(db.checkpoint(CheckpointMode::kTruncate));
  EXPECT_EQ(std::filesystem::file_size(path_ + "-wal"), 0U);
}

TEST_F(DatabaseTest, ConnectionsOfTheirOwnWorkInThreadsOfTheirOwn) {
  make_file_of_one_row();
  constexpr int kEach = 20;
  constexpr int kThreads = 3;
  {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([this] {
        auto db = open_or_throw();
        for (int i = 0; i < kEach; ++i) {
          auto transaction = Transaction::begin(db);
          ASSERT_TRUE(transaction) << transaction.error().message();
          ASSERT_TRUE(db.execute("INSERT INTO t VALUES (1)"));
          ASSERT_TRUE(transaction->commit());
        }
      });
    }
  }
  auto db = open_or_throw();
  EXPECT_EQ(ask(db, "SELECT count(*) FROM t"), 1 + kThreads * kEach);
}

}  // namespace
}  // namespace slipway::store
