#include <fstream>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/feeds_views.h"
#include "cli/testing/program_fixture.h"
#include "feeds/standard_providers.h"
#include "feeds/testing/small_feeds.h"

namespace slipway::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class FeedsQueryTest : public ProgramFixture {
 protected:
  void make() { feeds::make_small_feeds(dir_.file("state/feeds.db"), clock_); }
};

TEST_F(FeedsQueryTest, WithoutDataTheErrorSaysHowToGetSome) {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"feeds", "show", "CVE-2021-44228"}, {"feeds", "search", "x"}, {"feeds", "path", "a", "b"}}) {
    EXPECT_EQ(run(words), 1);
    EXPECT_THAT(err_, HasSubstr("hint: `slipway feeds sync`"));
  }
  EXPECT_FALSE(std::filesystem::exists(dir_.file("state/feeds.db")));
}

TEST_F(FeedsQueryTest, ShowPrintsFactsAndTheChainAsATree) {
  make();
  EXPECT_EQ(run({"feeds", "show", "cve-2021-44228"}), 0) << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("CVE-2021-44228"), HasSubstr("v2e::nvd::cve::CVE-2021-44228"),
                          HasSubstr("10.0  CVSS:3.1"), HasSubstr("Apache Log4j2 JNDI")));
  EXPECT_THAT(out_,
              AllOf(HasSubstr("weakness CWE-502  Deserialization of Untrusted Data"),
                    HasSubstr("mitigation M1048  Application Isolation"),
                    HasSubstr("rule rhel8/rule/package_aide_installed  Install AIDE"), HasSubstr("requirement 5.5.3"),
                    HasSubstr("CAPEC-586  (see above)"), HasSubstr("weakness CWE-9999  (not known)")));
  EXPECT_EQ(run({"feeds", "show", "CVE-2021-4422"}), 1);
  EXPECT_THAT(err_, HasSubstr("near to it: CVE-2021-44228"));
}

TEST_F(FeedsQueryTest, ShowHasAllOfItAsJson) {
  make();
  const auto records = json({"feeds", "show", "CVE-2021-44228"}).at("records");
  ASSERT_EQ(records.size(), 1);
  const auto& cve = records[0];
  EXPECT_EQ(cve.at("kind"), "cve");
  EXPECT_EQ(cve.at("score"), 10.0);
  EXPECT_EQ(cve.at("body").at("references")[0], "https://logging.apache.org");
  EXPECT_EQ(cve.at("links")[0].at("relation"), "weakness");
  EXPECT_EQ(cve.at("links")[0].at("count"), 3);
  EXPECT_EQ(cve.at("chain").at("below")[1].at("below")[1].at("role"), "requirement");
  EXPECT_EQ(json({"feeds", "show", "GHSA-jfh8-c2jp-5v3q"}).at("records")[0].at("affected")[0].at("fixed"), "2.15.0");
  EXPECT_EQ(json({"feeds", "show", "SI-3"}).at("records")[0].at("known"), false);
}

TEST_F(FeedsQueryTest, SearchFindsWordsAndMarksWhatIsTakenBack) {
  make();
  EXPECT_EQ(run({"feeds", "search", "deserialization"}), 0) << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("CWE-502"), HasSubstr("rejected"), Not(HasSubstr("\\x02"))));
  const auto hits = json({"feeds", "search", "deserialization", "--kind", "asvs"}).at("hits");
  ASSERT_EQ(hits.size(), 1);
  EXPECT_EQ(hits[0].at("name"), "5.5.3");
  EXPECT_EQ(json({"feeds", "search", "deserialization", "-n", "1"}).at("hits").size(), 1);
  EXPECT_EQ(run({"feeds", "search", "nothing", "has", "this"}), 0);
  EXPECT_THAT(out_, IsEmpty());
  EXPECT_EQ(run({"feeds", "search", "--kind", "fish", "x"}), 2);
  EXPECT_EQ(run({"feeds", "search", "--limit", "0", "x"}), 2);
  EXPECT_EQ(run({"feeds", "search", "!!"}), 2);
}

