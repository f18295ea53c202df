#include <algorithm>
#include <map>
#include <queue>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "feeds/query/feed_reader.h"
#include "feeds/testing/small_feeds.h"
#include "sys/testing/manual_clock.h"
#include "sys/testing/temp_dir.h"

namespace slipway::feeds {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PathTest : public testing::Test {
 protected:
  FoundPath path(std::string_view from, std::string_view to, int most = FeedReader::kMostSteps) {
    return reader_->path(node(from), node(to), most).value();
  }
  NodeId node(std::string_view name) { return reader_->find(name).value().at(0).node; }
  static std::vector<std::string> words(const FoundPath& path) {
    std::vector<std::string> all;
    for (const auto& step : path.steps) {
      const std::string arrow = step.relation.empty() ? "" : (step.inward ? "<" : ">") + step.relation + " ";
      all.push_back(arrow + step.what.name);
    }
    return all;
  }

  sys::TempDir folder_;
  const std::string path_ = folder_.file("feeds.db");
  sys::ManualClock clock_;
  std::unique_ptr<FeedReader> reader_;
};

class SmallPathTest : public PathTest {
 protected:
  SmallPathTest() {
    make_small_feeds(path_, clock_);
    reader_ = FeedReader::open(path_, clock_).value();
  }
};

TEST_F(SmallPathTest, AShortestChainGoesOverLinksInBothDirections) {
  EXPECT_THAT(words(path("CVE-2021-44228", "M1048")),
              ElementsAre("CVE-2021-44228", testing::StartsWith(">weakness CWE-"), ">pattern CAPEC-586",
                          ">technique T1190", "<mitigates M1048"));
  EXPECT_THAT(words(path("G0007", "TA0001")), ElementsAre("G0007", ">uses T1190", ">tactic TA0001"));
  EXPECT_THAT(words(path("CCE-80787-1", "SI-3")),
              ElementsAre("CCE-80787-1", "<identifier rhel8/rule/package_aide_installed", ">control SI-3"));
}

TEST_F(SmallPathTest, FromAThingToItselfIsThatThing) {
  EXPECT_THAT(words(path("T1190", "T1190")), ElementsAre("T1190"));
}

TEST_F(SmallPathTest, NoChainIsAnAnswer) {
  EXPECT_THAT(path("CVE-2021-44228", "CCE-99999-1").steps, IsEmpty());
  EXPECT_THAT(path("CVE-2021-44228", "M1048", 3).steps, IsEmpty());
  EXPECT_EQ(path("CVE-2021-44228", "M1048", 4).steps.size(), 5);
  EXPECT_EQ(path("CVE-2021-44228", "M1048", 3).most_steps, 3);
}

TEST_F(SmallPathTest, AnEndWithOneLinkOnlyIsReachedInOneStepFromEitherSide) {
  EXPECT_THAT(words(path("G0007", "T1190", 1)), ElementsAre("G0007", ">uses T1190"));
  EXPECT_THAT(words(path("T1190", "G0007", 1)), ElementsAre("T1190", "<uses G0007"));
  EXPECT_THAT(path("G0007", "TA0001", 1).steps, IsEmpty());
}

// Against a search that is too simple to be wrong.
class RandomGraphTest : public PathTest {
 protected:
  static constexpr int kNodes = 60;

  static Urn urn(int i) { return urn_of(fmt::format("mitre::cwe::CWE-{}", i)); }

  // Every node with new links: most have none or one, some lead on, a few are hubs.
  std::vector<Record> new_links() {
    links_.clear();
    std::vector<Record> records;
    for (int i = 0; i < kNodes; ++i) {
      Record one{.urn = urn(i), .details = Cwe{.category = "weakness", .body = "{}"}};
      const bool hub = i % 20 == 7;
      for (auto links = hub ? 15UL : random_() % 3; links > 0; --links) {
        const int other = static_cast<int>(random_() % kNodes);
        one.links.push_back({"peer-of", urn(other)});
        links_[i].insert(other);
      }
      records.push_back(std::move(one));
    }
    std::ranges::shuffle(records, random_);
    return records;
  }

  std::map<int, int> distances(int from) const {
    std::map<int, std::set<int>> near;
    for (const auto& [source, targets] : links_) {
      for (const int target : targets) {
        near[source].insert(target);
        near[target].insert(source);
      }
    }
    std::map<int, int> distance{{from, 0}};
    std::queue<int> open({from});
    for (; !open.empty(); open.pop()) {
      for (const int next : near[open.front()]) {
        if (distance.emplace(next, distance[open.front()] + 1).second) open.push(next);
      }
    }
    return distance;
  }

  [[nodiscard]] bool linked(int a, int b) const {
    const auto has = [this](int source, int target) {
      const auto found = links_.find(source);
      return found != links_.end() && found->second.contains(target);
    };
    return has(a, b) || has(b, a);
  }

  // All pairs; how many have a way.
  int compare_all() {
    reader_ = FeedReader::open(path_, clock_).value();
    std::vector<NodeId> nodes;
    std::map<NodeId, int> number;
    for (int i = 0; i < kNodes; ++i) {
      nodes.push_back(node(urn(i).text()));
      number[nodes.back()] = i;
    }
    int with_a_way = 0;
    for (int from = 0; from < kNodes; ++from) {
      const auto distance = distances(from);
      for (int to = 0; to < kNodes; ++to) {
        const auto known = distance.find(to);
        const int limit = known == distance.end() ? FeedReader::kMostSteps : known->second;  // just enough
        const auto found =
            reader_->path(nodes.at(static_cast<std::size_t>(from)), nodes.at(static_cast<std::size_t>(to)), limit);
        EXPECT_TRUE(found) << found.error().describe();
        EXPECT_EQ(found->steps.empty(), known == distance.end()) << from << " to " << to;
        if (known == distance.end() || found->steps.empty()) continue;
        ++with_a_way;
        EXPECT_EQ(found->steps.size(), static_cast<std::size_t>(known->second) + 1) << from << " to " << to;
        for (std::size_t i = 1; i < found->steps.size(); ++i) {
          EXPECT_TRUE(linked(number[found->steps[i - 1].what.node], number[found->steps[i].what.node]));
        }
      }
    }
    return with_a_way;
  }

  std::map<int, std::set<int>> links_;
  std::mt19937 random_{3};
};

TEST_F(RandomGraphTest, EveryChainIsRealAndNoneIsShorterAlsoWhenLinksHaveChanged) {
  auto store = FeedStore::open(path_, clock_).value();
  for (int round = 0; round < 4; ++round) {
    sync_records(*store, "cwe", new_links());
    EXPECT_GT(compare_all(), 1'000);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace slipway::feeds
