#include "e2e/crash_test.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostInARow = 6;  // else a machine that has become slower is killed without end

double seconds(std::chrono::duration<double> span) { return span.count(); }

bool long_mode() {
  const char* wish = std::getenv("SLIPWAY_LONG");
  return wish != nullptr && std::string(wish) == "1";
}

std::uint64_t seed() {
  const char* wish = std::getenv("SLIPWAY_SEED");
  return wish != nullptr ? std::strtoull(wish, nullptr, 10) : std::random_device()();
}

// The points that a whole run passes, learnt from one.
std::set<std::string> reached_points(Workshop& workshop, const std::vector<std::string>& words) {
  const auto list = workshop.state().parent_path() / "reached";
  auto variables = workshop.variables();
  variables["SLIPWAY_TEST_REACHED"] = list;
  const auto ended = start_program(Workshop::faulty_program(), words, variables)->finish();
  EXPECT_EQ(ended.code, 0) << ended.err;
  std::set<std::string> points;
  std::ifstream in(list);
  for (std::string point; std::getline(in, point);) points.insert(point);
  return points;
}

}  // namespace

TEST_P(CommandCrashTest, KilledAtAnyInstantItGoesOnToTheRightEnd) {
  const auto number = seed();
  SCOPED_TRACE("SLIPWAY_SEED=" + std::to_string(number));
  std::printf("SLIPWAY_SEED=%llu\n", static_cast<unsigned long long>(number));
  std::mt19937_64 dice(number);
  const auto begun = Clock::now();
  const auto first = workshop_->run(fetch());
  const auto whole = Clock::now() - begun;
  ASSERT_EQ(first.code, 0) << first.err;
  ASSERT_EQ(workshop_->faults_of("x.tar", bytes_), "");
  std::printf("a whole run takes %.3f s\n", seconds(whole));
  std::fflush(stdout);
  const int wanted = long_mode() ? 2000 : 100;  // in each of two places
  int kills = 0;
  while (kills < wanted) {
    workshop_->forget();
    std::printf("killed after");
    for (int lives = 0;;) {
      const auto life = workshop_->start(fetch());
      const auto instant = whole * std::uniform_real_distribution<>(0, lives == 0 ? 1 : later_reach())(dice);
      if (lives++ < kMostInARow) {
        std::this_thread::sleep_for(instant);
        life->signal(SIGKILL);
      }
      const auto ended = life->finish();
      if (ended.code == 128 + SIGKILL) {
        ++kills;
        std::printf(" %.3f s,", seconds(instant));
        std::fflush(stdout);
        continue;
      }
      std::printf(" and then not\n");
      std::fflush(stdout);
      ASSERT_EQ(ended.code, 0) << ended.err;
      break;
    }
    ASSERT_EQ(workshop_->faults_of("x.tar", bytes_), "") << "after " << kills << " kills";
  }
  RecordProperty("kills", kills);
}

TEST_P(CommandCrashTest, KilledAtEachFaultPointItGoesOnToTheRightEnd) {
  const auto points = reached_points(*workshop_, fetch());
  EXPECT_THAT(points,
              testing::IsSupersetOf(
                  {"objects.part.write", "objects.part.sync", "objects.rename.before", "objects.rename.after",
                   "objects.folder.sync", "catalog.commit.before", "catalog.commit.after", "fsm.commit.before",
                   "fsm.commit.written", "fsm.commit.after", "store.write", "store.sync", "pipeline.unpack.create",
                   "pipeline.unpack.store", "pipeline.activate.snapshot", "pipeline.activate.register"}));
  if (on_thin()) {
    EXPECT_THAT(points, testing::IsSupersetOf({"volumes.thin.change.before", "volumes.thin.change.after",
                                               "volumes.thin.half-made", "volumes.thin.loaded",
                                               "volumes.thin.take-down", "volumes.thin.probe"}));
  } else {
    EXPECT_THAT(points, testing::Contains("volumes.file.sync"));
  }
  int kills = 0;
  for (const auto& point : points) {
    // Not each of the many writes of a database: the first ones and then every few.
    for (int hit = 1; hit < 200; hit += hit < few() ? 1 : step()) {
      workshop_->forget();
      auto variables = workshop_->variables();
      variables["SLIPWAY_FAULT"] = point + "=kill@" + std::to_string(hit);
      const auto ended = start_program(Workshop::faulty_program(), fetch(), variables)->finish();
      if (ended.code == 0) break;  // it is not passed so often
      ASSERT_EQ(ended.code, 128 + SIGKILL) << point << ": " << ended.err;
      ++kills;
      std::printf("killed at %s, hit %d\n", point.c_str(), hit);
      std::fflush(stdout);
      expect_right_end();
      if (HasFatalFailure()) FAIL() << "after a kill at " << point << ", hit " << hit;
    }
  }
  EXPECT_GE(kills, on_thin() ? 20 : 40);
  RecordProperty("kills", kills);
}

// More often in a row than the runtime resumes a run by itself: whoever runs the command again wants it to go on.
TEST_P(CommandCrashTest, KilledAgainAndAgainAtOnePlaceItStillGoesOn) {
  auto variables = workshop_->variables();
  variables["SLIPWAY_FAULT"] = "objects.part.sync=kill@1";
  for (int kills = 0; kills < 10; ++kills) {
    const auto ended = start_program(Workshop::faulty_program(), fetch(), variables)->finish();
    ASSERT_EQ(ended.code, 128 + SIGKILL) << "after " << kills << " kills: " << ended.err;
  }
  expect_right_end();
}

}  // namespace slipway
