#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "feeds/providers/advisory_record.h"

namespace slipway::feeds {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Of the package xen in v3.9.
std::vector<Record> read(std::string_view fixes) {
  JsonDocument document;
  const auto root = document.parse(fmt::format(R"({{"pkg": {{"name": "xen", "secfixes": {}}}}})", fixes));
  EXPECT_TRUE(root);
  auto records = read_alpine_package(*root, "Alpine:v3.9", "main");
  EXPECT_TRUE(records) << records.error().describe();
  EXPECT_FALSE(document.fault());
  return records.value_or(std::vector<Record>());
}

std::vector<std::string> names(const std::vector<Record>& records) {
  std::vector<std::string> all;
  for (const auto& one : records) all.emplace_back(one.urn.id().substr(one.urn.id().rfind('/') + 1));
  return all;
}

std::vector<std::string> links(const Record& record) {
  std::vector<std::string> all;
  for (const auto& link : record.links) all.push_back(link.relation + " " + std::string(link.target.id()));
  return all;
}

TEST(AlpineAdvisoryTest, CvesThatShareAnotherIdAreNotTheSame) {
  const auto records = read(R"({"4.7.1-r3": ["CVE-2016-9815 XSA-201", "CVE-2016-9816 XSA-201"]})");
  ASSERT_THAT(names(records), ElementsAre("CVE-2016-9815", "CVE-2016-9816"));
  EXPECT_THAT(links(records[0]), ElementsAre("alias CVE-2016-9815", "related XSA-201"));
  EXPECT_THAT(links(records[1]), ElementsAre("alias CVE-2016-9816", "related XSA-201"));
}

TEST(AlpineAdvisoryTest, EachCveOfALineIsAProblemOfItsOwn) {
  const auto records = read(R"({"4.11-r1": ["CVE-2018-3620 CVE-2018-3646 XSA-273"], "4.11-r2": ["CVE-2018-3646"]})");
  ASSERT_THAT(names(records), ElementsAre("CVE-2018-3620", "CVE-2018-3646"));
  EXPECT_THAT(links(records[1]), ElementsAre("related CVE-2018-3620", "alias CVE-2018-3646", "related XSA-273"));
  std::vector<std::string> fixed;
  for (const auto& one : std::get<Advisory>(records[1].details).affected) fixed.push_back(one.fixed);
  EXPECT_THAT(fixed, ElementsAre("4.11-r1", "4.11-r2"));
}

TEST(AlpineAdvisoryTest, ACveWithoutANumberIsNoName) {
  const auto records = read(R"({"4.11.1-r2": ["CVE-????-?????  XSA-284", "CVE-????-?????  XSA-285", "XSA-207"]})");
  ASSERT_THAT(names(records), ElementsAre("XSA-284", "XSA-285", "XSA-207"));
  EXPECT_THAT(links(records[0]), ElementsAre("alias XSA-284"));
}

TEST(AlpineAdvisoryTest, AFixIsKeptThoughNothingNamesIt) {
  const auto records = read(R"({"1": ["CVE-????-?????", " "]})");
  ASSERT_THAT(names(records), ElementsAre(R"(CVE-????-?????)"));
  EXPECT_THAT(links(records[0]), IsEmpty());
}

TEST(AlpineAdvisoryTest, CvesAreKnownByOtherSpellingsToo) {
  const auto records = read(R"({"1": ["CVE_2019-2426", "CVE-2017-17434-1", "CVE-2017-17434-2", "CVE 2018-16859",
                               "CVE-2017-8073.patch"]})");
  EXPECT_THAT(names(records), ElementsAre("CVE-2019-2426", "CVE-2017-17434", "CVE-2018-16859", "CVE-2017-8073"));
}

}  // namespace
}  // namespace slipway::feeds
