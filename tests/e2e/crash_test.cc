// The whole command, killed with SIGKILL at instants spread over its run and at each of its fault points, and then run
// again: one right file, one right row, one right snapshot, nothing else.
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "e2e/workshop.h"

namespace slipway {
namespace {

using Clock = std::chrono::steady_clock;

bool long_mode() {
  const char* wish = std::getenv("SLIPWAY_LONG");
  return wish != nullptr && std::string(wish) == "1";
}

std::uint64_t seed() {
  const char* wish = std::getenv("SLIPWAY_SEED");
  return wish != nullptr ? std::strtoull(wish, nullptr, 10) : std::random_device()();
}

class CommandCrashTest : public testing::TestWithParam<Place> {
 protected:
  CommandCrashTest() : workshop_(GetParam()) { workshop_.put("x.tar", bytes_); }

  static const std::vector<std::string>& fetch() {
    static const std::vector<std::string> words{"fetch-and-create", "x.tar", "--quiet"};
    return words;
  }

  void expect_right_end() {
    const auto ended = workshop_.run(fetch());
    ASSERT_EQ(ended.code, 0) << ended.err;
    ASSERT_EQ(workshop_.faults_of("x.tar", bytes_), "");
  }

  const std::string bytes_ = sample_image(24 << 20);
  Workshop workshop_;
};

TEST_P(CommandCrashTest, KilledAtAnyInstantItGoesOnToTheRightEnd) {
  const auto number = seed();
  SCOPED_TRACE("SLIPWAY_SEED=" + std::to_string(number));
  std::mt19937_64 dice(number);
  const auto begun = Clock::now();
  expect_right_end();
  const auto whole = Clock::now() - begun;

  const int wanted = long_mode() ? 2000 : 100;  // in each of two places
  int kills = 0;
  while (kills < wanted) {
    workshop_.forget();
    for (;;) {
      const auto life = workshop_.start(fetch());
      std::this_thread::sleep_for(whole * std::uniform_real_distribution<>(0, 1)(dice));
      life->signal(SIGKILL);
      const auto ended = life->finish();
      if (ended.code == 128 + SIGKILL) {
        ++kills;
        continue;
      }
      ASSERT_EQ(ended.code, 0) << ended.err;
      break;
    }
    ASSERT_EQ(workshop_.faults_of("x.tar", bytes_), "") << "after " << kills << " kills";
  }
  RecordProperty("kills", kills);
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

TEST_P(CommandCrashTest, KilledAtEachFaultPointItGoesOnToTheRightEnd) {
  const auto points = reached_points(workshop_, fetch());
  EXPECT_THAT(points, testing::IsSupersetOf({"objects.part.write", "objects.part.sync", "objects.rename.before",
                                             "objects.rename.after", "objects.folder.sync", "catalog.commit.before",
                                             "catalog.commit.after", "fsm.commit.before", "fsm.commit.written",
                                             "fsm.commit.after", "store.write", "store.sync", "volumes.file.sync",
                                             "pipeline.unpack.create", "pipeline.unpack.store",
                                             "pipeline.activate.snapshot", "pipeline.activate.register"}));
  int kills = 0;
  for (const auto& point : points) {
    // Not each of the many writes of a database: the first ones and then every few.
    for (int hit = 1; hit < 200; hit += hit < 4 ? 1 : 9) {
      workshop_.forget();
      auto variables = workshop_.variables();
      variables["SLIPWAY_FAULT"] = point + "=kill@" + std::to_string(hit);
      const auto ended = start_program(Workshop::faulty_program(), fetch(), variables)->finish();
      if (ended.code == 0) break;  // it is not passed so often
      ASSERT_EQ(ended.code, 128 + SIGKILL) << point << ": " << ended.err;
      ++kills;
      expect_right_end();
      if (HasFatalFailure()) FAIL() << "after a kill at " << point << ", hit " << hit;
    }
  }
  EXPECT_GE(kills, 40);
  RecordProperty("kills", kills);
}

// More often in a row than the runtime resumes a run by itself: whoever runs the command again wants it to go on.
TEST_P(CommandCrashTest, KilledAgainAndAgainAtOnePlaceItStillGoesOn) {
  auto variables = workshop_.variables();
  variables["SLIPWAY_FAULT"] = "objects.part.sync=kill@1";
  for (int kills = 0; kills < 10; ++kills) {
    const auto ended = start_program(Workshop::faulty_program(), fetch(), variables)->finish();
    ASSERT_EQ(ended.code, 128 + SIGKILL) << "after " << kills << " kills: " << ended.err;
  }
  expect_right_end();
}

INSTANTIATE_TEST_SUITE_P(Places, CommandCrashTest, testing::Values(Place::kFolder, Place::kS3),
                         [](const auto& named) { return named.param == Place::kS3 ? "S3" : "Folder"; });

}  // namespace
}  // namespace slipway
