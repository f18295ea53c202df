#include "scan/policy/openvex.h"

#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "feeds/formats/feed_time.h"
#include "sys/testing/temp_dir.h"

namespace slipway::scan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string document(const std::string& statements, const std::string& context = "https://openvex.dev/ns/v0.2.0") {
  return R"({"@context": ")" + context + R"(", "@id": "https://example.org/vex", "author": "a",
             "timestamp": "2024-01-01T00:00:00Z", "version": 1, "statements": [)" +
         statements + "]}";
}

VexDocument parse(const std::string& json) {
  auto made = parse_openvex(json, "x.json");
  EXPECT_TRUE(made) << made.error().describe();
  return made ? *made : VexDocument{};
}

Error refused(const std::string& json) {
  const auto made = parse_openvex(json, "x.json");
  EXPECT_FALSE(made) << json;
  return made ? Error(ErrorKind::kInternal, "it was read") : made.error();
}

TEST(OpenVexTest, AStatementOfTheNewestVersionIsReadWhole) {
  const auto made = parse(document(R"({
      "vulnerability": {"@id": "https://example.org/CVE-2021-44228", "name": "CVE-2021-44228",
                        "aliases": ["GHSA-jfh8-c2jp-5v3q"]},
      "timestamp": "2024-02-03T04:05:06.789+01:00",
      "products": [{"@id": "pkg:oci/app@sha256:ab",
                    "identifiers": {"purl": "pkg:oci/app?tag=1", "cpe23": "cpe:2.3:a:x:y"},
                    "hashes": {"sha-256": "ABCD", "md5": "00"},
                    "subcomponents": [{"@id": "pkg:maven/org.apache.logging.log4j/log4j-core@2.14.0"}]}],
      "status": "not_affected", "justification": "vulnerable_code_not_present",
      "impact_statement": "The class is removed."})"));
  ASSERT_EQ(made.statements.size(), 1U);
  const auto& statement = made.statements[0];
  EXPECT_THAT(statement.vulnerabilities, ElementsAre("CVE-2021-44228", "GHSA-jfh8-c2jp-5v3q"));
  EXPECT_EQ(statement.status, VexStatus::kNotAffected);
  EXPECT_TRUE(statement.suppresses());
  EXPECT_EQ(statement.reason, "vulnerable_code_not_present: The class is removed.");
  EXPECT_EQ(statement.at, feeds::parse_feed_time("2024-02-03T03:05:06.789Z"));
  ASSERT_EQ(statement.products.size(), 1U);
  const auto& product = statement.products[0];
  EXPECT_THAT(product.self.names, ElementsAre("pkg:oci/app@sha256:ab", "pkg:oci/app?tag=1", "cpe:2.3:a:x:y"));
  EXPECT_EQ(product.self.purls.size(), 2U);
  EXPECT_THAT(product.self.digests, ElementsAre("abcd"));
  ASSERT_EQ(product.subcomponents.size(), 1U);
  EXPECT_EQ(product.subcomponents[0].purls.at(0).name, "log4j-core");
  EXPECT_THAT(made.warnings, IsEmpty());
}

TEST(OpenVexTest, AStatementOfTheFirstVersionHasTexts) {
  const auto made = parse(document(R"({
      "vulnerability": "CVE-2023-12345", "products": ["pkg:oci/app", "other"],
      "subcomponents": ["pkg:apk/wolfi/git@2.39.0-r1"], "status": "fixed"})",
                                   "https://openvex.dev/ns"));
  ASSERT_EQ(made.statements.size(), 1U);
  EXPECT_THAT(made.statements[0].vulnerabilities, ElementsAre("CVE-2023-12345"));
  ASSERT_EQ(made.statements[0].products.size(), 2U);
  EXPECT_EQ(made.statements[0].products[0].subcomponents.size(), 1U);
  EXPECT_EQ(made.statements[0].products[1].subcomponents.size(), 1U);
  EXPECT_EQ(made.statements[0].at, feeds::parse_feed_time("2024-01-01"));
  EXPECT_EQ(made.statements[0].status, VexStatus::kFixed);
}

