// Kills a program that runs a random mix of machines, at random instants and at every fault point around the store's
// writes, and starts it again until all its runs have ended; checks after each life what the runtime promises.
//
//   ./dev test Crash                     300 kills, always from the same seed
//   ./dev test Crash --long              5000 kills, from a seed of the day, which is printed
//   ./dev test Crash --long --seed N     the same as that one; a failure names the seed of its own scenario, with which
//                                        the replay begins
//
// A seed settles the scenario and the orders to kill. Where a kill meets the program is up to the machine, so that a
// replay of a rare failure may need some patience.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checker.h"
#include "dice.h"
#include "layout.h"
#include "life.h"
#include "scenario.h"
#include "snapshot.h"
#include "trace.h"

namespace slipway::crash {
namespace {

using namespace std::chrono_literals;

// Every fault point that a program with a run store comes to, and how often it is passed in a short life: the kills are
// spread over so many.
const std::map<std::string, std::uint64_t> kFaultPoints{
    {"fsm.commit.before", 30}, {"fsm.commit.written", 30}, {"fsm.commit.after", 30}, {"store.write", 150},
    {"store.sync", 30},        {"store.sync.after", 30},   {"store.truncate", 4},
};

constexpr int kMostKills = 60;  // of one scenario; then it may end in peace
constexpr std::uint64_t kLongestLifeMs = 40;

bool is_long() {
  const char* text = std::getenv("SLIPWAY_LONG");
  return text != nullptr && std::string_view(text) == "1";
}

std::uint64_t first_seed() {
  if (const char* text = std::getenv("SLIPWAY_SEED")) return std::stoull(text);
  return is_long() ? std::random_device{}() : 1;
}

int wanted_kills() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return is_long() ? 1000 : 60;
#else
  return is_long() ? 5000 : 300;
#endif
}

struct Tally {
  int kills = 0;
  int lives = 0;
  int scenarios = 0;
  std::map<std::string, int> at_point{};
};

// One scenario, from its first life to the one that ends by itself.
class Ordeal {
 public:
  Ordeal(std::uint64_t seed, Tally& tally)
      : seed_(seed), scenario_(make_scenario(seed)), checker_(scenario_), tally_(tally) {}

  void endure(int most_kills) {
    SCOPED_TRACE(fmt::format("seed {}: ./dev test Crash --seed {}", seed_, seed_));
    const int end = tally_.kills + most_kills;
    for (int round = 0;; ++round) {
      LifeOrder order{.folder = folder_.path(), .seed = seed_, .mode = "mix"};
      if (tally_.kills < end) choose_end(order, static_cast<std::uint64_t>(round));
      const LifeEnd life = live(order);
      ++tally_.lives;
      if (life.death == Death::kByOrder || life.death == Death::kByFault) ++tally_.kills;
      if (life.death == Death::kByFault) ++tally_.at_point[order.fault.substr(0, order.fault.find('='))];
      SCOPED_TRACE(fmt::format("life {}, SLIPWAY_FAULT=\"{}\", wait status {}", round, order.fault, life.status));
      if (!check(life)) return;
      if (life.death == Death::kExited) break;
    }
    checker_.after_all();
    EXPECT_THAT(checker_.violations(), testing::IsEmpty());
    ++tally_.scenarios;
  }

 private:
  void choose_end(LifeOrder& order, std::uint64_t round) {
    if (dice_.chance(50)) {
      // In turn, so that none is left out.
      auto point = kFaultPoints.begin();
      std::advance(point, static_cast<std::ptrdiff_t>((seed_ + round) % kFaultPoints.size()));
      order.fault = fmt::format("{}=kill@{}", point->first, dice_.between(1, point->second));
      return;
    }
    // From its start: also while it opens, migrates and resumes. From when it is ready: so that it gets on.
    order.from_ready = dice_.chance(70);
    order.kill_after = Duration(dice_.below(kLongestLifeMs * 1000));
  }

  // False when there is no sense in going on.
  bool check(const LifeEnd& life) {
    EXPECT_TRUE(life.death != Death::kFailed) << "the child failed by itself: its words are above";
    auto records = read_trace(trace_path(folder_.path()), traced_);
    EXPECT_TRUE(records) << records.error().describe();
    auto store = read_snapshot(store_path(folder_.path()));
    // A life may be too short to make the store.
    if (!store && !has_store_ && records && records->empty() && life.death != Death::kExited) return true;
    EXPECT_TRUE(store) << store.error().describe();
    if (!records || !store) return false;
    has_store_ = true;
    traced_ += records->size();
    checker_.after_life(*records, *store);
    EXPECT_THAT(checker_.violations(), testing::IsEmpty());
    EXPECT_TRUE(life.death != Death::kStuck) << fmt::format("nothing went on; active: {}", checker_.unfinished());
    return !testing::Test::HasFailure();
  }

  const std::uint64_t seed_;
  const Scenario scenario_;
  Checker checker_;
  Tally& tally_;
  CrashFolder folder_;
  Dice dice_{seed_ ^ 0x6b696c6cU};
  std::size_t traced_ = 0;
  bool has_store_ = false;
};

TEST(CrashTest, NothingThatCountedIsLostOrDoneTwiceWhereverTheProcessIsKilled) {
  const auto seed = first_seed();
  const int wanted = wanted_kills();
  fmt::print("first seed {}, {} kills\n", seed, wanted);
  Tally tally;
  const auto began = std::chrono::steady_clock::now();
  for (auto next = seed; tally.kills < wanted && !HasFailure(); ++next) {
    Ordeal(next, tally).endure(std::min(kMostKills, wanted - tally.kills));
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  fmt::print("{} kills in {:.1f} s ({:.1f} a second), {} scenarios; at {}\n", tally.kills, took.count(),
             tally.kills / took.count(), tally.scenarios, tally.at_point);
  if (HasFailure()) return;
  for (const auto& [point, spread] : kFaultPoints) EXPECT_GT(tally.at_point[point], 0) << point;
}

TEST(CrashTest, TheListOfFaultPointsIsComplete) {
  std::set<std::string> reached;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const CrashFolder folder;
    ASSERT_EQ(live({.folder = folder.path(), .seed = seed, .mode = "record"}).death, Death::kExited);
    std::ifstream in(points_path(folder.path()));
    for (std::string point; std::getline(in, point);) {
      if (point.starts_with("fsm.") || point.starts_with("store.")) reached.insert(point);
    }
  }
  std::set<std::string> known;
  for (const auto& [point, spread] : kFaultPoints) known.insert(point);
  EXPECT_EQ(reached, known);
}

}  // namespace
}  // namespace slipway::crash
