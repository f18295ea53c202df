#include "scan/versions/order.h"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace slipway::scan {
namespace {

constexpr VersionScheme kAll[] = {VersionScheme::kDpkg,   VersionScheme::kApk,      VersionScheme::kRpm,
                                  VersionScheme::kSemver, VersionScheme::kPep440,   VersionScheme::kMaven,
                                  VersionScheme::kGo,     VersionScheme::kRubyGems, VersionScheme::kPackagist};

std::optional<std::strong_ordering> turned_round(std::optional<std::strong_ordering> order) {
  if (order) *order = 0 <=> *order;
  return order;
}

// Each against each; those in one group are equal.
void expect_ascending(VersionScheme scheme, const std::vector<std::vector<std::string>>& groups) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::size_t j = 0; j < groups.size(); ++j) {
      for (const auto& a : groups[i]) {
        for (const auto& b : groups[j]) EXPECT_EQ(compare_versions(scheme, a, b), i <=> j) << a << ", " << b;
      }
    }
  }
}

void expect_none(VersionScheme scheme, const std::vector<std::string>& texts, const std::string& version) {
  for (const auto& text : texts) {
    EXPECT_FALSE(is_version(scheme, text)) << text;
    EXPECT_EQ(compare_versions(scheme, text, version), std::nullopt) << text;
    EXPECT_EQ(compare_versions(scheme, version, text), std::nullopt) << text;
  }
}

TEST(CompareVersionsTest, TheEmptyTextIsAVersionNowhere) {
  for (const auto scheme : kAll) {
    EXPECT_FALSE(is_version(scheme, ""));
    EXPECT_EQ(compare_versions(scheme, "", "1"), std::nullopt);
    EXPECT_EQ(compare_versions(scheme, "1", ""), std::nullopt);
    EXPECT_TRUE(is_version(scheme, "1"));
  }
}

