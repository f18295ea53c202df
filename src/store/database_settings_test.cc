// How a connection is set up, and how it waits.
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "store/database.h"
#include "sys/testing/child_process.h"
#include "sys/testing/temp_dir.h"

namespace slipway::store {
namespace {

class DatabaseSettingsTest : public ::testing::Test {
 protected:
  static std::int64_t pragma(Database& db, std::string_view name) {
    auto rows = db.prepare(fmt::format("PRAGMA {}", name)).value();
    EXPECT_TRUE(rows.step().value());
    return rows.int64(0);
  }

  sys::TempDir dir_;
  std::string path_ = dir_.file("test.db");
};

TEST_F(DatabaseSettingsTest, AreAsAskedFor) {
  auto db =
      Database::open({.path = path_, .cache_kib = 10'000, .temp_in_memory = true, .mmap_bytes = 268'435'456}).value();
  EXPECT_EQ(pragma(db, "cache_size"), -10'000);
  EXPECT_EQ(pragma(db, "temp_store"), 2);
  EXPECT_EQ(pragma(db, "mmap_size"), 268'435'456);
  EXPECT_EQ(pragma(db, "synchronous"), 2);
  EXPECT_EQ(pragma(db, "foreign_keys"), 1);
  auto plain = Database::open({.path = path_, .foreign_keys = false}).value();
  EXPECT_EQ(pragma(plain, "temp_store"), 0);
  EXPECT_EQ(pragma(plain, "mmap_size"), 0);
  EXPECT_EQ(pragma(plain, "foreign_keys"), 0);
}

TEST_F(DatabaseSettingsTest, ALockThatIsHeldTooLongIsUnavailable) {
  auto db = Database::open({.path = path_}).value();
  ASSERT_TRUE(db.execute("BEGIN IMMEDIATE"));
  auto other = Database::open({.path = path_, .busy_timeout = std::chrono::milliseconds(20)}).value();
  EXPECT_EQ(other.execute("BEGIN IMMEDIATE").error().kind(), ErrorKind::kUnavailable);
  Database moved = std::move(other);  // it still knows how to wait
  EXPECT_EQ(moved.execute("BEGIN IMMEDIATE").error().kind(), ErrorKind::kUnavailable);
}

TEST_F(DatabaseSettingsTest, ALockThatIsLetGoOfIsWaitedFor) {
  auto db = Database::open({.path = path_}).value();
  ASSERT_TRUE(db.execute("BEGIN IMMEDIATE"));
  std::atomic<bool> asking = false;
  Result<> got = fail(ErrorKind::kInternal, "not tried");
  {
    const std::jthread waiter([&] {
      auto other = Database::open({.path = path_, .busy_timeout = std::chrono::minutes(1)}).value();
      asking = true;
      got = other.execute("BEGIN IMMEDIATE");
    });
    while (!asking) std::this_thread::yield();
    ASSERT_TRUE(db.execute("COMMIT"));
  }
  EXPECT_TRUE(got) << got.error().message();
}

TEST_F(DatabaseSettingsTest, ProcessesThatMakeAFileAtOnceAllSucceed) {
  const auto make = [&](const sys::ChildProcess::Voice& voice) {
    for (int i = 0; i < 10; ++i) {
      const auto db = Database::open({.path = dir_.file(fmt::format("{}.db", i))});
      if (!db) voice.say(db.error().message());
    }
    return 0;
  };
  sys::ChildProcess one(make);
  sys::ChildProcess two(make);
  sys::ChildProcess three(make);
  for (auto* child : {&one, &two, &three}) {
    EXPECT_EQ(child->hear(), "");
    EXPECT_EQ(child->wait(), 0);
  }
}

}  // namespace
}  // namespace slipway::store