TEST(OpenVexTest, AnAddressAloneNamesTheVulnerabilityByItsLastPart) {
  const auto made = parse(document(
      R"({"vulnerability": {"@id": "https://example.org/vuln/CVE-1-2"}, "products": ["x"], "status": "affected"})"));
  EXPECT_THAT(made.statements.at(0).vulnerabilities, ElementsAre("CVE-1-2"));
  EXPECT_FALSE(made.statements[0].suppresses());
}

TEST(OpenVexTest, APartThatCannotBeNamedStillLimitsItsProduct) {
  const auto made = parse(document(
      R"({"vulnerability": "CVE-1-2", "products": [{"@id": "x", "subcomponents": [{}, ""]}], "status": "fixed"})"));
  EXPECT_EQ(made.statements.at(0).products.at(0).subcomponents.size(), 2U);
}

TEST(OpenVexTest, AStatementWithoutProductsIsWarnedOf) {
  const auto made = parse(document(R"({"vulnerability": "CVE-1-2", "status": "fixed"})"));
  EXPECT_THAT(made.warnings, ElementsAre("x.json: statement 1 names no product: it has no effect"));
}

TEST(OpenVexTest, WhatIsNotOpenVexIsNotSupported) {
  for (const char* json : {"{}", "[]", R"({"@context": "https://spdx.org"})",
                           R"({"@context": ["https://openvex.dev/ns"]})", R"({"bomFormat": "CycloneDX"})"}) {
    EXPECT_EQ(refused(json).kind(), ErrorKind::kUnsupported) << json;
  }
  EXPECT_EQ(refused(document("", "https://openvex.dev/ns/v1.0.0")).kind(), ErrorKind::kUnsupported);
  EXPECT_THAT(parse(document("", "https://openvex.dev/ns/v0.0.1")).statements, IsEmpty());
}

TEST(OpenVexTest, WhatIsNoJsonOrOfTheWrongTypeIsCorrupt) {
  EXPECT_EQ(refused("<html>").kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(refused(document(R"({"vulnerability": "CVE-1-2", "products": "x", "status": "fixed"})")).kind(),
            ErrorKind::kCorrupt);
  EXPECT_EQ(refused(document(R"({"vulnerability": 7, "products": ["x"], "status": "fixed"})")).kind(),
            ErrorKind::kCorrupt);
  EXPECT_EQ(refused(document("7")).kind(), ErrorKind::kCorrupt);
}

TEST(OpenVexTest, AStatementThatBreaksARuleIsNamed) {
  const std::string good = R"({"vulnerability": "CVE-1-2", "products": ["x"], "status": "fixed"}, )";
  const auto error =
      refused(document(good + R"({"vulnerability": "CVE-1-2", "products": ["x"], "status": "not_affected"})"));
  EXPECT_EQ(error.kind(), ErrorKind::kInvalid);
  EXPECT_EQ(error.message(), "x.json: statement 2 says not_affected and does not say why");
  EXPECT_THAT(error.hint(), HasSubstr("justification"));
  EXPECT_THAT(refused(document(R"({"vulnerability": "CVE-1-2", "products": ["x"], "status": "fine"})")).message(),
              HasSubstr("no status that is known"));
  EXPECT_THAT(refused(document(R"({"vulnerability": {}, "products": ["x"], "status": "fixed"})")).message(),
              HasSubstr("names no vulnerability"));
  EXPECT_THAT(refused(document(R"({"vulnerability": "C", "products": ["x"], "status": "fixed", "timestamp": "soon"})"))
                  .message(),
              HasSubstr("timestamp that is no time"));
}

TEST(OpenVexTest, ADocumentsTimeIsATimeOrIsNotStated) {
  const auto dated = [](const std::string& time) {
    return R"({"@context": "https://openvex.dev/ns/v0.2.0", )" + time +
           R"("statements": [{"vulnerability": "CVE-1-2", "products": ["x"], "status": "fixed"}]})";
  };
  const auto error = refused(dated(R"("timestamp": "yesterday", )"));
  EXPECT_EQ(error.kind(), ErrorKind::kInvalid);
  EXPECT_EQ(error.message(), "x.json has a timestamp that is no time");
  EXPECT_THAT(error.hint(), HasSubstr("2025-06-30"));
  EXPECT_EQ(parse(dated("")).statements.at(0).at, std::nullopt);
}

TEST(OpenVexTest, IsLoadedFromAFile) {
  const sys::TempDir folder;
  std::ofstream(folder.file("vex.json")) << document("");
  const auto made = load_openvex(folder.file("vex.json"));
  ASSERT_TRUE(made) << made.error().describe();
  EXPECT_EQ(made->name, folder.file("vex.json"));
  EXPECT_EQ(load_openvex(folder.file("none")).error().kind(), ErrorKind::kNotFound);
}

}  // namespace
}  // namespace slipway::scan
