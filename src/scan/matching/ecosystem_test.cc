#include "scan/matching/ecosystem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::scan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> of(PackageType type, const std::string& id, const std::string& version,
                            const std::string& codename = {}) {
  return ecosystems_of({.type = type}, Distribution{.id = id, .version = version, .codename = codename});
}

TEST(Ecosystems, OfDistributionsAreNamedAsOsvNamesThem) {
  EXPECT_THAT(of(PackageType::kDeb, "debian", "12.5"), ElementsAre("Debian:12", "Debian"));
  EXPECT_THAT(of(PackageType::kDeb, "debian", "", "trixie"), ElementsAre("Debian:13", "Debian"));
  EXPECT_THAT(of(PackageType::kDeb, "ubuntu", "22.04"), ElementsAre("Ubuntu:22.04:LTS", "Ubuntu:22.04", "Ubuntu"));
  EXPECT_THAT(of(PackageType::kApk, "alpine", "3.18.4"), ElementsAre("Alpine:v3.18", "Alpine"));
  EXPECT_THAT(of(PackageType::kApk, "alpine", "3.21_alpha20240923"), ElementsAre("Alpine:edge", "Alpine"));
  EXPECT_THAT(of(PackageType::kApk, "wolfi", "20230201"), ElementsAre("Wolfi"));
  EXPECT_THAT(of(PackageType::kRpm, "rocky", "9.3"), ElementsAre("Rocky Linux:9", "Rocky Linux"));
  EXPECT_THAT(of(PackageType::kRpm, "opensuse-leap", "15.4"), ElementsAre("openSUSE:Leap 15.4", "openSUSE"));
  EXPECT_THAT(ecosystems_of({.type = PackageType::kRpm},
                            Distribution{.id = "openeuler", .version = "24.03", .name = "openEuler 24.03 (LTS-SP1)"}),
              ElementsAre("openEuler:24.03", "openEuler:24.03-LTS-SP1", "openEuler"));
  EXPECT_THAT(of(PackageType::kApk, "debian", "12"), IsEmpty()) << "no package of that distribution";
  EXPECT_THAT(of(PackageType::kRpm, "somethingelse", "1"), IsEmpty());
  EXPECT_THAT(of(PackageType::kDeb, "debian", ""), IsEmpty());
  EXPECT_THAT(ecosystems_of({.type = PackageType::kDeb}, std::nullopt), IsEmpty());
}

TEST(Ecosystems, OfLanguagesDoNotAskForTheDistribution) {
  EXPECT_THAT(of(PackageType::kPypi, "debian", "12"), ElementsAre("PyPI"));
  EXPECT_THAT(ecosystems_of({.type = PackageType::kCargo}, std::nullopt), ElementsAre("crates.io"));
  EXPECT_THAT(ecosystems_of({.type = PackageType::kOther}, std::nullopt), IsEmpty());
}

std::vector<std::string> plain_names_of(const Package& package) {
  std::vector<std::string> names;
  for (const auto& called : names_of(package)) names.push_back(called.name);
  return names;
}

TEST(Names, AreThoseThatAdvisoriesUse) {
  EXPECT_THAT(plain_names_of({.type = PackageType::kDeb, .name = "libssl3", .source = "openssl"}),
              ElementsAre("openssl"));
  EXPECT_THAT(plain_names_of({.type = PackageType::kDeb, .name = "bash"}), ElementsAre("bash"));
  EXPECT_THAT(plain_names_of({.type = PackageType::kRpm, .name = "openssl-libs", .source = "openssl"}),
              ElementsAre("openssl-libs", "openssl"));
  EXPECT_THAT(plain_names_of({.type = PackageType::kPypi, .name = "Zope.Interface_x"}),
              ElementsAre("zope-interface-x"));
  EXPECT_THAT(plain_names_of({.type = PackageType::kComposer, .name = "Guzzle/PSR7"}), ElementsAre("guzzle/psr7"));
}

TEST(Names, HaveTheVersionOfTheSourceWhereThatIsAskedFor) {
  EXPECT_THAT(names_of({.type = PackageType::kDeb, .name = "a", .version = "2.0-1+b1", .source_version = "2.0-1"}),
              ElementsAre(Called{"a", "2.0-1"}));
  EXPECT_THAT(names_of({.type = PackageType::kDeb, .name = "a", .version = "2.0-1"}),
              ElementsAre(Called{"a", "2.0-1"}));
  EXPECT_THAT(names_of({.type = PackageType::kRpm, .name = "a-gem", .version = "9-2", .source = "a"}),
              ElementsAre(Called{"a-gem", "9-2"}, Called{"a", "9-2"}));
  EXPECT_THAT(
      names_of(
          {.type = PackageType::kRpm, .name = "a-gem", .version = "1:9-2", .source = "a", .source_version = "1-2"}),
      ElementsAre(Called{"a-gem", "1:9-2"}, Called{"a", "1:1-2"}));
}

}  // namespace
}  // namespace slipway::scan
