#include "scan/trivy/trivy_report.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "feeds/formats/feed_time.h"
#include "scan/policy/suppress.h"

namespace slipway::scan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string report(const std::string& results) { return R"({"SchemaVersion": 2, "Results": [)" + results + "]}"; }

std::string result(const std::string& kind, const std::string& type, const std::string& vulnerability,
                   const std::string& target = "x") {
  return R"({"Target": ")" + target + R"(", "Class": ")" + kind + R"(", "Type": ")" + type +
         R"(", "Vulnerabilities": [)" + vulnerability + "]}";
}

std::vector<Finding> read(const std::string& json) {
  auto read = read_trivy_report(json);
  EXPECT_TRUE(read) << read.error().describe();
  return read ? std::move(read->findings) : std::vector<Finding>{};
}

Finding read_one(const std::string& kind, const std::string& type, const std::string& more = "",
                 const std::string& target = "x") {
  const auto findings =
      read(report(result(kind, type, R"({"VulnerabilityID": "CVE-1-2", "PkgName": "a")" + more + "}", target)));
  EXPECT_EQ(findings.size(), 1U);
  return findings.empty() ? Finding{} : findings[0];
}

ErrorKind refused(const std::string& json) {
  const auto findings = read_trivy_report(json);
  EXPECT_FALSE(findings) << json;
  return findings ? ErrorKind::kInternal : findings.error().kind();
}

TEST(TrivyReportTest, AFindingIsReadWhole) {
  const auto findings = read(report(R"json({"Target": "x (debian 12)", "Class": "os-pkgs", "Type": "debian",
    "Packages": [{"ID": "libidn2-0@2.0.5-1", "Name": "libidn2-0", "SrcName": "libidn2"}],
    "Vulnerabilities": [{
      "VulnerabilityID": "CVE-2019-18224", "VendorIDs": ["DSA-4613-1", "GHSA-z", "GHSA-a"],
      "PkgID": "libidn2-0@2.0.5-1", "PkgName": "libidn2-0",
      "PkgIdentifier": {"PURL": "pkg:deb/debian/libidn2-0@2.0.5-1?arch=amd64&distro=debian-12", "UID": "1"},
      "InstalledVersion": "2.0.5-1", "FixedVersion": "2.0.5-1+deb10u1", "Status": "fixed",
      "Layer": {"DiffID": "sha256:00"}, "SeveritySource": "nvd", "PrimaryURL": "https://example.org/p",
      "Title": "t", "Description": "d", "Severity": "CRITICAL", "CweIDs": ["CWE-787"],
      "CVSS": {"nvd": {"V2Vector": "AV:N", "V2Score": 7.5, "V3Vector": "CVSS:3.1/AV:N", "V3Score": 9.8}},
      "References": ["https://example.org/a", "https://example.org/b"],
      "PublishedDate": "2019-10-21T17:15:00Z", "LastModifiedDate": "2019-10-29T19:15:00Z"}]})json"));
  Finding expected{.id = "CVE-2019-18224",
                   .aliases = {"GHSA-a", "GHSA-z"},
                   .fixed_version = "2.0.5-1+deb10u1",
                   .status = FixStatus::kFixed,
                   .severity = Severity::kCritical,
                   .severity_source = "nvd",
                   .score = 9.8,
                   .vector = "CVSS:3.1/AV:N",
                   .score_source = "nvd",
                   .source = "trivy",
                   .title = "t",
                   .description = "d",
                   .weaknesses = {"CWE-787"},
                   .references = {"https://example.org/a", "https://example.org/b"},
                   .published = feeds::parse_feed_time("2019-10-21T17:15:00Z"),
                   .modified = feeds::parse_feed_time("2019-10-29T19:15:00Z")};
  expected.package = {.type = PackageType::kDeb,
                      .name = "libidn2-0",
                      .version = "2.0.5-1",
                      .source = "libidn2",
                      .architecture = "amd64"};
  EXPECT_THAT(findings, ElementsAre(expected));
}

TEST(TrivyReportTest, MostKeysMayBeAbsent) {
  const auto finding = read_one("os-pkgs", "alpine");
  EXPECT_EQ(finding.package.type, PackageType::kApk);
  EXPECT_EQ(finding.status, FixStatus::kAffected);
  EXPECT_EQ(finding.severity, Severity::kUnknown);
  EXPECT_EQ(finding.score, std::nullopt);
  EXPECT_EQ(finding.published, std::nullopt);
  EXPECT_THAT(read(R"({"SchemaVersion": 2})"), IsEmpty());
  EXPECT_THAT(read(R"({"SchemaVersion": 2, "Results": null})"), IsEmpty());
  EXPECT_THAT(read(report(R"({"Target": "x", "Vulnerabilities": null}, {"Class": "license", "Licenses": [{}]})")),
              IsEmpty());
}

