#include "feeds/providers/nvd_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "feeds/providers/cve_provider.h"
#include "feeds/providers/nvd_question.h"
#include "feeds/testing/ground.h"
#include "feeds/testing/nvd_server.h"

namespace slipway::feeds {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using namespace std::chrono_literals;

class NvdApiTest : public ::testing::Test {
 protected:
  Result<ProviderRow> sync(const Ground::Options& options = {.api_key = "secret"}) {
    return ground_.sync(
        "cve", [](Fetcher& fetcher, net::HttpClient& client) { return std::make_unique<CveProvider>(fetcher, client); },
        server_.url(), options);
  }
  std::int64_t stored() { return ground_.number("SELECT count(*) FROM record"); }
  // A sync that fails: its message.
  std::string failure(const Ground::Options& options = {.api_key = "secret"}) {
    const auto row = sync(options);
    return row ? "it did not fail" : row.error().describe();
  }

  NvdTestServer server_{4500};
  Ground ground_;
};

TEST_F(NvdApiTest, LoadsAllPageByPage) {
  const auto row = sync();
  ASSERT_TRUE(row) << row.error().describe();
  EXPECT_EQ(row->processed, 4500);
  EXPECT_EQ(stored(), 4500);
  EXPECT_THAT(server_.queries(), ElementsAre("resultsPerPage=2000&startIndex=0", "resultsPerPage=2000&startIndex=2000",
                                             "resultsPerPage=2000&startIndex=4000"));
  EXPECT_THAT(server_.keys(), Each(std::string("secret")));
}

TEST_F(NvdApiTest, TheNextSyncAsksForWhatHasChangedSince) {
  ASSERT_TRUE(sync());
  auto cves = numbered_cves(0, 4501);
  cves[7].modified = "2026-01-01T00:00:00.000";
  const auto now = to_iso8601(sys::system_clock().now());
  cves[8].modified = now.substr(0, 19) + ".000";
  cves[8].description = "another flaw";
  server_.set(std::move(cves));
  const auto before = server_.queries().size();
  const auto row = sync();
  ASSERT_TRUE(row) << row.error().describe();
  EXPECT_EQ(row->processed, 1) << "what was modified long before is not asked for";
  ASSERT_THAT(server_.queries(), SizeIs(before + 1));
  EXPECT_THAT(server_.queries().back(), HasSubstr("lastModStartDate="));
  EXPECT_EQ(ground_.text("SELECT description FROM record WHERE name = 'CVE-2024-10008'"), "another flaw");
  EXPECT_EQ(ground_.number("SELECT count(*) FROM record WHERE gone_since IS NOT NULL"), 0);
}

TEST_F(NvdApiTest, GoesOnBehindTheLastCheckpoint) {
  EXPECT_THAT(failure({.api_key = "secret", .interrupt_after = 2500}), HasSubstr("interrupted"));
  EXPECT_EQ(stored(), 2500);
  const auto row = sync();
  ASSERT_TRUE(row) << row.error().describe();
  EXPECT_EQ(row->processed, 4500);
  EXPECT_EQ(stored(), 4500);
  EXPECT_THAT(server_.queries().back(), "resultsPerPage=2000&startIndex=2500");
}

TEST_F(NvdApiTest, ATotalThatGrowsIsFollowed) {
  server_.set_before(2, numbered_cves(0, 4700));
  const auto row = sync();
  ASSERT_TRUE(row) << row.error().describe();
  EXPECT_EQ(stored(), 4700);
}

TEST_F(NvdApiTest, NothingIsMissedWhenTheTotalShrinks) {
  // Ten of the first page vanish: the items behind them move up by ten.
  auto fewer = numbered_cves(10, 4490);
  server_.set_before(1, std::move(fewer));
  const auto row = sync();
  ASSERT_TRUE(row) << row.error().describe();
  EXPECT_EQ(stored(), 4500) << "those that vanished were stored before";
}

TEST_F(NvdApiTest, TooManyRequestsIsPatienceAsLongAsTheServerSays) {
  server_.trouble({{.status = 429, .headers = {{"Retry-After", "17"}}}});
  EXPECT_THAT(failure(), HasSubstr("429"));
  EXPECT_TRUE(sync()) << "and then it goes on";
  EXPECT_EQ(stored(), 4500);
}

TEST_F(NvdApiTest, AWrongKeyIsAnErrorThatSaysSo) {
  server_.trouble({{.status = 404, .headers = {{"message", "Invalid apiKey."}}}});
  EXPECT_THAT(failure(), AllOf(HasSubstr("Invalid apiKey"), HasSubstr("feed_cve_api_key"), Not(HasSubstr("secret"))));
}

TEST_F(NvdApiTest, BodiesCutShortArePassingTroubleAndNothingIsLost) {
  server_.trouble({{.no_trouble = true}, {.truncated = true}});
  const auto row = sync();
  ASSERT_FALSE(row);
  EXPECT_EQ(row.error().kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(stored(), 2000);
  ASSERT_TRUE(sync());
  EXPECT_EQ(stored(), 4500);
}

TEST_F(NvdApiTest, AWebPageInsteadOfDataIsRefused) {
  server_.trouble({{.status = 200, .body = "<!DOCTYPE html><html><body>Down for maintenance</body></html>"}});
  EXPECT_THAT(failure(), HasSubstr("begins with '<'"));
  server_.trouble({{.status = 200, .body = R"({"error": "no"})"}});
  EXPECT_THAT(failure(), HasSubstr("\"vulnerabilities\""));
  server_.trouble({{.status = 200, .body = R"({"totalResults": 5000, "vulnerabilities": []})"}});
  EXPECT_THAT(failure(), HasSubstr("gives none"));
  EXPECT_EQ(stored(), 0);
}

TEST_F(NvdApiTest, ABadRecordIsNamedAndTheOthersAreTaken) {
  auto cves = numbered_cves(0, 3);
  cves[1].id = "CVE-../../etc";
  server_.set(std::move(cves));
  const auto row = sync();
  ASSERT_TRUE(row) << row.error().describe();
  EXPECT_EQ(row->processed, 2);
  EXPECT_EQ(row->errors, 1);
  EXPECT_EQ(ground_.text("SELECT name FROM bad_record"), "CVE-../../etc");
}

TEST(NvdQuestionTest, WindowsAreAtMost120DaysAndLeaveNothingOut) {
  const auto first = NvdQuestion::after("", "here", from_micros(0));
  EXPECT_THAT(first.windows(), SizeIs(1));
  EXPECT_FALSE(first.windows()[0].from) << "all";
  const TimePoint later_on = from_micros(0) + std::chrono::hours(24 * 400);
  const auto next = NvdQuestion::after(first.tag(), "here", later_on);
  ASSERT_THAT(next.windows(), SizeIs(4));
  EXPECT_LE(*next.windows().front().from, from_micros(0)) << "with some overlap";
  EXPECT_EQ(next.windows().back().until, later_on);
  for (std::size_t i = 1; i < next.windows().size(); ++i) {
    EXPECT_EQ(*next.windows()[i].from, next.windows()[i - 1].until);
    EXPECT_LE(next.windows()[i].until - *next.windows()[i].from, std::chrono::hours(24 * 120));
  }
  EXPECT_EQ(NvdQuestion::parse(next.tag(), "here")->windows(), next.windows());
  EXPECT_FALSE(NvdQuestion::parse("sha256:12", "here"));
  EXPECT_FALSE(NvdQuestion::parse("nvd2 here x y", "here"));
  EXPECT_FALSE(NvdQuestion::parse(next.tag(), "there")) << "another source has another content";
  EXPECT_EQ(NvdQuestion::after(next.tag(), "there", later_on).windows().front().from, std::nullopt);
}

TEST(NvdQuestionTest, TimesAreSentWithTheirZone) {
  const auto question =
      NvdQuestion::after(NvdQuestion::after("", "here", from_micros(0)).tag(), "here", from_micros(1'000'000));
  EXPECT_EQ(question.query(0, 40, 20),
            "resultsPerPage=20&startIndex=40&lastModStartDate=1969-12-31T22:00:00.000%2B00:00&"
            "lastModEndDate=1970-01-01T00:00:01.000%2B00:00");
}

}  // namespace
}  // namespace slipway::feeds
