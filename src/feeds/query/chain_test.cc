#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "feeds/query/feed_reader.h"
#include "feeds/testing/small_feeds.h"
#include "sys/testing/manual_clock.h"
#include "sys/testing/temp_dir.h"

namespace slipway::feeds {
namespace {

using testing::ElementsAre;

void write_lines(const ChainNode& node, int depth, std::vector<std::string>& lines) {
  const std::string role = node.role.empty() ? "" : node.role + " ";
  lines.push_back(std::string(static_cast<std::size_t>(depth), ' ') + role + node.what.name +
                  (node.repeated ? " again" : ""));
  for (const auto& below : node.below) write_lines(below, depth + 1, lines);
  for (const auto& [what, count] : node.more) {
    lines.push_back(fmt::format("{}+{} {}", std::string(static_cast<std::size_t>(depth) + 1, ' '), count, what));
  }
}

class ChainTest : public testing::Test {
 protected:
  ChainTest() {
    make_small_feeds(path_, clock_);
    reader_ = FeedReader::open(path_, clock_).value();
  }
  std::vector<std::string> chain(std::string_view name, const ChainOptions& options = {}) {
    const auto tree = reader_->chain(reader_->find(name).value().at(0).node, options);
    std::vector<std::string> lines;
    if (tree) write_lines(*tree, 0, lines);
    if (!tree) lines.push_back(tree.error().describe());
    return lines;
  }

  sys::TempDir folder_;
  const std::string path_ = folder_.file("feeds.db");
  sys::ManualClock clock_;
  std::unique_ptr<FeedReader> reader_;
};

TEST_F(ChainTest, ACveLeadsToTheRulesThatBearOnIt) {
  EXPECT_THAT(chain("CVE-2021-44228"),
              ElementsAre("CVE-2021-44228",                                //
                          " weakness CWE-20",                              //
                          "  attack pattern CAPEC-586",                    //
                          "   technique T1190",                            //
                          "    tactic TA0001",                             //
                          "    mitigation M1048",                          //
                          "     control SI-3",                             //
                          "      rule rhel8/rule/package_aide_installed",  //
                          " weakness CWE-502",                             //
                          "  attack pattern CAPEC-586 again",              //
                          "  requirement 5.5.3",                           //
                          " weakness CWE-9999",                            //
                          " advisory GHSA-jfh8-c2jp-5v3q"));
}

TEST_F(ChainTest, OtherKindsBeginTheirPartOfIt) {
  EXPECT_THAT(chain("T1190"), ElementsAre("T1190", " tactic TA0001", " mitigation M1048", "  control SI-3",
                                          "   rule rhel8/rule/package_aide_installed"));
  EXPECT_THAT(chain("CCE-80787-1"), ElementsAre("CCE-80787-1", " rule rhel8/rule/package_aide_installed",
                                                "  control SI-3", "   mitigation M1048"));
  EXPECT_THAT(chain("M1048"), ElementsAre("M1048", " control SI-3", "  rule rhel8/rule/package_aide_installed",
                                          " technique T1190", "  tactic TA0001"));
  EXPECT_THAT(chain("SI-3"), ElementsAre("SI-3", " rule rhel8/rule/package_aide_installed", " mitigation M1048"));
  EXPECT_THAT(chain("guide-rhel8"), ElementsAre("guide-rhel8", " part rhel8/rule/package_aide_installed"));
  EXPECT_THAT(chain("TA0001")[1], " technique T1190");
  EXPECT_THAT(chain("GHSA-jfh8-c2jp-5v3q")[1], " alias CVE-2021-44228");
  EXPECT_THAT(chain("5.5.3")[1], " weakness CWE-502");
  EXPECT_THAT(chain("CCE-99999-1"), ElementsAre("CCE-99999-1"));
}

TEST_F(ChainTest, BreadthAndSizeAreBoundedAndWhatIsLeftOutIsCounted) {
  EXPECT_THAT(chain("CVE-2021-44228", {.breadth = 1, .most = 3}),
              ElementsAre("CVE-2021-44228", " weakness CWE-20", "  +1 attack pattern", " advisory GHSA-jfh8-c2jp-5v3q",
                          " +2 weakness"));
  EXPECT_THAT(chain("CVE-2021-44228", {.most = 1}), ElementsAre("CVE-2021-44228", " +1 advisory", " +3 weakness"));
}

TEST_F(ChainTest, ACircleEnds) {
  {
    const auto store = FeedStore::open(path_, clock_).value();
    std::vector<Record> circle;
    for (int i = 0; i < 3; ++i) {
      circle.push_back({.urn = urn_of(fmt::format("mitre::attack::T900{}", i)),
                        .links = {{"revoked-by", urn_of(fmt::format("mitre::attack::T900{}", (i + 1) % 3))}},
                        .details = Attack{.category = "technique", .body = "{}"}});
    }
    sync_records(*store, "attack", circle);
  }
  EXPECT_THAT(chain("T9000"), ElementsAre("T9000", " replaced by T9001", "  replaced by T9002"));
}

TEST_F(ChainTest, WhatIsNotThereHasNone) {
  EXPECT_EQ(reader_->chain(NodeId{1'000'000}).error().kind(), ErrorKind::kNotFound);
}

}  // namespace
}  // namespace slipway::feeds