TEST(TrivyReportTest, ThePackagesTypeIsThatOfTheResult) {
  EXPECT_EQ(read_one("os-pkgs", "ubuntu").package.type, PackageType::kDeb);
  EXPECT_EQ(read_one("os-pkgs", "wolfi").package.type, PackageType::kApk);
  EXPECT_EQ(read_one("os-pkgs", "alma").package.type, PackageType::kRpm);
  EXPECT_EQ(read_one("lang-pkgs", "python-pkg").package.type, PackageType::kPypi);
  EXPECT_EQ(read_one("lang-pkgs", "jar").package.type, PackageType::kMaven);
  EXPECT_EQ(read_one("lang-pkgs", "rustbinary").package.type, PackageType::kCargo);
  EXPECT_EQ(read_one("lang-pkgs", "conan").package.type, PackageType::kOther);
  EXPECT_EQ(read_one("lang-pkgs", "new", R"(, "PkgIdentifier": {"PURL": "pkg:npm/a@1"})").package.type,
            PackageType::kNpm);
}

TEST(TrivyReportTest, APackagesPathIsItsOwnOrThatOfTheListItIsIn) {
  EXPECT_EQ(read_one("lang-pkgs", "npm", "", "app/package-lock.json").package.path, "app/package-lock.json");
  EXPECT_EQ(read_one("lang-pkgs", "gobinary", "", "usr/bin/app").package.path, "usr/bin/app");
  EXPECT_EQ(read_one("lang-pkgs", "node-pkg", R"(, "PkgPath": "m/package.json")", "Node.js").package.path,
            "m/package.json");
  EXPECT_EQ(read_one("lang-pkgs", "node-pkg", "", "Node.js").package.path, "");
  EXPECT_EQ(read_one("os-pkgs", "debian", "", "x.tar (debian 12)").package.path, "");
}

TEST(TrivyReportTest, VersionsOfGoAreWithoutTheirLetter) {
  const auto finding =
      read_one("lang-pkgs", "gomod", R"(, "InstalledVersion": "v1.2.3", "FixedVersion": "v1.2.4, v2.0.0-vx")");
  EXPECT_EQ(finding.package.version, "1.2.3");
  EXPECT_EQ(finding.fixed_version, "1.2.4, 2.0.0-vx");
  EXPECT_EQ(read_one("lang-pkgs", "npm", R"(, "InstalledVersion": "v1")").package.version, "v1");
}

TEST(TrivyReportTest, AStatusThatWeDoNotKnowIsTakenFromTheFix) {
  EXPECT_EQ(read_one("os-pkgs", "debian", R"(, "Status": "end_of_life")").status, FixStatus::kEndOfLife);
  EXPECT_EQ(read_one("os-pkgs", "debian", R"(, "Status": "will_not_fix")").status, FixStatus::kWillNotFix);
  EXPECT_EQ(read_one("os-pkgs", "debian", R"(, "Status": "fix_deferred")").status, FixStatus::kAffected);
  EXPECT_EQ(read_one("os-pkgs", "debian", R"(, "FixedVersion": "2")").status, FixStatus::kFixed);
}

TEST(TrivyReportTest, TheScoreIsOfWhomTheSeverityIsElseOfNvdElseOfAnybody) {
  const std::string all =
      R"(, "CVSS": {"ghsa": {"V3Score": 1}, "nvd": {"V3Score": 2}, "redhat": {"V3Score": 3, "V40Score": 4}})";
  EXPECT_EQ(read_one("lang-pkgs", "npm", all + R"(, "SeveritySource": "redhat")").score, 4);
  EXPECT_EQ(read_one("lang-pkgs", "npm", all + R"(, "SeveritySource": "ghsa")").score, 1);
  EXPECT_EQ(read_one("lang-pkgs", "npm", all + R"(, "SeveritySource": "debian")").score, 2);
  const auto other = read_one("lang-pkgs", "npm", R"(, "CVSS": {"redhat": {"V2Score": 3, "V2Vector": "AV:N"}})");
  EXPECT_EQ(other.vector, "AV:N");
  EXPECT_EQ(other.score_source, "redhat");
}

