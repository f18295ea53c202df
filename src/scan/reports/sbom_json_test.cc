// What is written as CycloneDX and SPDX.
#include <map>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "scan/reports/cyclonedx_vulnerabilities.h"
#include "scan/reports/formats.h"
#include "scan/testing/sample_report.h"

namespace slipway::scan {
namespace {

Json cyclonedx(const Report& report) { return parse_json(cyclonedx_json(report, Vulnerabilities::kListed)).value(); }

Json spdx(const Report& report) { return parse_json(spdx_json(report)).value(); }

Json named(const Json& list, std::string_view name) {
  for (const auto& entry : list) {
    if (entry["name"] == name) return entry;
  }
  return {};
}

TEST(CyclonedxJsonTest, ReferencesAreUniqueAndAllResolve) {
  Report report = debian_report();
  auto twice = report.inventory.packages.front();
  twice.path = "elsewhere";
  report.inventory.packages.push_back(twice);
  Finding stray = report.findings[0];
  stray.package.name = "not-in-the-inventory";
  report.findings.push_back(stray);
  const auto document = cyclonedx(report);

  std::set<std::string> refs{document["metadata"]["component"]["bom-ref"].get<std::string>()};
  for (const auto& component : document["components"]) {
    EXPECT_TRUE(refs.insert(component["bom-ref"]).second) << component["bom-ref"];
  }
  EXPECT_EQ(refs.size(), report.inventory.packages.size() + 3);
  for (const auto& dependency : document["dependencies"]) {
    EXPECT_TRUE(refs.contains(dependency["ref"]));
    for (const auto& on : dependency["dependsOn"]) EXPECT_TRUE(refs.contains(on)) << on;
  }
  for (const auto& vulnerability : document["vulnerabilities"]) {
    ASSERT_FALSE(vulnerability["affects"].empty());
    for (const auto& affected : vulnerability["affects"]) EXPECT_TRUE(refs.contains(affected["ref"]));
  }
}

TEST(CyclonedxJsonTest, LicencesAreIdsExpressionsOrNames) {
  const auto components = cyclonedx(debian_report())["components"];
  EXPECT_EQ(named(components, "core")["licenses"], Json::parse(R"([{"license":{"id":"MIT"}}])"));
  EXPECT_EQ(named(components, "libidn2-0")["licenses"],
            Json::parse(R"([{"expression":"LGPL-3.0-or-later OR GPL-2.0-or-later"}])"));
  EXPECT_EQ(named(components, "g++-12")["licenses"], Json::parse(R"([{"license":{"name":"GPLv3+"}}])"));
  EXPECT_FALSE(named(components, "lodash").contains("licenses"));
}

TEST(CyclonedxJsonTest, AVulnerabilityIsListedOnceWithAllThatItAffects) {
  const auto list = cyclonedx(debian_report())["vulnerabilities"];
  ASSERT_EQ(list.size(), 5);
  const auto& first = list[0];
  EXPECT_EQ(first["id"], "CVE-2019-18224");
  EXPECT_EQ(first["affects"].size(), 2);
  EXPECT_EQ(first["ratings"].size(), 2);
  EXPECT_EQ(first["ratings"][0]["method"], "CVSSv31");
  EXPECT_EQ(first["cwes"], Json({787}));
  EXPECT_EQ(first["recommendation"],
            "Upgrade libidn2-0 to version 2.0.5-1+deb10u1; Upgrade libtomcat9-java to version 1:9.0.2-1");
  EXPECT_EQ(first["advisories"].size(), 1);
  EXPECT_EQ(first["references"][1]["id"], "GHSA-aaaa-bbbb-cccc");
  EXPECT_FALSE(list[4].contains("recommendation"));
}

// Whoever searches through all that is there already for each is not done in any time that a person waits.
TEST(CyclonedxJsonTest, AVulnerabilityMayAffectVeryManyPlaces) {
  constexpr std::size_t kPlaces = 100'000;
  Report report;
  for (std::size_t i = 0; i < kPlaces; ++i) {
    report.findings.push_back(
        {.id = "CVE-1-2", .package = {.name = "a", .version = "1", .path = std::to_string(i)}, .fixed_version = "2"});
  }
  report.findings.push_back(report.findings.front());
  const auto list = cyclonedx_vulnerabilities(report, [](const Package& package) { return package.path; });
  ASSERT_EQ(list.size(), 1);
  EXPECT_EQ(list[0]["affects"].size(), kPlaces);
  EXPECT_EQ(list[0]["ratings"].size(), 1);
  EXPECT_EQ(list[0]["recommendation"], "Upgrade a to version 2");
}

// Trivy looks packages of a distribution up by the source's name.
TEST(CyclonedxJsonTest, SourcesAreToldInTrivysWordsToo) {
  const auto properties = [](const Json& component) {
    std::map<std::string, std::string> all;
    for (const auto& one : component["properties"]) all[one["name"]] = one["value"];
    return all;
  };
  const auto debian = cyclonedx(debian_report())["components"];
  auto idn = properties(named(debian, "libidn2-0"));
  EXPECT_EQ(idn["aquasecurity:trivy:PkgType"], "debian");
  EXPECT_EQ(idn["aquasecurity:trivy:SrcName"], "libidn2");
  EXPECT_FALSE(idn.contains("aquasecurity:trivy:SrcVersion")) << "it is the package's own";
  auto tomcat = properties(named(debian, "libtomcat9-java"));
  EXPECT_EQ(tomcat["aquasecurity:trivy:SrcName"], "tomcat9");
  EXPECT_EQ(tomcat["aquasecurity:trivy:SrcVersion"], "9.0.1");
  EXPECT_EQ(tomcat["aquasecurity:trivy:SrcRelease"], "1");
  EXPECT_EQ(tomcat["aquasecurity:trivy:SrcEpoch"], "1");
  EXPECT_EQ(tomcat["slipway:source:version"], "1:9.0.1-1");
  auto lodash = properties(named(debian, "lodash"));
  EXPECT_FALSE(lodash.contains("aquasecurity:trivy:PkgType"));
  EXPECT_EQ(lodash["aquasecurity:trivy:FilePath"], "app/package-lock.json");

  Report report = alpine_report();
  report.inventory.packages[0].source_version = "1.1.1d-r0";
  auto crypto = properties(named(cyclonedx(report)["components"], "libcrypto1.1"));
  EXPECT_EQ(crypto["aquasecurity:trivy:SrcVersion"], "1.1.1d-r0");
  EXPECT_FALSE(crypto.contains("aquasecurity:trivy:SrcRelease"));
}

TEST(CyclonedxJsonTest, TheDistributionIsCalledAsTrivyCallsIt) {
  EXPECT_EQ(cyclonedx(alma_report())["components"][0]["name"], "alma");
  const auto read = read_sbom(cyclonedx_json(alma_report(), Vulnerabilities::kLeftOut));
  ASSERT_TRUE(read) << read.error().describe();
  EXPECT_EQ(read->distribution, alma_report().inventory.distribution);
}

TEST(CyclonedxJsonTest, VulnerabilitiesCanBeLeftOut) {
  const auto text = cyclonedx_json(debian_report(), Vulnerabilities::kLeftOut);
  EXPECT_FALSE(text.contains("vulnerabilities"));
  EXPECT_FALSE(text.contains("CVE-2019-18224"));
}

TEST(CyclonedxJsonTest, WhatMayBeMissingIsCalledIncomplete) {
  EXPECT_EQ(cyclonedx(alma_report())["compositions"][0]["aggregate"], "incomplete");
  EXPECT_EQ(cyclonedx(debian_report())["compositions"][0]["aggregate"], "complete");
}

TEST(SpdxJsonTest, EveryElementIsRelatedAndEveryRelationResolves) {
  for (const auto& [name, report] : sample_reports()) {
    const auto document = spdx(report);
    std::set<std::string> ids{"SPDXRef-DOCUMENT"};
    for (const auto& package : document["packages"]) {
      const std::string id = package["SPDXID"];
      EXPECT_EQ(id.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-"),
                std::string::npos);
      EXPECT_TRUE(ids.insert(id).second) << id;
    }
    std::set<std::string> related;
    for (const auto& relationship : document["relationships"]) {
      EXPECT_TRUE(ids.contains(relationship["spdxElementId"]));
      if (relationship["relatedSpdxElement"] == "NONE") continue;
      EXPECT_TRUE(ids.contains(relationship["relatedSpdxElement"]));
      related.insert(relationship["relatedSpdxElement"]);
    }
    EXPECT_EQ(related.size() + 1, ids.size()) << name;
    EXPECT_EQ(document["creationInfo"]["created"].get<std::string>().size(), 20);
  }
}

// The schema's word, which is not that of the tags.
TEST(SpdxJsonTest, TheDistributionIsAnOperatingSystem) {
  const auto packages = spdx(debian_report())["packages"];
  EXPECT_EQ(named(packages, "debian")["primaryPackagePurpose"], "OPERATING_SYSTEM");
}

TEST(SpdxJsonTest, AStatedLicenceThatIsNoExpressionIsQuotedInTheDocument) {
  const auto document = spdx(debian_report());
  EXPECT_EQ(named(document["packages"], "lodash")["licenseDeclared"], "NOASSERTION");
  EXPECT_EQ(named(document["packages"], "@babel/core")["licenseDeclared"], "MIT");
  const std::string id = named(document["packages"], "g++-12")["licenseDeclared"];
  EXPECT_THAT(id, testing::StartsWith("LicenseRef-"));
  ASSERT_EQ(document["hasExtractedLicensingInfos"].size(), 1);
  EXPECT_EQ(document["hasExtractedLicensingInfos"][0]["licenseId"], id);
  EXPECT_EQ(document["hasExtractedLicensingInfos"][0]["extractedText"], "GPLv3+");
}

}  // namespace
}  // namespace slipway::scan
