#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "scan/reports/formats.h"
#include "scan/testing/sample_report.h"

namespace slipway::scan {
namespace {

using testing::Contains;
using testing::ElementsAre;

Json written(const Report& report) { return parse_json(trivy_json(report)).value(); }

// The result whose Target is so.
Json result_of(const Json& document, std::string_view target) {
  for (const auto& result : document.at("Results")) {
    if (result.at("Target") == target) return result;
  }
  return {};
}

std::vector<std::string> keys_in_order(const std::string& text) {
  const auto parsed = nlohmann::ordered_json::parse(text);
  std::vector<std::string> keys;
  for (const auto& [key, value] : parsed.items()) keys.push_back(key);
  return keys;
}

TEST(TrivyJsonTest, TheTopIsTrivys) {
  EXPECT_THAT(keys_in_order(trivy_json(debian_report())),
              ElementsAre("SchemaVersion", "ReportID", "CreatedAt", "ArtifactID", "ArtifactName", "ArtifactType",
                          "Metadata", "Results"));
  const auto document = written(debian_report());
  EXPECT_EQ(document["SchemaVersion"], 2);
  EXPECT_EQ(document["Metadata"]["OS"], Json({{"Family", "debian"}, {"Name", "12"}}));
  EXPECT_EQ(document["Metadata"]["ImageID"], debian_report().artifact);
  EXPECT_EQ(document["Metadata"]["DiffIDs"].size(), 3);
  EXPECT_FALSE(document["Metadata"]["Layers"][2].contains("Digest"));
}

TEST(TrivyJsonTest, OnlyTrivysOwnReportsNameItsVersion) {
  EXPECT_EQ(written(alpine_report())["Trivy"]["Version"], "0.50.0");
  EXPECT_FALSE(written(debian_report()).contains("Trivy"));
}

TEST(TrivyJsonTest, PackagesAreGroupedAsTrivyGroupsThem) {
  const auto document = written(debian_report());
  std::set<std::string> groups;
  for (const auto& result : document["Results"]) {
    groups.insert(result["Class"].get<std::string>() + "|" + result["Type"].get<std::string>() + "|" +
                  result["Target"].get<std::string>());
  }
  const std::set<std::string> expected{"os-pkgs|debian|" + debian_report().artifact + " (debian 12)",
                                       "lang-pkgs|node-pkg|Node.js",
                                       "lang-pkgs|npm|app/package-lock.json",
                                       "lang-pkgs|yarn|app/yarn.lock",
                                       "lang-pkgs|pnpm|app/pnpm-lock.yaml",
                                       "lang-pkgs|python-pkg|Python",
                                       "lang-pkgs|pip|app/requirements.txt",
                                       "lang-pkgs|poetry|app/poetry.lock",
                                       "lang-pkgs|pipenv|app/Pipfile.lock",
                                       "lang-pkgs|uv|app/uv.lock",
                                       "lang-pkgs|gobinary|usr/bin/tool",
                                       "lang-pkgs|gomod|app/go.mod",
                                       "lang-pkgs|jar|Java",
                                       "lang-pkgs|pom|app/pom.xml",
                                       "lang-pkgs|gemspec|Ruby",
                                       "lang-pkgs|bundler|app/Gemfile.lock",
                                       "lang-pkgs|rustbinary|usr/bin/rg",
                                       "lang-pkgs|cargo|app/Cargo.lock",
                                       "lang-pkgs|composer|app/composer.lock",
                                       "lang-pkgs|composer-vendor|app/vendor/composer/installed.json"};
  EXPECT_EQ(groups, expected);
  EXPECT_EQ(document["Results"][0]["Class"], "os-pkgs");
  EXPECT_EQ(result_of(document, "Ruby")["Packages"][0]["FilePath"],
            "var/lib/gems/specifications/activesupport-6.0.2.1.gemspec");
  EXPECT_FALSE(result_of(document, "app/Gemfile.lock")["Packages"][0].contains("FilePath"));
}

TEST(TrivyJsonTest, AFindingHasAllThatIsKnownOfIt) {
  const auto finding = written(debian_report())["Results"][0]["Vulnerabilities"][0];
  EXPECT_EQ(finding["VulnerabilityID"], "CVE-2019-18224");
  EXPECT_EQ(finding["VendorIDs"], Json({"DSA-4613-1", "GHSA-aaaa-bbbb-cccc"}));
  EXPECT_EQ(finding["PkgID"], "libidn2-0@2.0.5-1");
  EXPECT_EQ(finding["PkgIdentifier"]["PURL"], "pkg:deb/debian/libidn2-0@2.0.5-1?arch=amd64&distro=debian-12");
  EXPECT_EQ(finding["InstalledVersion"], "2.0.5-1");
  EXPECT_EQ(finding["FixedVersion"], "2.0.5-1+deb10u1");
  EXPECT_EQ(finding["Status"], "fixed");
  EXPECT_EQ(finding["Layer"]["Digest"], "sha256:" + std::string(64, '0'));
  EXPECT_EQ(finding["SeveritySource"], "debian");
  EXPECT_EQ(finding["PrimaryURL"], "https://security-tracker.debian.org/tracker/CVE-2019-18224");
  EXPECT_EQ(finding["DataSource"]["ID"], "debian");
  EXPECT_EQ(finding["Severity"], "CRITICAL");
  EXPECT_EQ(finding["VendorSeverity"], Json({{"debian", 4}}));
  EXPECT_EQ(finding["CVSS"], Json({{"nvd", {{"V3Score", 9.8}, {"V3Vector", debian_report().findings[0].vector}}}}));
  EXPECT_EQ(finding["PublishedDate"], "2025-01-17T02:13:20Z");
}

TEST(TrivyJsonTest, WhatIsNotKnownIsAbsentAndNotEmpty) {
  const auto findings = written(debian_report())["Results"][0]["Vulnerabilities"];
  const auto& bare = findings.back();
  EXPECT_EQ(bare["VulnerabilityID"], "TEMP-1");
  EXPECT_EQ(bare["Severity"], "UNKNOWN");
  for (const auto* const key : {"VendorIDs", "FixedVersion", "SeveritySource", "PrimaryURL", "DataSource", "Title",
                                "Description", "CweIDs", "VendorSeverity", "CVSS", "References", "PublishedDate"}) {
    EXPECT_FALSE(bare.contains(key)) << key;
  }
  EXPECT_FALSE(written(empty_report()).contains("Results"));
  EXPECT_FALSE(written(empty_report()).contains("Metadata"));
  EXPECT_FALSE(result_of(written(debian_report()), "Ruby").contains("Vulnerabilities"));
}

TEST(TrivyJsonTest, NegligibleIsLowThere) {
  const auto document = written(debian_report());
  bool seen = false;
  for (const auto& finding : document["Results"][0]["Vulnerabilities"]) {
    if (finding["VulnerabilityID"] != "CVE-2024-0001") continue;
    EXPECT_EQ(finding["Severity"], "LOW");
    seen = true;
  }
  EXPECT_TRUE(seen);
}

TEST(TrivyJsonTest, ScoresStandUnderTheVersionOfTheirVector) {
  const auto document = written(debian_report());
  const auto old = result_of(document, "app/yarn.lock")["Vulnerabilities"][0]["CVSS"]["osv"];
  EXPECT_EQ(old, Json({{"V2Score", 4.3}, {"V2Vector", "AV:N/AC:M/Au:N/C:N/I:P/A:N"}}));
  const auto go = result_of(document, "usr/bin/tool")["Vulnerabilities"][0];
  EXPECT_EQ(go["InstalledVersion"], "v1.2.0");
  EXPECT_EQ(go["Status"], "will_not_fix");
  EXPECT_TRUE(go["CVSS"]["unknown"].contains("V40Vector"));
}

TEST(TrivyJsonTest, WhatTheFeedOfCvesSaysIsNvds) {
  Report report = debian_report();
  report.findings = {report.findings[0]};
  report.findings[0].severity_source = "cve";
  const auto finding = written(report)["Results"][0]["Vulnerabilities"][0];
  EXPECT_EQ(finding["SeveritySource"], "nvd");
  EXPECT_EQ(finding["VendorSeverity"], Json({{"nvd", 4}}));
  EXPECT_EQ(finding["DataSource"]["ID"], "debian");
}

TEST(TrivyJsonTest, AnExplanationStandsWithItsVulnerability) {
  const auto text = trivy_json(debian_report(), {{"CVE-2019-18224", {{"name", "CVE-2019-18224"}}}});
  const auto findings = parse_json(text).value()["Results"][0]["Vulnerabilities"];
  EXPECT_EQ(findings[0]["Explanation"], Json({{"name", "CVE-2019-18224"}}));
  EXPECT_FALSE(findings.back().contains("Explanation"));
}

TEST(TrivyJsonTest, RpmsAreNamedWithTheirArchitectureAndWithoutTheirEpoch) {
  const auto result = written(alma_report())["Results"][0];
  EXPECT_EQ(result["Target"], "registry.example.org/team/app:1.2 (alma 8.5)");
  EXPECT_EQ(result["Type"], "alma");
  EXPECT_EQ(result["Vulnerabilities"][0]["PkgID"], "openssl-libs@1.1.1k-4.el8.x86_64");
  EXPECT_EQ(result["Vulnerabilities"][0]["InstalledVersion"], "1:1.1.1k-4.el8");
  EXPECT_EQ(result["Packages"][0]["Epoch"], 1);
  EXPECT_EQ(result["Packages"][0]["Release"], "4.el8");
  EXPECT_EQ(result["Packages"][0]["SrcName"], "openssl");
}

TEST(ReportsTest, TheSameReportIsTheSameText) {
  for (const auto& [name, report] : sample_reports()) {
    EXPECT_EQ(trivy_json(report), trivy_json(report)) << name;
    EXPECT_EQ(sarif_json(report), sarif_json(report)) << name;
    EXPECT_EQ(spdx_json(report), spdx_json(report)) << name;
    EXPECT_EQ(cyclonedx_json(report, Vulnerabilities::kListed), cyclonedx_json(report, Vulnerabilities::kListed));
  }
  Report later = debian_report();
  later.scanned_at += std::chrono::microseconds(1);
  EXPECT_NE(cyclonedx_json(later, Vulnerabilities::kLeftOut),
            cyclonedx_json(debian_report(), Vulnerabilities::kLeftOut));
}

TEST(ReportsTest, NamesThatAreNoTextStillMakeJson) {
  Report report = debian_report();
  report.inventory.packages[0].name = "\xff\xfe";
  report.findings[0].package.path = "\xc3(";
  report.artifact = "\x80";
  for (const auto& text :
       {trivy_json(report), sarif_json(report), spdx_json(report), cyclonedx_json(report, Vulnerabilities::kListed)}) {
    EXPECT_TRUE(parse_json(text));
    EXPECT_TRUE(text.contains("\uFFFD"));
  }
}

// Every key that is written, and the JSON type it has there.
using Shape = std::map<std::string, std::set<std::string>>;

void add_shape(const Json& json, const std::string& path, Shape& shape) {
  shape[path].insert(json.is_number() ? "number" : json.type_name());
  const bool free_keys = path.ends_with(".CVSS") || path.ends_with(".VendorSeverity");
  for (const auto& [key, value] : json.items()) {
    if (json.is_object()) add_shape(value, path + "." + (free_keys ? "*" : key), shape);
    if (json.is_array()) add_shape(value, path + "[]", shape);
  }
}

TEST(TrivyJsonTest, EveryKeyIsOneThatTrivyWrites) {
  const char* given = std::getenv("SLIPWAY_DATA");
  const auto folder = std::filesystem::path(given != nullptr ? given : SLIPWAY_TEST_DATA) / "trivy" / "golden";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "there is no real data: set SLIPWAY_DATA";
  Shape known;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    std::stringstream text;
    text << std::ifstream(file.path()).rdbuf();
    const auto document = parse_json(text.str());
    ASSERT_TRUE(document) << file.path();
    if (document->contains("SchemaVersion")) add_shape(*document, "", known);
  }
  // Trivy's, though none of these recordings lists the packages of an image, or has a score of CVSS 4.
  for (const auto* const key : {"Release", "Arch", "SrcName", "SrcVersion", "SrcRelease", "FilePath"}) {
    known[".Results[].Packages[]." + std::string(key)].insert("string");
  }
  for (const auto* const key : {"Epoch", "SrcEpoch"}) {
    known[".Results[].Packages[]." + std::string(key)].insert("number");
  }
  known[".Results[].Packages[].Layer"].insert("object");
  known[".Results[].Packages[].Layer.Digest"].insert("string");
  known[".Results[].Packages[].Layer.DiffID"].insert("string");
  known[".Results[].Vulnerabilities[].CVSS.*.V40Vector"].insert("string");

  Shape ours;
  for (const auto& [name, report] : sample_reports()) add_shape(written(report), "", ours);
  ASSERT_GT(ours.size(), 50U);
  for (const auto& [key, types] : ours) {
    for (const auto& type : types) EXPECT_THAT(known[key], Contains(type)) << key;
  }
}

}  // namespace
}  // namespace slipway::scan
