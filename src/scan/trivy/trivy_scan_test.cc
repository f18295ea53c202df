#include "scan/trivy/trivy_scan.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "sys/testing/temp_dir.h"

namespace slipway::scan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A stand-in of Trivy that keeps what it was asked, and answers with these results.
class TrivyScanTest : public ::testing::Test {
 protected:
  TrivyScanTest() {
    engine_.environment = {"PATH=" + folder_.path() + ":/usr/bin:/bin"};
    std::ofstream(folder_.file("trivy")) << "#!/bin/sh\ncd " << folder_.path()
                                         << "\ncase \"$*\" in *--version*) cat version; exit;; esac\n"
                                            "echo \"$*\" >asked; cat /proc/self/fd/3 >sbom; cat report\n";
    std::filesystem::permissions(folder_.file("trivy"), std::filesystem::perms::owner_all);
    std::ofstream(folder_.file("version")) << R"({"Version": "0.58.0", "VulnerabilityDB": {"UpdatedAt":
        "1970-01-01T00:00:00Z"}})";
    answer("");
    inventory_.distribution = {.id = "almalinux", .version = "9.3"};
    inventory_.packages = {{.type = PackageType::kRpm, .name = "bash", .version = "5.1-2", .source = "bash"},
                           {.type = PackageType::kRpm, .name = "zlib", .version = "1.2-1"},
                           {.type = PackageType::kNpm, .name = "lodash", .version = "4.17.4"}};
  }
  void answer(const std::string& results) {
    std::ofstream(folder_.file("report")) << R"({"SchemaVersion": 2, "Results": [)" << results << "]}";
  }
  Report judge(const Rules& rules = {}, std::optional<Severity> block_at = Severity::kHigh) {
    auto report = judge_with_trivy({.name = "the-image", .inventory = inventory_}, engine_, rules, block_at,
                                   {.max_age = Duration::max()}, TimePoint{}, {});
    EXPECT_TRUE(report) << report.error().describe();
    return report.value_or(Report{});
  }
  std::string text_of(const std::string& name) {
    std::ostringstream text;
    text << std::ifstream(folder_.file(name)).rdbuf();
    return text.str();
  }

  sys::TempDir folder_;
  TrivyEngine engine_;
  Inventory inventory_;
};

constexpr const char* kAll =
    R"({"Class": "os-pkgs", "Type": "alma", "Packages": [{"Name": "bash"}, {"Name": "zlib"}]},
       {"Class": "lang-pkgs", "Type": "node-pkg", "Packages": [{"Name": "lodash"}]})";

TEST_F(TrivyScanTest, WhatItAnswersAboutIsJudged) {
  answer(kAll);
  const auto report = judge();
  EXPECT_TRUE(report.complete());
  EXPECT_THAT(report.warnings, IsEmpty());
  EXPECT_EQ(report.engine, "trivy 0.58.0");
}

TEST_F(TrivyScanTest, AnAnswerWithoutResultsIsNoCleanBill) {
  std::ofstream(folder_.file("report")) << R"({"SchemaVersion": 2})";
  const auto report = judge();
  EXPECT_FALSE(report.complete());
  EXPECT_EQ(report.unjudged, 3U);
  EXPECT_THAT(report.warnings, ElementsAre("1 package not judged: Trivy does not answer about npm packages",
                                           "2 packages not judged: Trivy does not answer about rpm packages"));
}

TEST_F(TrivyScanTest, PackagesThatNoResultListsAreNotJudged) {
  answer(R"({"Class": "os-pkgs", "Type": "alma", "Packages": [{"Name": "bash"}]},
            {"Class": "lang-pkgs", "Type": "node-pkg", "Packages": [{"Name": "lodash"}]})");
  EXPECT_EQ(judge().unjudged, 1U);
  answer(R"({"Class": "lang-pkgs", "Type": "node-pkg", "Packages": [{"Name": "lodash"}]})");
  EXPECT_EQ(judge().unjudged, 2U) << "a distribution that Trivy does not know has no result";
}

