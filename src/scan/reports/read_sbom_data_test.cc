// SBOMs that others have made, where these files are there.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "scan/reports/formats.h"
#include "scan/reports/package_url.h"

namespace slipway::scan {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class SbomDataTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* given = std::getenv("SLIPWAY_DATA");
    folder_ = std::filesystem::path(given != nullptr ? given : SLIPWAY_TEST_DATA) / "trivy";
    if (!std::filesystem::exists(folder_)) GTEST_SKIP() << "there is no real data: set SLIPWAY_DATA";
  }

  [[nodiscard]] std::string text(const std::string& name) const {
    std::stringstream all;
    all << std::ifstream(folder_ / name).rdbuf();
    return all.str();
  }
  [[nodiscard]] Inventory read(const std::string& name) const {
    const auto whole = text(name);
    EXPECT_TRUE(looks_like_sbom(whole.substr(0, 100))) << name;
    auto inventory = read_sbom(whole);
    if (!inventory) ADD_FAILURE() << name << ": " << inventory.error().describe();
    return inventory.value_or(Inventory{});
  }

  std::filesystem::path folder_{};
};

TEST_F(SbomDataTest, OneImageInFourFormsHasTheSamePackages) {
  for (const auto* const name :
       {"centos-7-cyclonedx.json", "centos-7-cyclonedx.intoto.jsonl", "centos-7-spdx.json", "centos-7-spdx.txt"}) {
    SCOPED_TRACE(name);
    const auto inventory = read(std::string("sbom-input/") + name);
    EXPECT_THAT(inventory.unread, IsEmpty());
    ASSERT_TRUE(inventory.distribution);
    EXPECT_EQ(inventory.distribution->id, "centos");
    EXPECT_EQ(inventory.distribution->version, "7.6.1810");
    ASSERT_THAT(inventory.layers, SizeIs(1));
    EXPECT_THAT(inventory.layers[0].diff_id, testing::StartsWith("sha256:89169d87"));
    EXPECT_THAT(inventory.layers[0].digest, testing::StartsWith("sha256:ac920820"));
    ASSERT_THAT(inventory.packages, SizeIs(2));
    EXPECT_EQ(inventory.packages[0].name, "bash");
    EXPECT_EQ(inventory.packages[0].version, "4.2.46-31.el7");
    EXPECT_EQ(inventory.packages[0].source, "");
    EXPECT_EQ(inventory.packages[0].licence, "GPLv3+");
    EXPECT_EQ(inventory.packages[1].version, "1:1.0.2k-16.el7");
    EXPECT_EQ(inventory.packages[1].source_version, "");
    EXPECT_EQ(inventory.packages[1].architecture, "x86_64");
  }
}

TEST_F(SbomDataTest, PackagesOfADistributionAndOfALanguage) {
  const auto inventory = read("sbom-input/fluentd-multiple-lockfiles-cyclonedx.json");
  EXPECT_EQ(inventory.distribution->version, "10.2");
  ASSERT_THAT(inventory.packages, SizeIs(3));
  EXPECT_THAT(inventory.layers, SizeIs(6));
  EXPECT_EQ(inventory.packages[1].name, "libidn2-0");
  EXPECT_EQ(inventory.packages[1].source, "libidn2");
  EXPECT_EQ(inventory.packages[2].type, PackageType::kGem);
  EXPECT_EQ(inventory.packages[2].path, "var/lib/gems/2.5.0/specifications/activesupport-6.0.2.1.gemspec");
  EXPECT_EQ(inventory.packages[2].layer, 3);
}

