#include "fsm/run_queue.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::fsm {
namespace {

RunVersion version(std::uint64_t n) { return RunVersion(Ulid(0, n)); }

TEST(RunQueueTest, AdmitsByFormerPlaceThenPriorityThenVersion) {
  RunQueue queue("q", 10);
  queue.join({.priority = 0, .version = version(2)});
  queue.join({.priority = 0, .version = version(1)});
  queue.join({.priority = 9, .version = version(3)});
  queue.join({.was_in = true, .priority = -5, .version = version(4)});
  std::vector<RunVersion> order;
  while (const auto next = queue.admit()) order.push_back(*next);
  EXPECT_THAT(order, testing::ElementsAre(version(4), version(3), version(1), version(2)));
}

TEST(RunQueueTest, AdmitsNoMoreThanItsLimitUntilOneLeaves) {
  RunQueue queue("q", 1);
  queue.join({.version = version(1)});
  queue.join({.version = version(2)});
  EXPECT_EQ(queue.admit(), version(1));
  EXPECT_EQ(queue.admit(), std::nullopt);
  EXPECT_EQ(queue.waiting(), 1U);
  queue.leave();
  EXPECT_EQ(queue.admit(), version(2));
}

TEST(RunQueueTest, OneThatWithdrawsIsNeverAdmitted) {
  RunQueue queue("q", 1);
  queue.join({.priority = 3, .version = version(1)});
  queue.withdraw({.priority = 3, .version = version(1)});
  EXPECT_EQ(queue.admit(), std::nullopt);
}

}  // namespace
}  // namespace slipway::fsm
