#include "store/pool.h"

#include <atomic>
#include <filesystem>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "store/private_file.h"
#include "store/transaction.h"
#include "sys/testing/manual_clock.h"
#include "sys/testing/temp_dir.h"

namespace slipway::store {
namespace {

using Use = Pool::Use;

class PoolTest : public ::testing::Test {
 protected:
  PoolOptions options() {
    return {.open = {.path = path_}, .most = 3, .most_idle = 2, .renew_after = std::chrono::hours(1)};
  }

  sys::TempDir dir_;
  std::string path_ = dir_.file("test.db");
  sys::ManualClock clock_;
};

TEST_F(PoolTest, OpensOnDemandAndLendsTheSameConnectionAgain) {
  Pool pool(options(), clock_);
  EXPECT_EQ(pool.counts().opened, 0U);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(pool.acquire(Use::kRead));
  EXPECT_EQ(pool.counts().opened, 1U);
  EXPECT_EQ(pool.counts().idle, 1U);
}

TEST_F(PoolTest, KeepsOnlySoManyIdle) {
  Pool pool(options(), clock_);
  {
    std::vector<Pool::Lease> leases;
    for (int i = 0; i < 3; ++i) leases.push_back(pool.acquire(Use::kRead).value());
    EXPECT_EQ(pool.counts().lent, 3U);
    EXPECT_EQ(pool.counts().opened, 3U);
  }
  EXPECT_EQ(pool.counts().idle, 2U);
  EXPECT_EQ(pool.counts().lent, 0U);
}

TEST_F(PoolTest, RenewsAConnectionThatIsTooOld) {
  Pool pool(options(), clock_);
  ASSERT_TRUE(pool.acquire(Use::kRead));
  clock_.advance(std::chrono::minutes(59));
  {
    const auto kept = pool.acquire(Use::kRead).value();
    EXPECT_EQ(pool.counts().opened, 1U);
    clock_.advance(std::chrono::minutes(1));
  }
  EXPECT_EQ(pool.counts().idle, 0U);  // it grew old while it was lent
  ASSERT_TRUE(pool.acquire(Use::kRead));
  EXPECT_EQ(pool.counts().opened, 2U);
  clock_.advance(std::chrono::hours(2));
  ASSERT_TRUE(pool.acquire(Use::kRead));
  EXPECT_EQ(pool.counts().opened, 3U);
}

TEST_F(PoolTest, AStatementIsPreparedOnceAConnection) {
  Pool pool(options(), clock_);
  Statement* first = nullptr;
  for (int i = 0; i < 3; ++i) {
    auto lease = pool.acquire(Use::kRead).value();
    auto statement = lease->statement("SELECT ?1");
    ASSERT_TRUE(statement);
    if (first == nullptr) first = *statement;
    EXPECT_EQ(*statement, first);
    EXPECT_EQ(lease->texts(), std::vector<std::string>{"SELECT ?1"});
  }
  auto lease = pool.acquire(Use::kRead).value();
  EXPECT_FALSE(lease->statement("SELECT FROM"));
  EXPECT_EQ(lease->texts(), std::vector<std::string>{"SELECT ?1"});
}

TEST_F(PoolTest, AConnectionComesBackWithoutRowsAndTransactions) {
  Pool pool(options(), clock_);
  {
    auto lease = pool.acquire(Use::kWrite).value();
    ASSERT_TRUE(lease->db().execute("CREATE TABLE t (x); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)"));
    auto* rows = lease->statement("SELECT x FROM t").value();
    ASSERT_TRUE(rows->step().value());
  }
  auto lease = pool.acquire(Use::kWrite).value();
  EXPECT_EQ(pool.counts().opened, 1U);
  EXPECT_FALSE(lease->db().in_transaction());
  EXPECT_FALSE(lease->statement("SELECT x FROM t").value()->step().value());
}

TEST_F(PoolTest, WaitsForAFreeConnectionAndGivesUpAtTheBusyTimeout) {
  Pool pool(options(), clock_);
  std::vector<Pool::Lease> leases;
  for (int i = 0; i < 3; ++i) leases.push_back(pool.acquire(Use::kRead).value());
  std::optional<Error> failed;
  {
    const std::jthread waiter([&] {
      auto lease = pool.acquire(Use::kRead);
      if (!lease) failed = lease.error();
    });
    clock_.await_sleepers(1);
    clock_.advance(std::chrono::seconds(5));
  }
  ASSERT_TRUE(failed.has_value());
  EXPECT_EQ(failed->kind(), ErrorKind::kUnavailable);
  EXPECT_NE(failed->message().find("all 3 connections"), std::string::npos) << failed->message();
  std::atomic<bool> got = false;
  {
    const std::jthread waiter([&] { got = pool.acquire(Use::kRead).has_value(); });
    clock_.await_sleepers(1);
    leases.pop_back();
  }
  EXPECT_TRUE(got);
}

TEST_F(PoolTest, WritersTakeTurnsAndReadersPass) {
  Pool pool(options(), clock_);
  std::optional<Pool::Lease> writer(pool.acquire(Use::kWrite).value());
  EXPECT_TRUE(pool.acquire(Use::kRead));
  std::atomic<bool> got = false;
  {
    const std::jthread second([&] { got = pool.acquire(Use::kWrite).has_value(); });
    clock_.await_sleepers(1);
    EXPECT_FALSE(got);
    writer.reset();
  }
  EXPECT_TRUE(got);
}

TEST_F(PoolTest, AFailedOpenGivesItsPlaceBack) {
  PoolOptions bad = options();
  bad.open.path = dir_.path();  // a folder
  Pool pool(bad, clock_);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(pool.acquire(Use::kWrite));
  EXPECT_EQ(pool.counts().lent, 0U);
}

TEST_F(PoolTest, ManyThreadsLoseNoUpdate) {
  Pool pool(options(), clock_);
  ASSERT_TRUE(pool.acquire(Use::kWrite).value()->db().execute("CREATE TABLE t (x); INSERT INTO t VALUES (0)"));
  std::atomic<int> failures = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < 20; ++n) {
          auto lease = pool.acquire(Use::kWrite).value();
          auto transaction = Transaction::begin(lease->db()).value();
          if (!lease->statement("UPDATE t SET x = x + 1").value()->run()) ++failures;
          if (!transaction.commit()) ++failures;
        }
      });
    }
  }
  EXPECT_EQ(failures, 0);
  auto lease = pool.acquire(Use::kRead).value();
  auto* rows = lease->statement("SELECT x FROM t").value();
  ASSERT_TRUE(rows->step().value());
  EXPECT_EQ(rows->int64(0), 160);
}

TEST(PrivateFileTest, IsForThisUserOnlyAndAnExistingOneStays) {
  const sys::TempDir dir;
  const std::string path = dir.file("private");
  ASSERT_TRUE(make_private_file(path));
  struct stat found{};
  ASSERT_EQ(::stat(path.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600U);
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  ASSERT_TRUE(make_private_file(path));
  ASSERT_EQ(::stat(path.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0644U);
  EXPECT_EQ(make_private_file(dir.file("none/private")).error().kind(), ErrorKind::kNotFound);
}

}  // namespace
}  // namespace slipway::store
