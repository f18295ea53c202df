#include "store/statement.h"

#include <limits>

#include <gtest/gtest.h>

#include "store/database.h"
#include "sys/testing/temp_dir.h"

namespace slipway::store {
namespace {

class StatementTest : public ::testing::Test {
 protected:
  sys::TempDir dir_;
  Database db_ = Database::open({.path = dir_.file("test.db")}).value();
  Statement one_ = db_.prepare("SELECT ?1").value();  // gives back what it is given
};

TEST_F(StatementTest, IntegersRoundTrip) {
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::min(),
                                   std::numeric_limits<std::int64_t>::max()}) {
    one_.bind_all(value);
    ASSERT_TRUE(one_.step().value());
    EXPECT_EQ(one_.int64(0), value);
  }
  one_.bind_all(true);
  ASSERT_TRUE(one_.step().value());
  EXPECT_EQ(one_.int64(0), 1);
}

TEST_F(StatementTest, RealNumbersRoundTrip) {
  one_.bind_all(0.1);
  ASSERT_TRUE(one_.step().value());
  EXPECT_EQ(one_.real(0), 0.1);
}

TEST_F(StatementTest, TextOfAnyBytesRoundTrips) {
  ASSERT_TRUE(db_.execute("CREATE TABLE t(x TEXT) STRICT"));
  auto insert = db_.prepare("INSERT INTO t VALUES (?1)").value();
  auto select = db_.prepare("SELECT x FROM t WHERE x = ?1").value();
  const std::string texts[] = {"", "plain", "ж𝄞", std::string("a\0b\0", 4), "\xff\xfe not UTF-8 \xc3", "\xed\xa0\x80"};
  for (const auto& text : texts) ASSERT_TRUE(insert.run(text));
  for (const auto& text : texts) {
    select.bind_all(text);
    ASSERT_TRUE(select.step().value()) << text;
    EXPECT_EQ(select.text(0), text);
    EXPECT_FALSE(select.is_null(0));
  }
}

TEST_F(StatementTest, BlobsRoundTripAndEmptyIsNotNull) {
  const std::string bytes("\0\1\xff\0", 4);
  one_.bind_all(as_blob(bytes));
  ASSERT_TRUE(one_.step().value());
  EXPECT_EQ(one_.blob(0).size(), 4U);
  EXPECT_TRUE(std::ranges::equal(one_.blob(0), as_blob(bytes)));
  one_.bind_all(Bytes());
  ASSERT_TRUE(one_.step().value());
  EXPECT_TRUE(one_.blob(0).empty());
  EXPECT_FALSE(one_.is_null(0));
  one_.bind_all(std::string_view());
  ASSERT_TRUE(one_.step().value());
  EXPECT_FALSE(one_.is_null(0));
}

TEST_F(StatementTest, IdsAreSixteenBytesAndSortLikeIds) {
  ASSERT_TRUE(db_.execute("CREATE TABLE t(id BLOB PRIMARY KEY) STRICT, WITHOUT ROWID"));
  auto insert = db_.prepare("INSERT INTO t VALUES (?1)").value();
  const Ulid low(1, ~0ULL);
  const Ulid high(0x8000000000000000ULL, 0);
  ASSERT_TRUE(insert.run(high));
  ASSERT_TRUE(insert.run(low));
  auto select = db_.prepare("SELECT id, length(id) FROM t ORDER BY id").value();
  ASSERT_TRUE(select.step().value());
  EXPECT_EQ(select.ulid(0).value(), low);
  EXPECT_EQ(select.int64(1), 16);
  ASSERT_TRUE(select.step().value());
  EXPECT_EQ(select.ulid(0).value(), high);
}

TEST_F(StatementTest, SeveralIdsKeepApart) {
  auto two = db_.prepare("SELECT ?2, ?1").value();
  two.bind_all(Ulid(1, 1), Ulid(2, 2));
  Statement moved = std::move(two);
  ASSERT_TRUE(moved.step().value());
  EXPECT_EQ(moved.ulid(0).value(), Ulid(2, 2));
  EXPECT_EQ(moved.ulid(1).value(), Ulid(1, 1));
}

