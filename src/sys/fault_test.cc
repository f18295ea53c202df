#include "sys/fault.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "sys/testing/child_process.h"

namespace slipway::fault {
namespace {

TEST(FaultTest, AnUnarmedPointPasses) { EXPECT_EQ(check("test.point"), std::nullopt); }

TEST(FaultTest, ActsAfterTheSkippedOnesAndSoOften) {
  const Scope scope("test.point", {.skip = 2, .times = 2, .error = {ErrorKind::kNoSpace, "full"}});
  for (const bool acts : {false, false, true, true, false, false}) {
    EXPECT_EQ(check("test.point").has_value(), acts);
  }
  EXPECT_EQ(scope.acted(), 2);
}

TEST(FaultTest, AnswersWithItsError) {
  const Scope scope("test.point", {.error = {ErrorKind::kNoSpace, "full"}});
  const auto fault = check("test.point");
  ASSERT_TRUE(fault);
  EXPECT_EQ(*fault, Error(ErrorKind::kNoSpace, "full"));
}

TEST(FaultTest, AlwaysMeansAlwaysAndOnlyThisPoint) {
  const Scope scope("test.point", {.times = -1});
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(check("test.point"));
  EXPECT_FALSE(check("test.other"));
  EXPECT_FALSE(check("test.poin"));
}

TEST(FaultTest, IsDisarmedAtTheEndOfItsScope) {
  {
    const Scope scope("test.point", {.times = -1});
  }
  EXPECT_FALSE(check("test.point"));
}

TEST(FaultTest, IsSpentOnceWhenManyThreadsReachIt) {
  const Scope scope("test.point", {.times = 3});
  std::atomic<int> failed = 0;
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 100; ++i) failed += check("test.point").has_value() ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(failed, 3);
}

TEST(FaultTest, ACallIsMadeAndThePointPasses) {
  int calls = 0;
  const Scope scope("test.point", {.action = Action::kCall, .call = [&] {
                                     ++calls;
                                     EXPECT_FALSE(check("test.point"));  // it may pass points itself
                                   }});
  EXPECT_EQ(check("test.point"), std::nullopt);
  EXPECT_EQ(check("test.point"), std::nullopt);
  EXPECT_EQ(calls, 1);
}

TEST(FaultTest, RecordsThePointsThatAreReached) {
  record(true);
  (void)check("test.b");
  (void)check("test.a");
  (void)check("test.b");
  record(false);
  (void)check("test.c");
  EXPECT_EQ(reached(), (std::vector<std::string>{"test.a", "test.b"}));
}

TEST(FaultDeathTest, ArmingAPointTwiceIsABug) {
  const Scope scope("test.point", {});
  EXPECT_DEATH(Scope("test.point", {}), "armed twice");
}

// Each runs in a child, because the environment arms for good.
int with_environment(const char* value, const std::function<int()>& body) {
  sys::ChildProcess child([&](const auto&) {
    ::setenv("SLIPWAY_FAULT", value, 1);
    return arm_from_environment() ? body() : 99;
  });
  return child.wait();
}

TEST(FaultTest, TheEnvironmentArmsAKillOnTheNthHit) {
  int status = with_environment("test.a=kill@3,test.b=fail@1", [] {
    (void)check("test.a");
    (void)check("test.a");
    return check("test.b") ? 7 : 8;
  });
  EXPECT_EQ(status, 7);
  status = with_environment("test.a=kill@3", [] {
    for (int i = 0; i < 3; ++i) (void)check("test.a");
    return 0;
  });
  EXPECT_EQ(status, 128 + SIGKILL);
}

TEST(FaultTest, ABadEnvironmentIsRefused) {
  for (const char* bad : {"x", "=kill@1", "x=kill", "x=kill@", "x=kill@0", "x=kill@-1", "x=kill@1x", "x=boom@1",
                          "x=kill@1,,y=kill@1", "x=kill@1,x=fail@2", "x=kill@99999999999"}) {
    EXPECT_EQ(with_environment(bad, [] { return 0; }), 99) << bad;
  }
  EXPECT_EQ(with_environment("", [] { return 0; }), 0);
}

}  // namespace
}  // namespace slipway::fault