TEST_F(TrivyScanTest, PackagesOfNoDistributionAreNeverJudged) {
  answer(kAll);
  inventory_.distribution.reset();
  const auto report = judge();
  EXPECT_FALSE(report.complete());
  EXPECT_THAT(report.warnings, ElementsAre("2 packages not judged: rpm packages of an unknown distribution"));
}

TEST_F(TrivyScanTest, PackagesOfAReleaseThatTrivyHasNoDataOfAreNotJudged) {
  std::ofstream(folder_.file("report")) << R"({"SchemaVersion": 2, "Metadata": {"OS": {"Family": "alma", "Name": "99",
      "EOSL": true}}, "Results": [)" << kAll
                                        << "]}";
  EXPECT_THAT(judge().warnings, ElementsAre("2 packages not judged: nobody tells Trivy any more about almalinux 9.3"));
  answer(kAll);
  inventory_.distribution->version.clear();
  EXPECT_THAT(judge().warnings, ElementsAre("2 packages not judged: packages of an unknown release of almalinux"));
}

TEST_F(TrivyScanTest, ItIsAskedForAllThatBlocksOrIsToBeReported) {
  answer(kAll);
  EXPECT_EQ(judge().asked_from, Severity::kHigh);
  EXPECT_THAT(text_of("asked"), HasSubstr("--severity HIGH,CRITICAL "));
  judge({}, std::nullopt);
  EXPECT_THAT(text_of("asked"), HasSubstr("--severity HIGH,CRITICAL "));
  judge({}, Severity::kCritical);
  EXPECT_THAT(text_of("asked"), HasSubstr("--severity HIGH,CRITICAL "));
  judge({}, Severity::kMedium);
  EXPECT_THAT(text_of("asked"), HasSubstr("--severity MEDIUM,HIGH,CRITICAL "));
  judge({.severities = {Severity::kCritical, Severity::kLow}});
  EXPECT_THAT(text_of("asked"), HasSubstr("--severity LOW,MEDIUM,HIGH,CRITICAL "));
  EXPECT_EQ(judge({.severities = {Severity::kUnknown}}).asked_from, std::nullopt);
  EXPECT_THAT(text_of("asked"), HasSubstr("--severity UNKNOWN,LOW,MEDIUM,HIGH,CRITICAL "));
}

TEST_F(TrivyScanTest, WhatNobodyAskedForIsCounted) {
  answer(R"({"Class": "os-pkgs", "Type": "alma", "Vulnerabilities": [
      {"VulnerabilityID": "CVE-1-2", "PkgName": "bash", "Severity": "HIGH"},
      {"VulnerabilityID": "CVE-1-3", "PkgName": "bash", "Severity": "CRITICAL"}]})");
  const auto report = judge({.severities = {Severity::kCritical}, .only_fixed = true});
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.of_other_severity, 1U);
  EXPECT_EQ(report.unfixed, 1U);
}

// Trivy takes the distribution by the name that it has for it, and sources by properties of its own.
TEST_F(TrivyScanTest, TheSbomTellsTrivyOfDistributionAndSourcesInItsOwnWords) {
  inventory_.packages = {{.type = PackageType::kRpm,
                          .name = "openssl-libs",
                          .version = "1:3.0.7-25.el9",
                          .source = "openssl",
                          .source_version = "1:3.0.7-24.el9"}};
  judge();
  const auto sbom = Json::parse(text_of("sbom"));
  ASSERT_THAT(sbom.at("components"), SizeIs(2));
  EXPECT_EQ(sbom.at("components")[0].at("name"), "alma");
  std::map<std::string, std::string> properties;
  for (const auto& one : sbom.at("components")[1].at("properties")) properties[one.at("name")] = one.at("value");
  EXPECT_EQ(properties["aquasecurity:trivy:PkgType"], "alma");
  EXPECT_EQ(properties["aquasecurity:trivy:SrcName"], "openssl");
  EXPECT_EQ(properties["aquasecurity:trivy:SrcVersion"], "3.0.7");
  EXPECT_EQ(properties["aquasecurity:trivy:SrcRelease"], "24.el9");
  EXPECT_EQ(properties["aquasecurity:trivy:SrcEpoch"], "1");
  EXPECT_EQ(properties["slipway:source:name"], "openssl");
}

}  // namespace
}  // namespace slipway::scan
