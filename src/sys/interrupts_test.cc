#include "sys/interrupts.h"

#include <condition_variable>
#include <mutex>

#include <gtest/gtest.h>

#include "sys/testing/child_process.h"

namespace slipway::sys {
namespace {

void await(const std::stop_token& token) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  changed.wait(lock, token, [] { return false; });
}

class InterruptsTest : public testing::TestWithParam<int> {};

TEST_P(InterruptsTest, TheFirstSignalIsAWish) {
  ChildProcess child([](const ChildProcess::Voice& voice) {
    const Interrupts interrupts;
    voice.say("ready");
    await(interrupts.token());
    return interrupts.happened() ? 7 : 1;
  });
  ASSERT_EQ(child.hear(), "ready");
  ::kill(child.pid(), GetParam());
  EXPECT_EQ(child.wait(), 7);
}

TEST_P(InterruptsTest, TheSecondEndsTheProcessAtOnce) {
  ChildProcess child([](const ChildProcess::Voice& voice) {
    const Interrupts interrupts;
    voice.say("ready");
    await(interrupts.token());
    voice.say("told");
    await({});  // deaf
    return 1;
  });
  ASSERT_EQ(child.hear(), "ready");
  ::kill(child.pid(), GetParam());
  ASSERT_EQ(child.hear(), "told");
  ::kill(child.pid(), SIGINT);
  EXPECT_EQ(child.wait(), 130);
}

// timeout(1) sends one to its child and one to the group: that is one wish, not an impatient person.
TEST(Interrupts, TwoTermsAreOneWish) {
  ChildProcess child([](const ChildProcess::Voice&) {
    const Interrupts interrupts;
    for (int i = 0; i < 2; ++i) {
      ::kill(::getpid(), SIGTERM);
      await(interrupts.token());
      sigset_t waiting;
      do {
        ::sigpending(&waiting);
      } while (sigismember(&waiting, SIGTERM) != 0);
    }
    return 7;
  });
  EXPECT_EQ(child.wait(), 7);
}

INSTANTIATE_TEST_SUITE_P(Signals, InterruptsTest, testing::Values(SIGINT, SIGTERM));

TEST(Interrupts, WithoutASignalNothingHappens) {
  ChildProcess child([](const ChildProcess::Voice&) {
    {
      const Interrupts interrupts;
    }
    ::raise(SIGTERM);  // ours again
    return 1;
  });
  EXPECT_EQ(child.wait(), 128 + SIGTERM);
}

}  // namespace
}  // namespace slipway::sys
