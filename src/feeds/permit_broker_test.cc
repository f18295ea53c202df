#include "feeds/permit_broker.h"

#include <map>
#include <numeric>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::feeds {
namespace {

using testing::ElementsAre;

class PermitBrokerTest : public testing::Test {
 protected:
  PermitBrokerTest() {
    for (const char* id : {"a", "b", "c"}) {
      broker_.enter(id, [this, id] { ++woken_[id]; });
    }
  }
  int held(const std::string& id) {
    for (const auto& holder : broker_.status().holders) {
      if (holder.id == id) return holder.held;
    }
    return -1;
  }

  PermitBroker broker_{10};
  std::map<std::string, int> woken_;
};

TEST_F(PermitBrokerTest, OneGetsUpToWhatItAsksFor) {
  EXPECT_EQ(broker_.ask("a", 4), 4);
  EXPECT_EQ(broker_.ask("b", 20), 6);
  EXPECT_EQ(broker_.status().free, 0);
  EXPECT_EQ(broker_.ask("c", 1), 0);
  EXPECT_TRUE(broker_.status().holders.at(2).waiting);
}

TEST_F(PermitBrokerTest, WhoWaitsIsWokenWhenSomethingIsFree) {
  ASSERT_EQ(broker_.ask("a", 10), 10);
  ASSERT_EQ(broker_.ask("b", 2), 0);
  EXPECT_EQ(woken_["b"], 0);
  broker_.release("a");
  EXPECT_EQ(woken_["b"], 1);
  EXPECT_EQ(broker_.ask("b", 2), 2);
}

TEST_F(PermitBrokerTest, WhoAskedFirstIsNotPassedBy) {
  ASSERT_EQ(broker_.ask("a", 10), 10);
  ASSERT_EQ(broker_.ask("b", 1), 0);
  ASSERT_EQ(broker_.ask("c", 10), 0);
  ASSERT_TRUE(broker_.resize(11));
  EXPECT_EQ(broker_.ask("c", 10), 0);  // the one that is free is b's
  EXPECT_EQ(broker_.ask("b", 1), 1);
  EXPECT_EQ(broker_.ask("c", 10), 0);
  broker_.release("c");
  EXPECT_FALSE(broker_.status().holders.at(2).waiting);
}

TEST_F(PermitBrokerTest, RevokingTakesFromAllInProportionAndTheyGiveBackWhenTheyAreReady) {
  ASSERT_EQ(broker_.ask("a", 6), 6);
  ASSERT_EQ(broker_.ask("b", 3), 3);
  ASSERT_EQ(broker_.ask("c", 1), 1);
  broker_.withhold(5);
  EXPECT_EQ(broker_.owed("a"), 3);
  EXPECT_EQ(broker_.owed("b"), 2);  // the greatest remainder
  EXPECT_EQ(broker_.owed("c"), 0);
  EXPECT_EQ(woken_["a"], 1);
  EXPECT_EQ(woken_["c"], 0);
  EXPECT_EQ(held("a"), 6);  // until it has finished the item in its hands
  EXPECT_EQ(broker_.settle("a"), 3);
  EXPECT_EQ(broker_.settle("b"), 1);
  EXPECT_EQ(broker_.settle("c"), 1);
  EXPECT_EQ(broker_.status().free, 0);
}

TEST_F(PermitBrokerTest, WhatIsRestoredIsFreeAgainAndNoLongerOwed) {
  ASSERT_EQ(broker_.ask("a", 10), 10);
  broker_.withhold(10);
  EXPECT_EQ(broker_.owed("a"), 10);
  broker_.withhold(4);
  EXPECT_EQ(broker_.owed("a"), 4);
  broker_.withhold(0);
  EXPECT_EQ(broker_.owed("a"), 0);
  EXPECT_EQ(broker_.settle("a"), 10);
}

TEST_F(PermitBrokerTest, OneThatHasGivenAllBackIsWokenWhenTheyAreRestored) {
  ASSERT_EQ(broker_.ask("a", 10), 10);
  broker_.withhold(10);
  ASSERT_EQ(broker_.settle("a"), 0);
  ASSERT_EQ(broker_.ask("a", 10), 0);
  const int before = woken_["a"];
  broker_.withhold(3);
  EXPECT_EQ(woken_["a"], before + 1);
  EXPECT_EQ(broker_.ask("a", 10), 7);
}

TEST_F(PermitBrokerTest, ASmallerPoolIsOwedAndABiggerOneIsFree) {
  ASSERT_EQ(broker_.ask("a", 5), 5);
  ASSERT_EQ(broker_.ask("b", 5), 5);
  ASSERT_TRUE(broker_.resize(4));
  EXPECT_EQ(broker_.owed("a"), 3);
  EXPECT_EQ(broker_.owed("b"), 3);
  EXPECT_EQ(broker_.settle("a"), 2);
  EXPECT_EQ(broker_.settle("b"), 2);
  ASSERT_TRUE(broker_.resize(12));
  EXPECT_EQ(broker_.status().free, 8);
  EXPECT_EQ(broker_.resize(0).error().kind(), ErrorKind::kInvalid);
}

TEST_F(PermitBrokerTest, OneThatReleasesPaysForTheOthers) {
  ASSERT_EQ(broker_.ask("a", 5), 5);
  ASSERT_EQ(broker_.ask("b", 5), 5);
  broker_.withhold(5);
  broker_.release("a");
  EXPECT_EQ(broker_.owed("b"), 0);
  EXPECT_EQ(broker_.settle("b"), 5);
}

TEST_F(PermitBrokerTest, OneThatLeavesHoldsNothing) {
  ASSERT_EQ(broker_.ask("a", 10), 10);
  ASSERT_EQ(broker_.ask("b", 1), 0);
  broker_.leave("a");
  EXPECT_EQ(woken_["b"], 1);
  EXPECT_EQ(broker_.status().free, 10);
  EXPECT_EQ(broker_.ask("a", 1), 0);
}

TEST(InProportionTest, TheSumIsRightAndNobodyGivesMoreThanHeHas) {
  EXPECT_THAT(in_proportion(5, {6, 3, 1}), ElementsAre(3, 2, 0));
  EXPECT_THAT(in_proportion(0, {1, 2}), ElementsAre(0, 0));
  EXPECT_THAT(in_proportion(3, {1, 1, 1}), ElementsAre(1, 1, 1));
  EXPECT_THAT(in_proportion(2, {1, 1, 1}), ElementsAre(1, 1, 0));
  std::mt19937 dice(1);
  for (int round = 0; round < 1000; ++round) {
    std::vector<int> weights(1 + dice() % 8);
    for (int& weight : weights) weight = static_cast<int>(dice() % 12);
    const int sum = std::accumulate(weights.begin(), weights.end(), 0);
    const int total = sum == 0 ? 0 : static_cast<int>(dice() % static_cast<unsigned>(sum + 1));
    const auto parts = in_proportion(total, weights);
    EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), 0), total);
    for (std::size_t i = 0; i < parts.size(); ++i) EXPECT_LE(parts[i], weights[i]);
  }
}