TEST(TrivyReportTest, WhatResultsListIsJudged) {
  const auto judged =
      read_trivy_report(report(R"({"Class": "os-pkgs", "Type": "alpine", "Packages": [{"Name": "musl"}]},
      {"Class": "lang-pkgs", "Type": "python-pkg", "Packages": [{"Name": "Flask-Login"}]},
      {"Class": "lang-pkgs", "Type": "new", "Packages": [{"Name": "a", "Identifier": {"PURL": "pkg:npm/a@1"}}]},
      {"Class": "lang-pkgs", "Type": "conda-pkg", "Packages": [{"Name": "zlib"}]},
      {"Class": "license", "Type": "gomod", "Packages": [{"Name": "g"}]},
      {"Class": "lang-pkgs", "Type": "jar"}, {"Class": "lang-pkgs", "Type": "unheard-of"}, {}, {"Class": "config"})"))
          ->judged;
  const auto has = [&](PackageType type, const std::string& name) { return judged.has({.type = type, .name = name}); };
  EXPECT_TRUE(has(PackageType::kApk, "musl"));
  EXPECT_FALSE(has(PackageType::kApk, "zlib"));
  EXPECT_FALSE(has(PackageType::kDeb, "musl"));
  EXPECT_TRUE(has(PackageType::kPypi, "flask_login"));
  EXPECT_TRUE(has(PackageType::kNpm, "a"));
  EXPECT_TRUE(has(PackageType::kMaven, "g:a")) << "a result without a list is about all of its type";
  EXPECT_FALSE(has(PackageType::kOther, "zlib")) << "Trivy lists these, and knows nothing of them";
  EXPECT_FALSE(has(PackageType::kGolang, "g"));
  EXPECT_EQ(read_trivy_report(R"({"SchemaVersion": 2})")->judged, JudgedPackages{});
}

TEST(TrivyReportTest, WhatIsNoReportIsRefused) {
  for (const char* json : {"", "<html></html>", "{}", "[]", "[{}]", "7", R"({"bomFormat": "CycloneDX"})",
                           R"({"SchemaVersion": "2"})", R"({"SchemaVersion": 2, "Results": {}})",
                           R"({"SchemaVersion": 2, "Results": [7]})", R"({"SchemaVersion": 2)"}) {
    EXPECT_EQ(refused(json), ErrorKind::kCorrupt) << json;
  }
  EXPECT_EQ(refused(R"({"SchemaVersion": 3})"), ErrorKind::kUnsupported);
  EXPECT_EQ(refused(report(result("os-pkgs", "debian", R"({"PkgName": "a"})"))), ErrorKind::kCorrupt);
  EXPECT_EQ(refused(report(result("os-pkgs", "debian", R"({"VulnerabilityID": "CVE-1-2"})"))), ErrorKind::kCorrupt);
  EXPECT_EQ(refused(report(result("os-pkgs", "debian", R"({"VulnerabilityID": 7, "PkgName": "a"})"))),
            ErrorKind::kCorrupt);
}

TEST(TrivyVersionTest, IsReadInBothForms) {
  const auto made = feeds::parse_feed_time("2024-12-16T18:16:32.001191Z");
  EXPECT_EQ(read_trivy_version(R"({"Version": "0.58.0", "VulnerabilityDB": {"Version": 2,
      "NextUpdate": "2024-12-17T18:16:32.00119108Z", "UpdatedAt": "2024-12-16T18:16:32.001191451Z"}})"),
            (TrivyVersion{"0.58.0", made}));
  EXPECT_EQ(read_trivy_version("Version: 0.58.0\nJava DB:\n  UpdatedAt: 2024-05-01 01:02:50.899807065 +0000 UTC\n"
                               "Vulnerability DB:\n  Version: 2\n  UpdatedAt: 2024-12-16 18:16:32.001191451 +0000 UTC\n"
                               "Check Bundle:\n  UpdatedAt: 2023-05-01 01:02:50 +0000 UTC\n"),
            (TrivyVersion{"0.58.0", made}));
  EXPECT_EQ(read_trivy_version(R"({"Version": "dev"})"), (TrivyVersion{"dev", std::nullopt}));
  EXPECT_EQ(read_trivy_version("nonsense"), TrivyVersion{});
  EXPECT_EQ(read_trivy_version(R"({"Version": "0.1\n<b>"})").version, "0.1");
}

// Reports that Trivy itself made, where they are there.
class RecordedReportsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* given = std::getenv("SLIPWAY_DATA");
    folder_ = std::filesystem::path(given != nullptr ? given : SLIPWAY_TEST_DATA) / "trivy" / "golden";
    if (!std::filesystem::exists(folder_)) GTEST_SKIP() << "there is no real data: set SLIPWAY_DATA";
  }
  [[nodiscard]] static std::string text_of(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
  }
  [[nodiscard]] std::vector<Finding> findings(const std::string& name) const { return read(text_of(folder_ / name)); }
  [[nodiscard]] Finding finding(const std::string& name, const std::string& id, const std::string& package) const {
    for (const auto& one : findings(name)) {
      if (one.id == id && one.package.name == package) return one;
    }
    ADD_FAILURE() << name << " has no " << id << " of " << package;
    return {};
  }
  // Knows nothing of the schema but how an ID is called.
  static std::size_t count_ids(const Json& node) {
    std::size_t count = node.is_object() && node.contains("VulnerabilityID") ? 1 : 0;
    if (node.is_structured()) {
      for (const auto& part : node) count += count_ids(part);
    }
    return count;
  }

  std::filesystem::path folder_;
};

