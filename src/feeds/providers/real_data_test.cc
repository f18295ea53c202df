// The providers over real files of their publishers, where these are there: the counts are those of the inventory.
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "feeds/providers/advisory_providers.h"
#include "feeds/providers/attack_provider.h"
#include "feeds/providers/cve_provider.h"
#include "feeds/testing/ground.h"

namespace slipway::feeds {
namespace {

class RealDataTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* given = std::getenv("SLIPWAY_DATA");
    data_ = given != nullptr ? given : SLIPWAY_TEST_DATA;
    if (!std::filesystem::exists(data_ + "/INVENTORY.md")) GTEST_SKIP() << "there is no real data: set SLIPWAY_DATA";
    data_ = std::filesystem::canonical(data_).string();
  }

  ProviderRow sync(const std::string& id, const Ground::Make& make, const std::string& file) {
    auto row = ground_.sync(id, make, data_ + "/" + file, {.max_bad_records = 1000});
    if (!row) {
      ADD_FAILURE() << file << ": " << row.error().describe();
      return {};
    }
    for (const auto& bad : ground_.tables().texts("SELECT name || ': ' || error FROM bad_record LIMIT 5")) {
      std::cout << "bad: " << bad << "\n";
    }
    return *row;
  }
  std::int64_t number(const std::string& sql) { return ground_.number(sql); }

  static std::unique_ptr<Provider> cve(Fetcher& fetcher, net::HttpClient& client) {
    return std::make_unique<CveProvider>(fetcher, client);
  }
  template <class T>
  static std::unique_ptr<Provider> of(Fetcher& fetcher, net::HttpClient&) {
    return std::make_unique<T>(fetcher);
  }

  std::string data_;
  Ground ground_;
};

TEST_F(RealDataTest, APageOfNvdsApi) {
  const auto row = sync("cve", cve, "cve/nvd-api2.0-page0-2000cves-20260307.json.xz");
  EXPECT_EQ(row.processed, 2000);
  EXPECT_EQ(row.errors, 0);
  EXPECT_EQ(number("SELECT count(*) FROM record WHERE standing = 'rejected'"), 34);
  EXPECT_EQ(number("SELECT count(*) FROM cve WHERE published IS NULL OR modified IS NULL"), 0);
  // References are published twice, and kept once.
  EXPECT_EQ(number("SELECT count(*) FROM cve WHERE (SELECT count(*) FROM json_each(body, '$.references')) <> (SELECT "
                   "count(DISTINCT json_extract(value, '$.url')) FROM json_each(body, '$.references'))"),
            0);
}

TEST_F(RealDataTest, NvdsFeedsOfTheOlderShape) {
  EXPECT_EQ(sync("cve", cve, "cve/nvdcve-1.1-2003.json.gz").processed, 1550);
  EXPECT_EQ(sync("cve", cve, "cve/nvdcve-1.1-2025-partial.json.xz").processed, 12137);
  EXPECT_EQ(number("SELECT count(*) FROM record WHERE gone_since IS NOT NULL"), 1550) << "2003 is no longer told of";
  EXPECT_EQ(sync("cve", cve, "cve/nvdcve-1.1-modified.json.gz").processed, 1229);
  EXPECT_EQ(number("SELECT count(*) FROM record WHERE gone_since IS NOT NULL AND name LIKE 'CVE-2025%'"), 0)
      << "what has been modified is not all there is";
}

TEST_F(RealDataTest, TheCveList) {
  const auto row = sync("cve", cve, "cve/cve5-vulnrichment-44130.tar.zst");
  EXPECT_EQ(row.processed, 44130);
  EXPECT_EQ(row.errors, 0);
  EXPECT_EQ(number("SELECT count(*) FROM record WHERE standing = 'rejected'"), 104);
  EXPECT_GE(number("SELECT count(DISTINCT source) FROM link WHERE relation = 'weakness'"), 27267);
  EXPECT_EQ(number("SELECT count(DISTINCT node) FROM cve, json_each(body, '$.cvss') "
                   "WHERE json_extract(value, '$.version') = '4.0'"),
            2331);
  EXPECT_EQ(number("SELECT count(*) FROM cve WHERE NOT json_valid(body)"), 0);
}

TEST_F(RealDataTest, FixturesOfManyProjectsAreReadAsFarAsTheyAreCves) {
  const auto row = sync("cve", cve, "cve/nvd2-fixtures.tar.xz");
  EXPECT_GT(row.processed, 130);
  EXPECT_GT(row.errors, 0) << "some are not CVEs, and one is no JSON";
}

