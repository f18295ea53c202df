#include <gtest/gtest.h>

#include "store/migrations.h"
#include "sys/testing/manual_clock.h"
#include "sys/testing/temp_dir.h"

namespace slipway::store {
namespace {

constexpr std::int32_t kOurs = 0x534C4950;
constexpr Migration kSteps[] = {
    {1, "CREATE TABLE run(id INTEGER PRIMARY KEY) STRICT", "runs"},
    {2, "ALTER TABLE run ADD COLUMN name TEXT", "runs have names"},
};

class LedgerTest : public ::testing::Test {
 protected:
  static Schema schema(std::size_t steps = 2) {
    return {.application_id = kOurs, .migrations = std::span(kSteps).first(steps), .keeps_ledger = true};
  }
  std::string ledger() {
    std::string all;
    auto rows = db_.prepare("SELECT version, applied_at, description FROM schema_migrations ORDER BY version").value();
    while (rows.step().value()) {
      all += fmt::format("{} {} {}\n", rows.int64(0), to_micros(rows.time(1)) / 1'000'000, rows.text(2));
    }
    return all;
  }

  sys::TempDir dir_;
  Database db_ = Database::open({.path = dir_.file("test.db")}).value();
  sys::ManualClock clock_;
};

TEST_F(LedgerTest, EachStepIsWrittenDownOnceWithItsTime) {
  ASSERT_TRUE(migrate(db_, schema(1), clock_));
  clock_.advance(std::chrono::seconds(60));
  ASSERT_TRUE(migrate(db_, schema(), clock_));
  ASSERT_TRUE(migrate(db_, schema(), clock_));
  EXPECT_EQ(ledger(), "1 1700000000 runs\n2 1700000060 runs have names\n");
  EXPECT_EQ(db_.user_version().value(), 2);
}

TEST_F(LedgerTest, AStepThatFailsIsNotWrittenDown) {
  const Migration steps[] = {kSteps[0], {2, "CREATE TABLE run(x)", "fails"}};
  ASSERT_FALSE(migrate(db_, {.application_id = kOurs, .migrations = steps, .keeps_ledger = true}, clock_));
  EXPECT_EQ(ledger(), "1 1700000000 runs\n");
}

TEST_F(LedgerTest, AVersionThatOnlyTheLedgerHasCountsToo) {
  ASSERT_TRUE(migrate(db_, schema(), clock_));
  ASSERT_TRUE(db_.execute("INSERT INTO schema_migrations VALUES (7, 0, 'from ahead')"));
  const auto refused = migrate(db_, schema(), clock_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kUnsupported);
  EXPECT_NE(refused.error().message().find("version 7"), std::string::npos) << refused.error().message();
  EXPECT_EQ(check_schema(db_, schema()).error().kind(), ErrorKind::kUnsupported);
}

TEST_F(LedgerTest, ASchemaWithoutOneLeavesNoTable) {
  ASSERT_TRUE(migrate(db_, {.application_id = kOurs, .migrations = kSteps}));
  EXPECT_FALSE(db_.prepare("SELECT * FROM schema_migrations"));
}

TEST_F(LedgerTest, WithoutAClockItIsOurBug) { EXPECT_EQ(migrate(db_, schema()).error().kind(), ErrorKind::kInternal); }

}  // namespace
}  // namespace slipway::store
