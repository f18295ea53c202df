#include "store/migrations.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "sys/fault.h"
#include "sys/testing/temp_dir.h"

namespace slipway::store {
namespace {

constexpr std::int32_t kOurs = 0x534C4950;
constexpr Migration kSteps[] = {
    {1, "CREATE TABLE run(id INTEGER PRIMARY KEY) STRICT; INSERT INTO run VALUES (1)", "runs"},
    {2, "ALTER TABLE run ADD COLUMN name TEXT", "runs have names"},
    {3, "CREATE TABLE event(at INTEGER) STRICT", "history"},
};

class MigrationsTest : public ::testing::Test {
 protected:
  static Schema schema(std::size_t steps = 3) { return {kOurs, std::span(kSteps).first(steps)}; }
  bool has(std::string_view sql) { return db_.prepare(sql).has_value(); }

  sys::TempDir dir_;
  Database db_ = Database::open({.path = dir_.file("test.db")}).value();
};

TEST_F(MigrationsTest, AnEmptyFileGetsAllStepsAndTheStamp) {
  const auto migrated = migrate(db_, schema());
  ASSERT_TRUE(migrated) << migrated.error().message();
  EXPECT_EQ(db_.user_version().value(), 3);
  EXPECT_EQ(db_.application_id().value(), kOurs);
  EXPECT_TRUE(has("SELECT name FROM run"));
  EXPECT_TRUE(has("SELECT at FROM event"));
}

TEST_F(MigrationsTest, AnOlderFileGetsWhatItLacksAndKeepsItsData) {
  ASSERT_TRUE(migrate(db_, schema(1)));
  EXPECT_FALSE(has("SELECT name FROM run"));
  ASSERT_TRUE(migrate(db_, schema()));
  auto run = db_.prepare("SELECT id, name FROM run").value();
  ASSERT_TRUE(run.step().value());
  EXPECT_EQ(run.int64(0), 1);
}

TEST_F(MigrationsTest, AgainIsNoEffect) {
  ASSERT_TRUE(migrate(db_, schema()));
  const auto before = db_.io_stats();
  EXPECT_TRUE(migrate(db_, schema()));
  EXPECT_EQ(db_.io_stats().writes, before.writes);
}

TEST_F(MigrationsTest, ANewerFileIsRefusedWithBothVersions) {
  ASSERT_TRUE(migrate(db_, schema()));
  const auto refused = migrate(db_, schema(2));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kUnsupported);
  EXPECT_NE(refused.error().message().find("version 3"), std::string::npos) << refused.error().message();
  EXPECT_NE(refused.error().message().find("up to 2"), std::string::npos) << refused.error().message();
  EXPECT_NE(refused.error().hint().find("newer program"), std::string::npos);
  EXPECT_EQ(db_.user_version().value(), 3);
}

TEST_F(MigrationsTest, AnotherProgramsFileIsRefusedAndNotChanged) {
  for (const char* theirs : {"PRAGMA user_version = 1", "CREATE TABLE theirs(x)", "PRAGMA application_id = 7"}) {
    ASSERT_TRUE(db_.execute(theirs));
    const auto refused = migrate(db_, schema());
    ASSERT_FALSE(refused) << theirs;
    EXPECT_EQ(refused.error().kind(), ErrorKind::kUnsupported);
    EXPECT_FALSE(has("SELECT * FROM run"));
  }
}

// Somebody who looks while another makes the tables sees none of them or all of them, stamped.
TEST_F(MigrationsTest, AFileThatIsBeingMadeIsNeverTakenForAnotherPrograms) {
  for (int round = 0; round < 30; ++round) {
    const std::string path = dir_.file(fmt::format("{}.db", round));
    auto ours = Database::open({.path = path}).value();
    auto theirs = Database::open({.path = path}).value();
    std::atomic<bool> made = false;
    std::jthread maker([&] {
      EXPECT_TRUE(migrate(ours, schema()));
      made = true;
    });
    while (!made) {
      const auto look = theirs.check_application_id(kOurs);
      ASSERT_TRUE(look) << look.error().message();
    }
  }
}

TEST_F(MigrationsTest, AFailedStepIsUndoneAndTheOnesBeforeStay) {
  const Migration steps[] = {kSteps[0], {2, "CREATE TABLE half(x); CREATE TABLE run(x)", "fails"}};
  const auto failed = migrate(db_, {kOurs, steps});
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message().find("to version 2 (fails)"), std::string::npos) << failed.error().message();
  EXPECT_EQ(db_.user_version().value(), 1);
  EXPECT_FALSE(has("SELECT * FROM half"));
  EXPECT_TRUE(migrate(db_, schema()));
}

TEST_F(MigrationsTest, AFailedSyncLeavesAWholeNumberOfSteps) {
  {
    const fault::Scope fail_second("store.sync", {.skip = 2, .times = 1});
    ASSERT_FALSE(migrate(db_, schema()));
    EXPECT_EQ(fail_second.acted(), 1);
  }
  const auto version = db_.user_version().value();
  EXPECT_GE(version, 1);
  EXPECT_LT(version, 3);
  EXPECT_EQ(has("SELECT name FROM run"), version >= 2);
  EXPECT_TRUE(migrate(db_, schema()));
}

TEST_F(MigrationsTest, AListWithAGapIsOurBug) {
  const Migration steps[] = {kSteps[0], kSteps[2]};
  EXPECT_EQ(migrate(db_, {kOurs, steps}).error().kind(), ErrorKind::kInternal);
}

TEST_F(MigrationsTest, ReadersAcceptExactlyTheirVersion) {
  ASSERT_TRUE(migrate(db_, schema(2)));
  auto reader = Database::open({.path = db_.path(), .mode = OpenMode::kReadOnly, .application_id = kOurs}).value();
  EXPECT_TRUE(check_schema(reader, schema(2)));
  EXPECT_EQ(check_schema(reader, schema(3)).error().kind(), ErrorKind::kUnsupported);
  EXPECT_EQ(check_schema(reader, schema(1)).error().kind(), ErrorKind::kUnsupported);
}

}  // namespace
}  // namespace slipway::store