TEST_F(RealDataTest, Attack) {
  const auto row = sync("attack", of<AttackProvider>, "attack/enterprise-attack-18.1-stix2.0.reassembled.json.xz");
  EXPECT_EQ(row.errors, 0);
  const auto techniques = "SELECT count(*) FROM attack JOIN record USING (node) WHERE category = 'technique'";
  EXPECT_EQ(number(techniques), 835);
  EXPECT_EQ(number(std::string(techniques) + " AND standing = 'live'"), 691);
  EXPECT_EQ(number("SELECT count(*) FROM attack WHERE category = 'tactic'"), 14);
  EXPECT_EQ(number("SELECT count(*) FROM attack WHERE category = 'software'"), 696 + 91);
  EXPECT_EQ(number("SELECT count(*) FROM attack WHERE category = 'group'"), 187);
  EXPECT_EQ(number("SELECT count(*) FROM attack WHERE category = 'mitigation'"), 268);
  EXPECT_EQ(number("SELECT count(*) FROM attack JOIN record USING (node) WHERE category = 'technique' AND standing = "
                   "'live' AND node NOT IN (SELECT source FROM link WHERE relation = 'tactic')"),
            0);
}

TEST_F(RealDataTest, AttackOfAllDomainsInBothVersionsOfStix) {
  EXPECT_EQ(sync("attack", of<AttackProvider>, "attack/ics-attack-18.1-stix2.0.json.xz").errors, 0);
  EXPECT_EQ(number("SELECT count(*) FROM attack WHERE category = 'technique'"), 95);
  EXPECT_EQ(sync("attack", of<AttackProvider>, "attack/ics-attack-18.1-stix2.1.json.xz").errors, 0);
  EXPECT_EQ(number("SELECT count(*) FROM attack WHERE category = 'technique'"), 95);
  EXPECT_GT(number("SELECT count(*) FROM link WHERE relation = 'control'"), 0);
  EXPECT_EQ(sync("attack", of<AttackProvider>, "attack/mobile-attack-18.1-stix2.0.reassembled.json.xz").errors, 0);
  EXPECT_EQ(
      number("SELECT count(*) FROM attack JOIN record USING (node) WHERE category = 'technique' AND gone_since IS "
             "NULL"),
      190);
}

TEST_F(RealDataTest, OsvInJsonAndYaml) {
  EXPECT_EQ(sync("osv", of<OsvProvider>, "osv/go-vulndb-osv.tar.zst").processed, 4291);
  EXPECT_EQ(number("SELECT count(*) FROM record WHERE standing = 'withdrawn'"), 17);
  EXPECT_EQ(sync("osv", of<OsvProvider>, "osv/rustsec-osv.tar.zst").processed, 1206);
  EXPECT_EQ(number("SELECT count(*) FROM advisory JOIN record USING (node) WHERE gone_since IS NULL AND score IS NOT "
                   "NULL AND vector LIKE 'CVSS:4%'"),
            57);
  EXPECT_EQ(sync("osv", of<OsvProvider>, "osv/pypa-advisory-yaml.tar.zst").processed, 2661);
  EXPECT_EQ(sync("osv", of<OsvProvider>, "osv/hackage-osv.tar.zst").processed, 35);
  EXPECT_GT(number("SELECT count(*) FROM affected WHERE ecosystem = 'PyPI' AND package = 'django'"), 50);
}

TEST_F(RealDataTest, DebiansTracker) {
  EXPECT_EQ(sync("debian", of<DebianProvider>, "osv/debian/security-tracker-sample-vunnel.json").errors, 0);
  EXPECT_GT(number("SELECT count(*) FROM affected WHERE ecosystem = 'Debian:10' AND status = 'fixed'"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM record"), 7);
}

TEST_F(RealDataTest, AlpinesSecdb) {
  const auto row = sync("alpine", of<AlpineProvider>, "osv/alpine/alpine-secdb-yaml-20200608.tar.xz");
  EXPECT_EQ(row.errors, 0);
  EXPECT_GT(row.processed, 11'000);
  EXPECT_EQ(number("SELECT count(DISTINCT ecosystem) FROM affected"), 9) << "v3.3 to v3.11";
  EXPECT_EQ(number("SELECT count(*) FROM affected WHERE status = 'not-affected'"), 5) << "of one version 0";
  EXPECT_EQ(number("SELECT count(*) FROM record WHERE name GLOB 'Alpine:v3.9/main/xen/XSA-28[4-8]' OR name GLOB "
                   "'Alpine:v3.9/main/xen/XSA-29[0-4]'"),
            10)
      << "of CVEs that had no number yet";
  EXPECT_EQ(number("SELECT count(*) FROM record WHERE name LIKE '%?%'"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM record WHERE (SELECT count(*) FROM link WHERE source = node AND relation = "
                   "'alias') <> 1"),
            0);
}

}  // namespace
}  // namespace slipway::feeds