// Whatever is done in whatever order, what is held and not owed is at most what may be given out.
TEST(PermitBrokerModelTest, TheBooksAlwaysBalance) {
  std::mt19937 dice(2);
  for (int round = 0; round < 50; ++round) {
    PermitBroker broker(10);
    const std::vector<std::string> ids{"a", "b", "c", "d"};
    for (const auto& id : ids) broker.enter(id, [] {});
    int greatest = 10;
    for (int step = 0; step < 300; ++step) {
      const auto& id = ids[dice() % ids.size()];
      switch (dice() % 5) {
        case 0: (void)broker.ask(id, 1 + static_cast<int>(dice() % 5)); break;
        case 1: broker.release(id); break;
        case 2: (void)broker.settle(id); break;
        case 3: broker.withhold(static_cast<int>(dice() % 12)); break;
        default: {
          const int slots = 1 + static_cast<int>(dice() % 12);
          greatest = std::max(greatest, slots);
          ASSERT_TRUE(broker.resize(slots));
        }
      }
      const auto status = broker.status();
      int held = 0;
      int owed = 0;
      for (const auto& holder : status.holders) {
        ASSERT_GE(holder.owed, 0);
        ASSERT_LE(holder.owed, holder.held);
        held += holder.held;
        owed += holder.owed;
      }
      ASSERT_LE(held, greatest);
      ASSERT_LE(held - owed, status.slots - status.withheld);
      ASSERT_EQ(status.free, std::max(0, status.slots - status.withheld - held));
      ASSERT_TRUE(status.free == 0 || owed == 0);
    }
  }
}

TEST(PermitBrokerThreadTest, ManyThreadsNeverHoldMoreThanThereIs) {
  PermitBroker broker(3);
  std::atomic<int> working{0};
  std::atomic<int> most{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&, id = std::to_string(i)] {
      std::mutex mutex;
      std::condition_variable woken;
      int wakes = 0;
      broker.enter(id, [&] {
        const std::lock_guard lock(mutex);
        ++wakes;
        woken.notify_one();
      });
      for (int turn = 0; turn < 200; ++turn) {
        while (broker.ask(id, 1) == 0) {
          std::unique_lock lock(mutex);
          woken.wait(lock, [&] { return wakes > 0; });
          wakes = 0;
        }
        const int now = ++working;
        for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) continue;
        --working;
        broker.release(id);
      }
      broker.leave(id);
    });
  }
  threads.clear();
  EXPECT_LE(most, 3);
  EXPECT_EQ(broker.status().free, 3);
}

}  // namespace
}  // namespace slipway::feeds
