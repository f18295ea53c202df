#include "objects/range_plan.h"

#include <random>

#include <gtest/gtest.h>

namespace slipway::objects {
namespace {

using Ranges = std::vector<ByteRange>;

TEST(RangePlanTest, HandsOutTheLowestBytesFirst) {
  RangePlan plan(25);
  EXPECT_EQ(plan.next(10)->range, (ByteRange{0, 10}));
  EXPECT_EQ(plan.next(10)->range, (ByteRange{10, 10}));
  EXPECT_EQ(plan.next(10)->range, (ByteRange{20, 5}));
  EXPECT_FALSE(plan.next(10));
}

TEST(RangePlanTest, ThePrefixGrowsOnlyWithoutAGap) {
  RangePlan plan(20);
  const auto first = plan.next(10);
  const auto second = plan.next(10);
  plan.advance(second->id, 10);
  EXPECT_EQ(plan.prefix(), 0U);
  plan.advance(first->id, 4);
  EXPECT_EQ(plan.prefix(), 4U);
  EXPECT_EQ(plan.have(), (Ranges{{0, 4}, {10, 10}}));
  plan.advance(first->id, 6);
  EXPECT_EQ(plan.prefix(), 20U);
  EXPECT_TRUE(plan.complete());
}

TEST(RangePlanTest, WhatAFailedPartLacksIsAskedForAgain) {
  RangePlan plan(30);
  const auto first = plan.next(10);
  const auto second = plan.next(10);
  plan.advance(first->id, 3);
  plan.finish(first->id);
  EXPECT_EQ(plan.next(100)->range, (ByteRange{3, 7}));
  plan.finish(second->id);
  EXPECT_EQ(plan.next(100)->range, (ByteRange{10, 20}));
}

TEST(RangePlanTest, GoesOnFromWhatIsThere) {
  RangePlan plan(100, {{50, 10}, {0, 20}, {55, 10}, {90, 50}, {200, 5}});
  EXPECT_EQ(plan.have(), (Ranges{{0, 20}, {50, 15}, {90, 10}}));
  EXPECT_EQ(plan.done(), 45U);
  EXPECT_EQ(plan.next(1000)->range, (ByteRange{20, 30}));
  EXPECT_EQ(plan.next(1000)->range, (ByteRange{65, 25}));
  EXPECT_FALSE(plan.next(1000));
}

TEST(RangePlanTest, AnEmptyObjectIsComplete) {
  RangePlan plan(0);
  EXPECT_TRUE(plan.complete());
  EXPECT_FALSE(plan.next(10));
}

TEST(RangePlanTest, EveryByteComesExactlyOnceWhateverFails) {
  std::mt19937 random(7);  // NOLINT(bugprone-random-generator-seed): repeatable on purpose
  for (int round = 0; round < 200; ++round) {
    const std::uint64_t size = 1 + random() % 1000;
    RangePlan plan(size);
    std::vector<int> seen(size, 0);
    std::vector<std::pair<RangePlan::Part, std::uint64_t>> open;
    while (!plan.complete()) {
      if (open.size() < 4) {
        if (const auto part = plan.next(1 + random() % 100)) open.emplace_back(*part, 0);
      }
      ASSERT_FALSE(open.empty());
      auto& [part, got] = open[random() % open.size()];
      const std::uint64_t count = std::min<std::uint64_t>(random() % 30, part.range.length - got);
      for (std::uint64_t i = 0; i < count; ++i) ++seen[part.range.offset + got + i];
      plan.advance(part.id, count);
      got += count;
      if (got == part.range.length || random() % 5 == 0) {
        plan.finish(part.id);
        const int id = part.id;
        std::erase_if(open, [&](const auto& item) { return item.first.id == id; });
      }
    }
    EXPECT_EQ(seen, std::vector<int>(size, 1));
    EXPECT_EQ(plan.have(), (Ranges{{0, size}}));
  }
}

}  // namespace
}  // namespace slipway::objects