// The recorded answers to that SBOM: each package has the URL, the layer and the place that Trivy gives it.
TEST_F(SbomDataTest, TrivysAnswersAreOfThePackagesThatAreRead) {
  Report report;
  report.artifact = "testdata/fixtures/sbom/fluentd-multiple-lockfiles-cyclonedx.json";
  report.artifact_type = "cyclonedx";
  report.inventory = read("sbom-input/fluentd-multiple-lockfiles-cyclonedx.json");
  const auto golden = parse_json(text("golden/fluentd-multiple-lockfiles.json")).value();
  for (const auto& result : golden.at("Results")) {
    for (const auto& found : result.at("Vulnerabilities")) {
      const auto package =
          std::ranges::find(report.inventory.packages, found.at("PkgName").get<std::string>(), &Package::name);
      ASSERT_NE(package, report.inventory.packages.end());
      Finding finding;
      finding.id = found.at("VulnerabilityID");
      finding.package = *package;
      report.findings.push_back(std::move(finding));
    }
  }
  const auto ours = parse_json(trivy_json(report)).value();
  ASSERT_EQ(ours["Results"].size(), golden["Results"].size());
  for (std::size_t at = 0; at < golden["Results"].size(); ++at) {
    const auto& theirs = golden["Results"][at];
    for (const auto* const key : {"Target", "Class", "Type"}) EXPECT_EQ(ours["Results"][at][key], theirs[key]);
    for (std::size_t number = 0; number < theirs["Vulnerabilities"].size(); ++number) {
      const auto& found = theirs["Vulnerabilities"][number];
      const auto& own = ours["Results"][at]["Vulnerabilities"][number];
      for (const auto* const key : {"VulnerabilityID", "PkgID", "PkgName", "PkgPath", "InstalledVersion", "Layer"}) {
        EXPECT_EQ(own.value(key, Json()), found.value(key, Json())) << key;
      }
      EXPECT_EQ(own["PkgIdentifier"]["PURL"], found["PkgIdentifier"]["PURL"]);
    }
  }
}

TEST_F(SbomDataTest, ALockFilesPackagesAndAClustersParts) {
  const auto maven = read("sbom-input/license-cyclonedx.json");
  ASSERT_THAT(maven.packages, SizeIs(3));
  EXPECT_EQ(maven.packages[0].name, "org.eclipse.sisu:org.eclipse.sisu.plexus");
  EXPECT_EQ(maven.packages[2].licence, "MIT License");
  EXPECT_TRUE(maven.complete());
  const auto cluster = read("sbom-input/minikube-kbom.json");
  EXPECT_EQ(cluster.distribution->id, "ubuntu");
  EXPECT_EQ(cluster.packages.front().type, PackageType::kGolang);
  EXPECT_EQ(cluster.packages.back().type, PackageType::kOther);
  EXPECT_FALSE(cluster.complete());  // etcd has no package URL
}

TEST_F(SbomDataTest, TrivysSbomsAreRead) {
  int read_ones = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder_ / "golden")) {
    const auto name = "golden/" + file.path().filename().string();
    if (!text(name).contains("\"bomFormat\"")) continue;
    const auto inventory = read(name);
    EXPECT_THAT(inventory.packages, testing::Not(IsEmpty())) << name;
    EXPECT_TRUE(inventory.complete()) << name;
    ++read_ones;
  }
  EXPECT_EQ(read_ones, 4);
}

// Every address of a package in Trivy's outputs is the one that is made of what it tells.
TEST_F(SbomDataTest, TrivysPackageUrlsAreOurs) {
  int compared = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder_ / "golden")) {
    const auto document = parse_json(text("golden/" + file.path().filename().string())).value();
    for (const auto& result : document.value("Results", Json::array())) {
      for (const auto& found : result.value("Vulnerabilities", Json::array())) {
        const auto& expected = found.at("PkgIdentifier").at("PURL").get_ref<const std::string&>();
        const auto url = parse_package_url(expected);
        ASSERT_TRUE(url) << expected;
        const auto package = package_of(*url);
        EXPECT_EQ(package_url(package, distribution_of(*url)), expected);
        if (package.type != PackageType::kPypi) {
          EXPECT_EQ(package.name, found.at("PkgName"));
        }
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 50);
}

}  // namespace
}  // namespace slipway::scan