TEST_F(FeedsQueryTest, PathShowsTheLinksOrThatThereAreNone) {
  make();
  EXPECT_EQ(run({"feeds", "path", "CVE-2021-44228", "TA0001"}), 0) << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("- weakness ->"), HasSubstr("- tactic ->     TA0001")));
  const auto back = json({"feeds", "path", "T1190", "M1048"});
  EXPECT_EQ(back.at("found"), true);
  EXPECT_EQ(back.at("steps")[1].at("inward"), true);
  EXPECT_EQ(back.at("steps")[1].at("relation"), "mitigates");
  EXPECT_EQ(run({"feeds", "path", "T1190", "CCE-99999-1"}), 0);
  EXPECT_THAT(out_, HasSubstr("There is no path"));
  EXPECT_EQ(json({"feeds", "path", "T1190", "CCE-99999-1"}).at("found"), false);
  EXPECT_EQ(run({"feeds", "path", "T1190", "CCE-5"}), 1);
}

TEST_F(FeedsQueryTest, WhoMayOnlyReadCanAskAndList) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  make();
  ASSERT_EQ(::chmod(dir_.file("state").c_str(), 0500), 0);
  EXPECT_EQ(run({"feeds", "show", "CWE-79"}), 0) << err_;
  EXPECT_EQ(run({"feeds"}), 0) << err_;
  ASSERT_EQ(::chmod(dir_.file("state").c_str(), 0700), 0);
}

TEST_F(FeedsQueryTest, EachStandardProviderHasASettingAndIsOffered) {
  EXPECT_EQ(run({"__complete", "feeds", "sync", ""}), 0);
  for (const auto& provider : feeds::standard_providers()) {
    EXPECT_NE(feed_source_spec(provider.id), nullptr) << provider.id;
    EXPECT_THAT(out_, HasSubstr(std::string(provider.id) + "\t"));
  }
  EXPECT_EQ(feed_source_spec("fish"), nullptr);
}

TEST(FeedsTree, FitsItsWidthAndUsesPlainLettersWhereOthersCannotBeShown) {
  feeds::ChainNode root;
  feeds::ChainNode below{.what = {.name = "CWE-1", .known = true, .title = "a title that is rather long"},
                         .role = "weakness"};
  below.below.push_back(
      {.what = {.name = "CAPEC-1", .known = true, .title = "short\x1b[31m"}, .role = "attack pattern"});
  below.more["requirement"] = 12;
  root.below = {below, {.what = {.name = "CWE-2"}, .role = "weakness", .repeated = true}};
  root.more["advisory"] = 2;
  EXPECT_THAT(tree_lines(root, {.columns = 0, .unicode = false}),
              ElementsAre("|- weakness CWE-1  a title that is rather long",
                          "|  |- attack pattern CAPEC-1  short\\x1b[31m", "|  `- ... and 12 more requirements",
                          "|- weakness CWE-2  (see above)", "`- ... and 2 more advisories"));
  for (const auto& line : tree_lines(root, {.columns = 30})) EXPECT_LE(line.size(), 30 + 3 * 5) << line;
  for (std::size_t columns = 4; columns < 60; ++columns) {  // colours change nothing but the colour
    const auto plain = tree_lines(root, {.columns = columns});
    const auto painted = tree_lines(root, {.columns = columns, .color = true});
    ASSERT_EQ(plain.size(), painted.size());
    for (std::size_t i = 0; i < plain.size(); ++i) {
      EXPECT_EQ(std::regex_replace(painted[i], std::regex("\x1b\\[[0-9]+m"), ""), plain[i]);
    }
  }
  EXPECT_EQ(tree_lines(root, {.columns = 30}).front(), "├─ weakness CWE-1  a title th…");
}

}  // namespace
}  // namespace slipway::cli
