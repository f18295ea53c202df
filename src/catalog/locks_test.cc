#include "catalog/locks.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "catalog/testing/catalog_fixture.h"

namespace slipway::catalog {
namespace {

using std::chrono::seconds;

class LocksTest : public CatalogTest {};

TEST_F(LocksTest, OneHolderAtATimeAndTheErrorNamesHim) {
  ASSERT_TRUE(catalog_->acquire_lock("a", "run-1"));
  EXPECT_FAILS(catalog_->acquire_lock("a", "run-2"), ErrorKind::kConflict, "image a is locked by run-1 since 2023-");
  EXPECT_TRUE(catalog_->acquire_lock("a", "run-1"));
  EXPECT_TRUE(catalog_->acquire_lock("b", "run-2"));
  EXPECT_EQ(catalog_->find_lock("a").value().value().holder, "run-1");
  EXPECT_FALSE(catalog_->find_lock("c").value().has_value());
}

TEST_F(LocksTest, ReleasingIsIdempotentAndNeverTakesAnothers) {
  ASSERT_TRUE(catalog_->acquire_lock("a", "run-1"));
  EXPECT_FALSE(catalog_->release_lock("a", "run-2").value());
  EXPECT_TRUE(catalog_->find_lock("a").value().has_value());
  EXPECT_TRUE(catalog_->release_lock("a", "run-1").value());
  EXPECT_FALSE(catalog_->release_lock("a", "run-1").value());
  EXPECT_TRUE(catalog_->acquire_lock("a", "run-2"));
}

TEST_F(LocksTest, ALockIsTakenOverOnlyFromTheOneThatIsNamed) {
  ASSERT_TRUE(catalog_->acquire_lock("a", "dead"));
  EXPECT_FAILS(catalog_->take_over_lock("a", "other", "run-2"), ErrorKind::kConflict, "locked by dead");
  ASSERT_TRUE(catalog_->take_over_lock("a", "dead", "run-2"));
  EXPECT_FAILS(catalog_->take_over_lock("a", "dead", "run-3"), ErrorKind::kConflict, "locked by run-2");
  EXPECT_FAILS(catalog_->take_over_lock("b", "dead", "run-3"), ErrorKind::kConflict, "nor by anybody");
}

TEST_F(LocksTest, StaleOnesAreListedAndBrokenByAgeOrHolder) {
  ASSERT_TRUE(catalog_->acquire_lock("a", "run-1"));
  clock_.advance(seconds(100));
  ASSERT_TRUE(catalog_->acquire_lock("b", "run-2"));
  ASSERT_TRUE(catalog_->acquire_lock("c", "run-2"));
  clock_.advance(seconds(10));
  EXPECT_EQ(catalog_->list_locks()->size(), 3U);
  ASSERT_EQ(catalog_->list_locks_older_than(seconds(60))->size(), 1U);
  EXPECT_EQ(catalog_->list_locks_older_than(seconds(60))->front().since, clock_.now() - seconds(110));
  const auto old = catalog_->break_locks_older_than(seconds(60)).value();
  ASSERT_EQ(old.size(), 1U);
  EXPECT_EQ(old.front().image_id, "a");
  EXPECT_EQ(catalog_->break_locks_of("run-2")->size(), 2U);
  EXPECT_TRUE(catalog_->list_locks()->empty());
}

TEST_F(LocksTest, OfManyThreadsExactlyOneGetsIt) {
  std::atomic<int> got = 0;
  std::atomic<int> refused = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 12; ++i) {
      threads.emplace_back([&, i] {
        const auto locked = catalog_->acquire_lock("a", "run-" + std::to_string(i));
        if (locked) ++got;
        if (!locked && locked.error().kind() == ErrorKind::kConflict) ++refused;
      });
    }
  }
  EXPECT_EQ(got, 1);
  EXPECT_EQ(refused, 11);
}

TEST_F(LocksTest, BadValuesAreRefused) {
  EXPECT_FAILS(catalog_->acquire_lock("a/b", "run"), ErrorKind::kInvalid, "not an image id");
  EXPECT_FAILS(catalog_->acquire_lock("a", ""), ErrorKind::kInvalid, "holder is empty");
}

}  // namespace
}  // namespace slipway::catalog