TEST(CompareVersionsTest, NumbersOfAnyLengthAreCompared) {
  const std::string nines(10'000, '9');
  const std::string zeros(10'000, '0');
  for (const auto scheme : kAll) {
    const auto eight = "1." + nines.substr(1) + "8";
    EXPECT_EQ(compare_versions(scheme, "1." + nines, eight), std::strong_ordering::greater);
    EXPECT_EQ(compare_versions(scheme, "1.1" + zeros, "1." + nines), std::strong_ordering::greater);
    EXPECT_EQ(compare_versions(scheme, "1." + nines, "1." + nines), std::strong_ordering::equal);
  }
}

// Were one of these read again from the start for each of its parts, this would take minutes.
TEST(CompareVersionsTest, LongRunsOfAnyPartTakeLinearTime) {
  for (const std::string part :
       {"0", ".0", "-0", ".", "-", "a", ".a", "1a", "0.", "~", "^", "_p", "_p1", "+", "-r1", ".0-"}) {
    std::string version = "1";
    while (version.size() < 100'000) version += part;
    for (const auto scheme : kAll) {
      const auto order = compare_versions(scheme, version, version);
      EXPECT_EQ(order.value_or(std::strong_ordering::equal), std::strong_ordering::equal);
      const auto longer = compare_versions(scheme, version, version + ".1");
      const auto shorter = compare_versions(scheme, version + ".1", version);
      EXPECT_EQ(longer, turned_round(shorter));
    }
  }
}

TEST(CompareVersionsTest, BytesThatAreNoTextAreTaken) {
  for (const auto& text :
       {std::string("1\0002", 3), std::string("\xff\xfe"), std::string("1.\x80"), std::string("\0", 1)}) {
    for (const auto scheme : kAll) {
      const auto order = compare_versions(scheme, text, "1.0");
      const auto turned = compare_versions(scheme, "1.0", text);
      EXPECT_EQ(order, turned_round(turned));
    }
  }
}

TEST(CompareVersionsTest, DpkgPutsEpochsFirstAndTildesBelowTheEnd) {
  expect_ascending(VersionScheme::kDpkg, {{"1.0~~"},
                                          {"1.0~rc1-1"},
                                          {"1.0", "0:1.0", "1.0-0", "1.00"},
                                          {"1.0-1"},
                                          {"1.0-1+deb12u1", "1.0-1+deb012u01"},
                                          {"1.0-1+deb12u2"},
                                          {"1.0a-1"},
                                          {"1.0+b-1"},
                                          {"1.0.1-1"},
                                          {"1:0.1", "01:0.1"},
                                          {"10:0"}});
}

TEST(CompareVersionsTest, DpkgRefusesWhatItWouldNotInstall) {
  expect_none(VersionScheme::kDpkg, {":1", "a:1", "1:", "1-", "-1", "1_0", "1 0", "<unfixed>", "1.0-1:2", "1\n"}, "1");
  EXPECT_TRUE(is_version(VersionScheme::kDpkg, "2:1.0-rc1-3~bpo11+1"));
  EXPECT_TRUE(is_version(VersionScheme::kDpkg, "v1.0"));
}

TEST(CompareVersionsTest, ApkReadsZerosInFrontAsFractions) {
  expect_ascending(VersionScheme::kApk, {{"1.0_alpha"},
                                         {"1.0_alpha2"},
                                         {"1.0_rc1"},
                                         {"1.0"},
                                         {"1.0-r0", "1.0-r00"},
                                         {"1.0-r1"},
                                         {"1.0-r10"},
                                         {"1.0~ab12"},
                                         {"1.0_git20240101"},
                                         {"1.0_p1"},
                                         {"1.0a"},
                                         {"1.0a1"},
                                         {"1.0a2"},
                                         {"1.0b"},
                                         {"1.01"},
                                         {"1.015"},
                                         {"1.02"},
                                         {"1.2"},
                                         {"1.10"}});
}

TEST(CompareVersionsTest, ApkPlacesWhatItRefuses) {
  EXPECT_FALSE(is_version(VersionScheme::kApk, "5.7.1p1-r0"));
  expect_ascending(VersionScheme::kApk,
                   {{".1"}, {"1-x", "1-y", "1_foo", "1 "}, {"1"}, {"1.0"}, {"5.7.1p1-r0"}, {"5.7.1p1-r1"}});
}

TEST(CompareVersionsTest, RpmPutsCaretsAboveAndTildesBelowTheEnd) {
  expect_ascending(VersionScheme::kRpm, {{"1.0~rc1-1"},
                                         {"1.0"},
                                         {"1.0-1.el9", "1.0-1_el9", "0:1.0-1.el9", "1.00-1.el9"},
                                         {"1.0-1.el9_2"},
                                         {"1.0-2.el9"},
                                         {"1.0-10.el9"},
                                         {"1.0^20240101-1"},
                                         {"1.0a-1"},
                                         {"1.0.1-1"},
                                         {"1:0.1-1"}});
  EXPECT_FALSE(is_version(VersionScheme::kRpm, "1.0 1"));
}

TEST(CompareVersionsTest, SemverPutsNumbersBelowWordsAndPrereleasesBelowReleases) {
  expect_ascending(VersionScheme::kSemver, {{"1.0.0-0"},
                                            {"1.0.0-2"},
                                            {"1.0.0-10"},
                                            {"1.0.0--"},
                                            {"1.0.0-Beta"},
                                            {"1.0.0-alpha", "1.0.0alpha"},
                                            {"1.0.0-alpha.0"},
                                            {"1.0.0-alpha.b"},
                                            {"1.0.0", "1", "v1.0", "= 1.0.0", "1.0.0+x", "1.0.0.7", "01.0.0"},
                                            {"1.0.1"},
                                            {"1.10.0"}});
}

TEST(CompareVersionsTest, SemverRefusesWhatHasNoNumbers) {
  expect_none(VersionScheme::kSemver,
              {"latest", "1.x", "1.0.0-", "1.0.0-a..b", "1..0", ".1", "1.", "1.0.0+", "1.0.0-a_b", "-1", "v", " "},
              "1.0.0");
}

TEST(CompareVersionsTest, Pep440OrdersAllPartsOfAVersion) {
  expect_ascending(VersionScheme::kPep440, {{"foo"},
                                            {"0.7.4.svn.r2010"},
                                            {"2013-09-11T19-27-10"},
                                            {"1.0.dev1", "1.dev1", "1.0-DEV1"},
                                            {"1.0a1.dev1"},
                                            {"1.0a1", "v1.0.alpha.1", "1.0_A_1"},
                                            {"1.0a1.post1"},
                                            {"1.0b0", "1.0b"},
                                            {"1.0rc1", "1.0c1", "1.0-preview1", "1pre1"},
                                            {"1.0", "1", "1.0.0.0", "0!1", " 1.0\n"},
                                            {"1.0+abc", "1.0+ABC"},
                                            {"1.0+abc.1", "1.0+abc-01"},
                                            {"1.0+5"},
                                            {"1.0.post1.dev1"},
                                            {"1.0.post1", "1.0-1", "1.0rev1", "1.0.r1"},
                                            {"1.0.1"},
                                            {"1!0.1", "01!0.1"}});
}

TEST(CompareVersionsTest, Pep440AcceptsOnlyWhatItDescribes) {
  for (const auto* text :
       {"1.0.", "1..0", "1.0+", "1.0+a..b", "1.0 a1", "1.0a1b1", "1.0.dev1.post1", "!1", "v", "1.0-"}) {
    EXPECT_FALSE(is_version(VersionScheme::kPep440, text)) << text;
    EXPECT_EQ(compare_versions(VersionScheme::kPep440, text, "0.dev0"), std::strong_ordering::less) << text;
  }
}

TEST(CompareVersionsTest, MavenKnowsItsQualifiers) {
  expect_ascending(VersionScheme::kMaven, {{"foo"},
                                           {"1.0-alpha1", "1-a1", "1.0.0-ALPHA-1", "1a1"},
                                           {"1.0-beta"},
                                           {"1.0-M1", "1.0-milestone-1"},
                                           {"1.0-RC1", "1.0-cr1"},
                                           {"1.0-SNAPSHOT"},
                                           {"1.0", "1", "1.ga", "1-final", "1.0.0-0.0", "1.", "1-RELEASE", "01"},
                                           {"1.0-sp1"},
                                           {"1.0-abc"},
                                           {"1.0-jre"},
                                           {"1.0-1"},
                                           {"1.0.1-rc1"},
                                           {"1.0.1", "1.0.1.Final"},
                                           {"1.1"},
                                           {"1.10"}});
}

// What Maven itself has in a circle.
TEST(CompareVersionsTest, MavenPutsEveryPrereleaseBelowItsRelease) {
  expect_ascending(VersionScheme::kMaven, {{"2.9.0.RC1"}, {"2.9.0", "2.9"}, {"2.9.0-1"}});
  expect_ascending(VersionScheme::kMaven, {{"1-alpha"}, {"1"}, {"1.sp"}});
}

TEST(CompareVersionsTest, GoComparesModulesAndToolchains) {
  expect_ascending(VersionScheme::kGo,
                   {{"v0.0.0-20210101000000-abcdefabcdef"},
                    {"0.0.0-20220101000000-abcdefabcdef"},
                    {"v0.0.0", "0"},
                    {"1.20.3"},
                    {"go1.20.4", "go1.20.4b7", "go1.20.4 X:boringcrypto", "go1.20.4-custom", "1.20.4"},
                    {"1.21.0-0"},
                    {"go1.21beta1"},
                    {"go1.21rc2", "1.21rc2", "1.21.0-rc.2"},
                    {"go1.21rc10", "1.21.0-rc.10"},
                    {"go1.21.0", "go1.21", "v1.21.0+incompatible"},
                    {"go1.21.1"}});
  expect_none(VersionScheme::kGo, {"devel", "(devel)", "go", "v", "vv1", "master", "=1.0", "go 1"}, "v1.0.0");
}

TEST(CompareVersionsTest, RubyGemsPutsWordsBelowNumbers) {
  expect_ascending(VersionScheme::kRubyGems, {{"1.0.0.a", "1.a", "1.0.a.0", "1a"},
                                              {"1.a.1"},
                                              {"1.b"},
                                              {"1.pre.1", "1-1"},
                                              {"1", "1.0", "1.0.0", " 1 "},
                                              {"1.0.1.a"},
                                              {"1.0.1"},
                                              {"1.10", "1.010"}});
  expect_none(VersionScheme::kRubyGems, {"a", "1..2", "1.", ".1", "1_2", "1-", "1 2", "junk"}, "1");
}

TEST(CompareVersionsTest, PackagistComparesAsPhpDoes) {
  expect_ascending(VersionScheme::kPackagist, {{"dev-main", "DEV-main"},
                                               {"dev-master"},
                                               {"1.0-foo", "1.0-BETA"},
                                               {"1.0-dev"},
                                               {"1.0-alpha1", "1.0a1", "v1.0.alpha.1"},
                                               {"1.0-beta"},
                                               {"1.0-RC1", "1.0rc1"},
                                               {"1.0", "v1.0", "V1.0", "1.00"},
                                               {"1.0.0"},
                                               {"1.0.1"},
                                               {"1.0-patch1", "1.0pl1", "1.0p1"},
                                               {"1.1"},
                                               {"1.10"}});
  EXPECT_TRUE(is_version(VersionScheme::kPackagist, "dev-main"));
  EXPECT_FALSE(is_version(VersionScheme::kPackagist, "main"));
  EXPECT_FALSE(is_version(VersionScheme::kPackagist, "1.0 2"));
}

}  // namespace
}  // namespace slipway::scan