TEST_F(StatementTest, WhatIsNotAnIdIsCorrupt) {
  for (const std::string_view sql : {"SELECT NULL", "SELECT x'00'", "SELECT '0123456789abcdef'", "SELECT 5"}) {
    auto select = db_.prepare(sql).value();
    ASSERT_TRUE(select.step().value());
    const auto id = select.ulid(0);
    ASSERT_FALSE(id) << sql;
    EXPECT_EQ(id.error().kind(), ErrorKind::kCorrupt);
  }
}

TEST_F(StatementTest, TimesRoundTripToTheMicrosecond) {
  const TimePoint at = from_micros(-1'700'000'000'123'457);
  one_.bind_all(at);
  ASSERT_TRUE(one_.step().value());
  EXPECT_EQ(one_.time(0), at);
}

TEST_F(StatementTest, OptionalsAreValuesOrNull) {
  auto select = db_.prepare("SELECT ?1, ?2, ?3, ?4").value();
  const std::optional<std::string> text = "x";
  select.bind_all(std::optional<Ulid>(), std::optional<int>(5), nullptr, text);
  ASSERT_TRUE(select.step().value());
  EXPECT_TRUE(select.is_null(0));
  EXPECT_EQ(select.int64(1), 5);
  EXPECT_TRUE(select.is_null(2));
  EXPECT_EQ(select.text(3), "x");
}

TEST_F(StatementTest, StepTellsRowsFromTheEndAndIsReadyAgain) {
  auto select = db_.prepare("VALUES (1), (2)").value();
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(select.step().value());
    EXPECT_TRUE(select.step().value());
    EXPECT_FALSE(select.step().value());
  }
}

TEST_F(StatementTest, ResetForgetsWhatWasBound) {
  const std::string gone = "gone";
  one_.bind_all(gone);
  one_.reset();
  ASSERT_TRUE(one_.step().value());
  EXPECT_TRUE(one_.is_null(0));
}

TEST_F(StatementTest, AFailedBindIsReportedByTheStepAndThenForgotten) {
  one_.bind(2, 5);
  EXPECT_EQ(one_.step().error().kind(), ErrorKind::kInternal);
  EXPECT_TRUE(one_.step().value());
  one_.bind(1, 5);  // at a row: must be reset before
  EXPECT_EQ(one_.step().error().kind(), ErrorKind::kInternal);
  EXPECT_EQ(one_.run(1, 2).error().kind(), ErrorKind::kInternal);
  one_.bind(3, Ulid(1, 1));
  EXPECT_EQ(one_.run().error().kind(), ErrorKind::kInternal);
  EXPECT_TRUE(one_.run(1));
}

TEST_F(StatementTest, TextOverSqlitesLimitIsInvalid) {
  // Refused by its length, before a byte is read.
  const std::string_view claims_to_be_long("x", 3'000'000'000);  // NOLINT(bugprone-string-constructor)
  EXPECT_EQ(one_.run(claims_to_be_long).error().kind(), ErrorKind::kInvalid);
}

TEST_F(StatementTest, AConstraintIsAConflictAndTheStatementGoesOn) {
  ASSERT_TRUE(db_.execute("CREATE TABLE t(x INTEGER PRIMARY KEY) STRICT"));
  auto insert = db_.prepare("INSERT INTO t VALUES (?1)").value();
  ASSERT_TRUE(insert.run(1));
  const auto again = insert.run(1);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind(), ErrorKind::kConflict);
  EXPECT_NE(again.error().message().find("t.x"), std::string::npos) << again.error().message();
  EXPECT_TRUE(insert.run(2));
}

TEST_F(StatementTest, ScopedResetLetsGoOfTheSnapshot) {
  ASSERT_TRUE(db_.execute("CREATE TABLE t(x); INSERT INTO t VALUES (1), (2)"));
  auto reader = Database::open({.path = db_.path(), .mode = OpenMode::kReadOnly}).value();
  auto select = reader.prepare("SELECT x FROM t").value();
  {
    const ScopedReset done(select);
    ASSERT_TRUE(select.step().value());
  }
  ASSERT_TRUE(db_.execute("INSERT INTO t VALUES (3)"));
  EXPECT_TRUE(db_.checkpoint(CheckpointMode::kTruncate));  // a reader in the way would make it unavailable
}

}  // namespace
}  // namespace slipway::store
