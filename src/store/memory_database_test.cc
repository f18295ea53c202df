#include "store/memory_database.h"

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sys/sandbox.h"
#include "sys/testing/child_process.h"
#include "sys/testing/temp_dir.h"

namespace slipway::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The file that SQLite makes of this.
std::string file_of(const std::string& sql) {
  const sys::TempDir dir;
  const std::string path = dir.file("x");
  sqlite3* db = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  sqlite3_close(db);
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string some_file() {
  return file_of(
      "CREATE TABLE t(n INTEGER PRIMARY KEY, b BLOB); WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c "
      "WHERE n < 50) INSERT INTO t SELECT n, zeroblob(n * 1000) FROM c");
}

std::string message_of(MemoryDatabase& database, std::string_view sql) {
  const auto done = database.for_each(sql, [](const Statement&) -> Result<> { return {}; });
  if (done) return "nothing is wrong";
  EXPECT_EQ(done.error().kind(), ErrorKind::kCorrupt) << done.error().describe();
  return done.error().message();
}

Result<std::vector<std::int64_t>> numbers(MemoryDatabase& database, std::string_view sql) {
  std::vector<std::int64_t> all;
  auto done = database.for_each(sql, [&](const Statement& row) -> Result<> {
    all.push_back(row.int64(0));
    return {};
  });
  if (!done) return fail(done.error());
  return all;
}

TEST(MemoryDatabaseTest, RowsAreReadOutOfTheBytes) {
  auto database = MemoryDatabase::open(file_of("CREATE TABLE t(x); INSERT INTO t VALUES (3), (1), (2)"));
  ASSERT_TRUE(database) << database.error().describe();
  MemoryDatabase moved = std::move(*database);
  EXPECT_THAT(*numbers(moved, "SELECT x FROM t ORDER BY x"), ElementsAre(1, 2, 3));
}

TEST(MemoryDatabaseTest, AFileInWalModeIsRead) {
  auto database =
      MemoryDatabase::open(file_of("PRAGMA journal_mode = WAL; CREATE TABLE t(x); INSERT INTO t VALUES (7)"));
  ASSERT_TRUE(database) << database.error().describe();
  EXPECT_THAT(*numbers(*database, "SELECT x FROM t"), ElementsAre(7));
}

TEST(MemoryDatabaseTest, AnErrorOfTheTakerEndsIt) {
  auto database = MemoryDatabase::open(some_file()).value();
  int seen = 0;
  const auto done = database.for_each("SELECT n FROM t", [&](const Statement&) -> Result<> {
    if (++seen == 3) return fail(ErrorKind::kRejected, "enough");
    return {};
  });
  EXPECT_EQ(done.error().message(), "enough");
  EXPECT_EQ(seen, 3);
}

TEST(MemoryDatabaseTest, NothingIsWritten) {
  auto database = MemoryDatabase::open(some_file()).value();
  EXPECT_THAT(message_of(database, "DELETE FROM t"), HasSubstr("not authorized"));
  EXPECT_THAT(message_of(database, "CREATE TABLE u(x)"), HasSubstr("not authorized"));
  EXPECT_THAT(message_of(database, "ATTACH 'x' AS y"), HasSubstr("not authorized"));
  EXPECT_THAT(message_of(database, "PRAGMA writable_schema = ON"), HasSubstr("not authorized"));
}

TEST(MemoryDatabaseTest, ViewsVirtualTablesAndFunctionsAreNotRun) {
  auto database = MemoryDatabase::open(file_of("CREATE TABLE t(x); INSERT INTO t VALUES (1); CREATE VIEW v AS SELECT x "
                                               "FROM t; CREATE VIRTUAL TABLE f USING fts5(x)"))
                      .value();
  EXPECT_THAT(message_of(database, "SELECT x FROM v"), HasSubstr("view"));
  EXPECT_THAT(message_of(database, "SELECT x FROM f"), HasSubstr("no such module"));
  EXPECT_THAT(message_of(database, "SELECT abs(x) FROM t"), HasSubstr("not authorized"));
  EXPECT_THAT(*numbers(database, "SELECT x FROM t"), ElementsAre(1));
}

TEST(MemoryDatabaseTest, ColumnsCanBeAskedFor) {
  auto database = MemoryDatabase::open(file_of("CREATE TABLE t(x, y AS (x + 1))")).value();
  std::string columns;
  ASSERT_TRUE(database.for_each("PRAGMA table_xinfo(t)", [&](const Statement& row) -> Result<> {
    columns += std::string(row.text(1)) + std::to_string(row.int64(6)) + ' ';
    return {};
  }));
  EXPECT_EQ(columns, "x0 y2 ");
}

TEST(MemoryDatabaseTest, AValueThatIsTooLongIsRejected) {
  auto database = MemoryDatabase::open(file_of("CREATE TABLE t(x); INSERT INTO t VALUES (zeroblob(70000000))")).value();
  const auto done = database.for_each("SELECT x FROM t", [](const Statement&) -> Result<> { return {}; });
  EXPECT_EQ(done.error().kind(), ErrorKind::kRejected);
}

TEST(MemoryDatabaseTest, WhatIsNoDatabaseIsCorrupt) {
  for (const std::string& bytes : {std::string(), std::string("SQLite format 3\0", 16), std::string(5000, 'x'),
                                   std::string("SQLite format 3\0", 16) + std::string(5000, 'x')}) {
    const auto database = MemoryDatabase::open(bytes);
    ASSERT_FALSE(database);
    EXPECT_EQ(database.error().kind(), ErrorKind::kCorrupt);
  }
}

TEST(MemoryDatabaseTest, AFileDamagedAnywhereIsReadOrCorrupt) {
  const std::string good = some_file();
  int corrupt = 0;
  for (std::size_t at = 16; at < good.size(); at += at < 200 ? 3 : 997) {
    for (const char with : {'\0', '\x01', '\xff'}) {
      std::string bad = good;
      bad[at] = with;
      auto database = MemoryDatabase::open(bad);
      Result<std::vector<std::int64_t>> rows;
      if (database) rows = numbers(*database, "SELECT n FROM t NOT INDEXED");
      if (database && rows) continue;
      ++corrupt;
      EXPECT_EQ((database ? rows.error() : database.error()).kind(), ErrorKind::kCorrupt) << at;
    }
  }
  EXPECT_GT(corrupt, 20);
}

TEST(MemoryDatabaseTest, AFileThatIsCutOffIsCorrupt) {
  const std::string good = some_file();
  for (const std::size_t size : {good.size() / 2, good.size() - 4096, std::size_t{4096}, std::size_t{1000}}) {
    auto database = MemoryDatabase::open(good.substr(0, size));
    const auto rows = database ? numbers(*database, "SELECT n FROM t WHERE b <> x'01'") : fail(database.error());
    ASSERT_FALSE(rows) << size;
    EXPECT_EQ(rows.error().kind(), ErrorKind::kCorrupt) << size;
  }
}

TEST(MemoryDatabaseTest, ItWorksWhereNothingCanBeOpened) {
  const std::string bytes = some_file();
  sys::ChildProcess child([&](const sys::ChildProcess::Voice&) {
    if (!sys::enter_sandbox({.address_space = 1ULL << 40, .output = STDOUT_FILENO, .parent = ::getppid()})) return 2;
    auto database = MemoryDatabase::open(bytes);
    if (!database) return 3;
    const auto rows = numbers(*database, "SELECT n FROM t WHERE b <> x'01' ORDER BY b");
    return rows && rows->size() == 50 ? 0 : 4;
  });
  EXPECT_EQ(child.wait(), 0);
}

}  // namespace
}  // namespace slipway::store
