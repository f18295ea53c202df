#include "feeds/event_queue.h"

#include <atomic>
#include <map>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace slipway::feeds {
namespace {

Event numbered(const std::string& provider, int number) { return {.provider = provider, .processed = number}; }

TEST(EventQueueTest, OfEachSenderTheyComeInOrderAndAllOfThem) {
  constexpr int kEach = 500;
  EventQueue queue(8);
  std::vector<std::jthread> senders;
  for (const char* id : {"a", "b", "c"}) {
    senders.emplace_back([&queue, id] {
      for (int i = 0; i < kEach; ++i) queue.send(numbered(id, i));
    });
  }
  std::map<std::string, int> next;
  for (int i = 0; i < 3 * kEach; ++i) {
    const auto event = queue.take();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->processed, next[event->provider]++);
  }
  EXPECT_EQ(queue.length(), 0);
}

TEST(EventQueueTest, AFullOneHoldsTheSenderBack) {
  EventQueue queue(2);
  std::atomic<int> sent{0};
  std::jthread sender([&] {
    for (int i = 0; i < 3; ++i) {
      queue.send(numbered("a", i));
      ++sent;
    }
  });
  while (queue.length() < 2) std::this_thread::yield();
  EXPECT_LE(sent, 2);
  EXPECT_EQ(queue.take()->processed, 0);
  EXPECT_EQ(queue.take()->processed, 1);
  EXPECT_EQ(queue.take()->processed, 2);
}

TEST(EventQueueTest, OneThatIsClosedGivesWhatItHasAndThenEnds) {
  EventQueue queue(1);
  queue.send(numbered("a", 0));
  queue.close();
  queue.send(numbered("a", 1));  // nobody waits any more, nothing is dropped
  EXPECT_EQ(queue.take()->processed, 0);
  EXPECT_EQ(queue.take()->processed, 1);
  EXPECT_FALSE(queue.take());
}

TEST(EventQueueTest, WhoWaitsForRoomGoesOnWhenItIsClosed) {
  EventQueue queue(1);
  queue.send(numbered("a", 0));
  std::jthread sender([&] { queue.send(numbered("a", 1)); });
  queue.close();
  sender.join();
  EXPECT_EQ(queue.length(), 2);
}

}  // namespace
}  // namespace slipway::feeds