TEST_F(RecordedReportsTest, EachIsReadWithAllItsVulnerabilities) {
  std::size_t reports = 0;
  std::size_t vulnerabilities = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder_)) {
    const auto text = text_of(file.path());
    const auto json = Json::parse(text);
    if (!json.contains("SchemaVersion")) {
      EXPECT_EQ(refused(text), ErrorKind::kCorrupt) << file.path();  // they are SBOMs
      continue;
    }
    const auto read_here = read(text);
    EXPECT_EQ(read_here.size(), count_ids(json)) << file.path();
    for (const auto& one : read_here) {
      EXPECT_NE(one.package.type, PackageType::kOther) << file.path();
      EXPECT_FALSE(one.package.version.empty()) << file.path();
    }
    ++reports;
    vulnerabilities += read_here.size();
  }
  EXPECT_EQ(reports, 27U);
  EXPECT_EQ(vulnerabilities, 57U);
}

TEST_F(RecordedReportsTest, AFindingInADistributionsPackage) {
  const auto bash = finding("debian-stretch.json", "CVE-2019-18276", "bash");
  EXPECT_EQ(bash.package.type, PackageType::kDeb);
  EXPECT_EQ(bash.package.version, "4.4-5");
  EXPECT_EQ(bash.package.architecture, "amd64");
  EXPECT_EQ(bash.status, FixStatus::kEndOfLife);
  EXPECT_EQ(bash.severity, Severity::kLow);
  EXPECT_EQ(bash.severity_source, "debian");
  EXPECT_EQ(bash.score, 7.8);
  EXPECT_EQ(bash.vector, "CVSS:3.1/AV:L/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H");
  EXPECT_THAT(bash.weaknesses, ElementsAre("CWE-273"));
  EXPECT_EQ(bash.references.size(), 11U);
  EXPECT_EQ(bash.published, feeds::parse_feed_time("2019-11-28T01:15:00Z"));
  EXPECT_THAT(finding("debian-stretch.json", "CVE-2019-5094", "e2fslibs").aliases, IsEmpty());
}

TEST_F(RecordedReportsTest, AFindingInALanguagesPackage) {
  const auto jackson = finding("pom.json", "CVE-2020-9548", "com.fasterxml.jackson.core:jackson-databind");
  EXPECT_EQ(jackson.package.type, PackageType::kMaven);
  EXPECT_EQ(jackson.package.path, "pom.xml");
  EXPECT_EQ(jackson.fixed_version, "2.9.10.4");
  EXPECT_EQ(jackson.severity, Severity::kCritical);
  EXPECT_EQ(jackson.severity_source, "ghsa");
  EXPECT_EQ(jackson.score, 9.8);

  const auto gem = finding("fluentd-multiple-lockfiles.json", "CVE-2020-8165", "activesupport");
  EXPECT_EQ(gem.package.type, PackageType::kGem);
  EXPECT_EQ(gem.package.path, "var/lib/gems/2.5.0/specifications/activesupport-6.0.2.1.gemspec");
  EXPECT_EQ(gem.fixed_version, "6.0.3.1, 5.2.4.3");

  EXPECT_EQ(finding("gomod.json", "CVE-2021-38561", "golang.org/x/text").package.version, "0.3.6");
}

// Trivy recorded the same scan with a VEX document and without it.
TEST_F(RecordedReportsTest, OurVexLeavesWhatTrivysLeaves) {
  Rules rules;
  rules.vex.push_back(
      parse_openvex(R"({"@context": "https://openvex.dev/ns/v0.2.0", "timestamp": "2024-01-01T00:00:00Z",
      "statements": [{"vulnerability": {"name": "CVE-2022-23628"}, "status": "not_affected",
                      "justification": "vulnerable_code_not_in_execute_path",
                      "products": [{"@id": "pkg:golang/github.com/open-policy-agent/opa@v0.35.0"}]}]})",
                    "vex.json")
          .value());
  const auto purl_of = [](const Package& package) { return "pkg:golang/" + package.name + "@v" + package.version; };
  const auto judged = apply(findings("gomod.json"), rules, {}, purl_of, {});
  EXPECT_EQ(judged.findings, findings("gomod-vex.json"));
  EXPECT_EQ(judged.suppressed.size(), 1U);
}

}  // namespace
}  // namespace slipway::scan
