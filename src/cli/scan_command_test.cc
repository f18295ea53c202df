// `scan` of SBOMs, by the feeds. Archives are read by a child process of the real program: see tests/e2e.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/testing/program_fixture.h"
#include "feeds/testing/small_feeds.h"

namespace slipway::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kSbom = R"({"bomFormat": "CycloneDX", "specVersion": "1.5", "components": [
  {"type": "operating-system", "name": "debian", "version": "12"},
  {"type": "library", "name": "bash", "version": "5.2-1", "purl": "pkg:deb/debian/bash@5.2-1?distro=debian-12"}]})";
constexpr const char* kSpdx = R"({"spdxVersion": "SPDX-2.3", "packages": [{"SPDXID": "SPDXRef-1", "name": "bash",
  "versionInfo": "5.2-1", "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
  "referenceLocator": "pkg:deb/debian/bash@5.2-1?distro=debian-12"}]}]})";

// A Debian whose bash has CVE-2021-44228, which is high, and of which the feeds know much more.
class ScanCommandTest : public ProgramFixture {
 protected:
  ScanCommandTest() {
    feeds::make_small_feeds(dir_.file("state/feeds.db"), clock_);
    feeds::sync_records(
        *feeds::FeedStore::open(dir_.file("state/feeds.db"), clock_).value(), "debian",
        {{.urn = feeds::urn_of("debian::advisory::bash/CVE-2021-44228"),
          .links = {{"alias", feeds::urn_of("nvd::cve::CVE-2021-44228")}},
          .details = feeds::Advisory{
              .body = "{}",
              .affected = {{.ecosystem = "Debian:12", .package = "bash", .status = "open", .urgency = "high"}}}}});
    std::ofstream(file()) << kSbom;
  }
  [[nodiscard]] std::string file() const { return dir_.file("sbom.json"); }
  // Of a scan that finds something.
  Json json(std::vector<std::string> words) { return parsed(std::move(words), 3); }
};

TEST_F(ScanCommandTest, ExplainAddsTheChainToTheTable) {
  EXPECT_EQ(run({"scan", file()}), 3) << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("CVE-2021-44228"), Not(HasSubstr("CAPEC-586"))));
  EXPECT_EQ(run({"scan", file(), "--explain"}), 3) << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("weakness CWE-502"), HasSubstr("CAPEC-586"), HasSubstr("T1190")));
}

TEST_F(ScanCommandTest, ExplainAddsTheChainToJson) {
  const auto vulnerability = [&](const std::vector<std::string>& words) {
    return json(words).at("Results").at(0).at("Vulnerabilities").at(0);
  };
  EXPECT_FALSE(vulnerability({"scan", file(), "--json"}).contains("Explanation"));
  const auto chain = vulnerability({"scan", file(), "--json", "--explain"}).at("Explanation");
  EXPECT_EQ(chain.at("name"), "CVE-2021-44228");
  std::string roles;
  for (const auto& weakness : chain.at("below")) {
    for (const auto& pattern : weakness.at("below")) {
      if (pattern.at("name") != "CAPEC-586" || pattern.at("repeated").get<bool>()) continue;
      roles = weakness.at("role").get<std::string>() + ", " + pattern.at("role").get<std::string>() + ", " +
              pattern.at("below").at(0).at("name").get<std::string>();
    }
  }
  EXPECT_EQ(roles, "weakness, attack pattern, T1190") << chain.dump(1);
}

TEST_F(ScanCommandTest, ExplainAddsTheChainToSarifAndIsRefusedWhereThereIsNoPlaceForIt) {
  const auto rule = json({"scan", file(), "--format", "sarif", "--explain"})
                        .at("runs")
                        .at(0)
                        .at("tool")
                        .at("driver")
                        .at("rules")
                        .at(0);
  EXPECT_EQ(rule.at("properties").at("explanation").at("name"), "CVE-2021-44228");
  for (const auto* format : {"cyclonedx", "cyclonedx-vulnerabilities", "spdx"}) {
    EXPECT_EQ(run({"scan", file(), "--format", format, "--explain"}), 2) << format;
    EXPECT_THAT(err_, HasSubstr(std::string(format) + " has no place")) << format;
  }
}

TEST_F(ScanCommandTest, TheScoreOfACveIsNvdsAndTheSeverityTheDistributions) {
  const auto found = json({"scan", file(), "--json"}).at("Results").at(0).at("Vulnerabilities").at(0);
  EXPECT_EQ(found.at("CVSS").at("nvd").at("V3Score"), 10.0);
  EXPECT_EQ(found.at("SeveritySource"), "debian");
}

TEST_F(ScanCommandTest, WhatWasLeftOutIsNotPassedOverInSilence) {
  EXPECT_EQ(run({"scan", file(), "--severity", "CRITICAL"}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("nothing of the chosen severities is known against 1 package; 1 left out"));
  EXPECT_EQ(run({"scan", file(), "--only-fixed"}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("nothing that is fixed is known against 1 package; 1 left out"));
}

TEST_F(ScanCommandTest, AResultThatCannotBeWrittenIsAFailureWhateverWasFound) {
  EXPECT_EQ(run_into("/dev/full", {"scan", file()}), 1);
  EXPECT_THAT(err_, HasSubstr("standard output"));
}

TEST_F(ScanCommandTest, RulesThatAreNotThereAreWrongUse) {
  EXPECT_EQ(run({"scan", file(), "--ignore-file", dir_.file("nothing")}), 2);
  EXPECT_THAT(err_, HasSubstr("nothing"));
  EXPECT_EQ(run({"scan", file(), "--vex", dir_.file("nothing")}), 2);
}

TEST_F(ScanCommandTest, AFileIsFoundThroughALinkAndCalledWhatTheUserCallsIt) {
  std::filesystem::create_symlink(file(), dir_.file("link.json"));
  const auto report = json({"scan", dir_.file("link.json"), "--json"});
  EXPECT_EQ(report.at("ArtifactName"), dir_.file("link.json"));
}

TEST_F(ScanCommandTest, AFolderThatOneMayNotEnterIsSaidSo) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may enter everything";
  std::filesystem::create_directory(dir_.file("closed"));
  std::filesystem::copy_file(file(), dir_.file("closed/x.json"));
  std::filesystem::permissions(dir_.file("closed"), std::filesystem::perms::none);
  EXPECT_EQ(run({"scan", dir_.file("closed/x.json")}), 1);
  EXPECT_THAT(err_, HasSubstr("Permission denied"));
  std::filesystem::permissions(dir_.file("closed"), std::filesystem::perms::owner_all);
}

TEST_F(ScanCommandTest, AnSbomIsCalledWhatItIs) {
  EXPECT_EQ(json({"scan", file(), "--json"}).at("ArtifactType"), "cyclonedx");
  std::ofstream(dir_.file("spdx.json")) << kSpdx;
  EXPECT_EQ(json({"scan", dir_.file("spdx.json"), "--json"}).at("ArtifactType"), "spdx");
  std::ofstream(dir_.file("tags")) << "SPDXVersion: SPDX-2.3\nPackageName: bash\nSPDXID: SPDXRef-1\n"
                                      "PackageVersion: 5.2-1\nExternalRef: PACKAGE-MANAGER purl "
                                      "pkg:deb/debian/bash@5.2-1?distro=debian-12\n";
  EXPECT_EQ(json({"scan", dir_.file("tags"), "--json"}).at("ArtifactType"), "spdx");
}

}  // namespace
}  // namespace slipway::cli
