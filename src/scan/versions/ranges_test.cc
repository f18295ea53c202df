#include "scan/versions/ranges.h"

#include <string>

#include <gtest/gtest.h>

namespace slipway::scan {
namespace {

constexpr auto kNone = std::nullopt;

TEST(NpmRangeTest, HoldsWhatTheOperatorsSay) {
  EXPECT_EQ(npm_range_contains("^1.2.3 || >=2 <3.x", "1.9.0"), true);
  EXPECT_EQ(npm_range_contains("^1.2.3 || >=2 <3.x", "2.7.1"), true);
  EXPECT_EQ(npm_range_contains("^1.2.3 || >=2 <3.x", "3.0.0"), false);
  EXPECT_EQ(npm_range_contains("1.2 - 2", "2.9.9"), true);
  EXPECT_EQ(npm_range_contains("1.2 - 2", "3.0.0"), false);
  EXPECT_EQ(npm_range_contains("~1.2.3", "1.2.9"), true);
  EXPECT_EQ(npm_range_contains("~1.2.3", "1.3.0"), false);
  EXPECT_EQ(npm_range_contains("^0.0", "0.0.9"), true);
  EXPECT_EQ(npm_range_contains("^0.0", "0.1.0"), false);
  EXPECT_EQ(npm_range_contains(">9", "10.0.0"), true);
  EXPECT_EQ(npm_range_contains("<*", "1.0.0"), false);
}

TEST(NpmRangeTest, HoldsAPrereleaseOnlyWhereOneOfItsReleaseIsNamed) {
  EXPECT_EQ(npm_range_contains(">=1.0.0-rc.1", "1.0.0-rc.2"), true);
  EXPECT_EQ(npm_range_contains(">=1.0.0-rc.1", "1.0.1-rc.2"), false);
  EXPECT_EQ(npm_range_contains(">=1.0.0-rc.1", "1.0.1-rc.2", {.include_prerelease = true}), true);
  EXPECT_EQ(npm_range_contains(">9 <10.0.0-b", "10.0.0-a"), false);
  EXPECT_EQ(npm_range_contains(">9", "10.0.0-a", {.include_prerelease = true}), true);
}

TEST(NpmRangeTest, IsNoneForWhatIsNoRangeOrNoVersion) {
  for (const auto* range :
       {"foo", ">", "1.2.3.4", "1.", "^", "1 || foo", "01.2.3", "1.2.3 -", "1 - 2 3", "=>1", "1,2"}) {
    EXPECT_EQ(npm_range_contains(range, "1.2.3"), kNone) << range;
  }
  for (const auto* version : {"", "1", "1.2", "1.2.3.4", "x", "1.2.3beta", "v"}) {
    EXPECT_EQ(npm_range_contains("*", version), kNone) << version;
  }
  EXPECT_EQ(npm_range_contains("*", "1.2.3beta.1", {.loose = true}), false);
  EXPECT_EQ(npm_range_contains("foo 1.2.3", "= v1.2.3", {.loose = true}), true);
  EXPECT_EQ(npm_range_contains("foo || bar", "1.2.3", {.loose = true}), kNone);
}

TEST(NpmRangeTest, TakesNumbersOfAnyLength) {
  const std::string nines(10'000, '9');
  EXPECT_EQ(npm_range_contains("^" + nines + ".0.0", nines + ".7.0"), true);
  EXPECT_EQ(npm_range_contains(">" + nines, "1" + std::string(10'000, '0') + ".0.0"), true);
  EXPECT_EQ(npm_range_contains(">" + nines, nines + ".9.0"), false);
}

TEST(Pep440SpecifiersTest, HoldWhatTheOperatorsSay) {
  EXPECT_EQ(pep440_contains(">=1.2,!=1.3.*,<2", "1.2.7"), true);
  EXPECT_EQ(pep440_contains(">=1.2,!=1.3.*,<2", "1.3.7"), false);
  EXPECT_EQ(pep440_contains("~=1.4.2", "1.4.9"), true);
  EXPECT_EQ(pep440_contains("~=1.4.2", "1.5"), false);
  EXPECT_EQ(pep440_contains("~=1.4.2rc1", "1.4.2rc1"), true);
  EXPECT_EQ(pep440_contains("==1!2.*", "2.1"), false);
  EXPECT_EQ(pep440_contains(" == 1.0 , ", "1.0.0+local"), true);
  EXPECT_EQ(pep440_contains("<2", "2.0rc1"), false);
  EXPECT_EQ(pep440_contains("<2", "1.9rc1"), true);
  EXPECT_EQ(pep440_contains("<2", "1.9rc1", /*prereleases=*/false), false);
  EXPECT_EQ(pep440_contains("", "1.0"), true);
}

TEST(Pep440SpecifiersTest, AreNoneForWhatIsNoSpecifierOrNoVersion) {
  for (const auto* specifiers :
       {"1.0", "=1.0", ">=", "~=1", ">=1.0.*", "==1.0a1.*", "==1.0 .*", ">=1,foo", "< = 1", "==*"}) {
    EXPECT_EQ(pep440_contains(specifiers, "1.0"), kNone) << specifiers;
  }
  EXPECT_EQ(pep440_contains(">=1", "foo"), kNone);
  EXPECT_EQ(pep440_contains("", "foo"), kNone);
  EXPECT_EQ(pep440_contains("===foo", "Foo"), true);
  EXPECT_EQ(pep440_contains("===foo,>=1", "foo"), kNone);
}

TEST(ConstraintTest, ComparisonsAllHoldAndAlternativesAny) {
  const auto in = [](std::string_view version) {
    return constraint_contains(VersionScheme::kMaven, ">= 2.0.0, < 2.9.10.4 || = 3.0", version);
  };
  EXPECT_EQ(in("2.0.0"), true);
  EXPECT_EQ(in("2.9.10.3"), true);
  EXPECT_EQ(in("2.9.10.4"), false);
  EXPECT_EQ(in("1.9"), false);
  EXPECT_EQ(in("3.0.0"), true);
  EXPECT_EQ(constraint_contains(VersionScheme::kSemver, ">=1.0 <2.0 !=1.5", "1.5.0"), false);
  EXPECT_EQ(constraint_contains(VersionScheme::kSemver, ">=1.0<2.0", "1.5.0"), true);
  EXPECT_EQ(constraint_contains(VersionScheme::kPackagist, ">=1.0,<1.1|>=2.0,<2.1", "2.0.4"), true);
  EXPECT_EQ(constraint_contains(VersionScheme::kDpkg, "<< 1", "1"), kNone);
  EXPECT_EQ(constraint_contains(VersionScheme::kSemver, "*", "1.5.0"), true);
  EXPECT_EQ(constraint_contains(VersionScheme::kSemver, "1.5", "1.5.0"), true);
}

TEST(ConstraintTest, IntervalsHaveTheirBoundsInOrOut) {
  const auto in = [](std::string_view constraint, std::string_view version) {
    return constraint_contains(VersionScheme::kMaven, constraint, version);
  };
  EXPECT_EQ(in("[2.9.0,2.9.10.7)", "2.9"), true);
  EXPECT_EQ(in("[2.9.0,2.9.10.7)", "2.9.10.7"), false);
  EXPECT_EQ(in("(2.9.0, 2.9.10.7]", "2.9.0"), false);
  EXPECT_EQ(in("(2.9.0, 2.9.10.7]", "2.9.10.7"), true);
  EXPECT_EQ(in("(,1.0],[1.2,)", "1.1"), false);
  EXPECT_EQ(in("(,1.0],[1.2,)", "0.1"), true);
  EXPECT_EQ(in("(,1.0],[1.2,)", "7"), true);
  EXPECT_EQ(in("[1.0]", "1.0.0"), true);
  EXPECT_EQ(in("(,)", "1"), true);
}

TEST(ConstraintTest, PessimisticComparisonKeepsAllButTheLastNumber) {
  const auto in = [](std::string_view constraint, std::string_view version) {
    return constraint_contains(VersionScheme::kRubyGems, constraint, version);
  };
  EXPECT_EQ(in("~> 4.2.5, >= 4.2.5.1", "4.2.5"), false);
  EXPECT_EQ(in("~> 4.2.5, >= 4.2.5.1", "4.2.10"), true);
  EXPECT_EQ(in("~> 4.2.5, >= 4.2.5.1", "4.3"), false);
  EXPECT_EQ(in("~> 4", "4.9"), true);
  EXPECT_EQ(in("~> 4", "5.0.a"), false);
  EXPECT_EQ(in("~> 2.0.0.rc1", "2.0.3"), true);
  EXPECT_EQ(in("~> 2.0.0.rc1", "2.1.0"), false);
  EXPECT_EQ(constraint_contains(VersionScheme::kSemver, "~> 4", "4.0.0"), kNone);
}

TEST(ConstraintTest, IsNoneForWhatIsNoConstraintOrNoVersion) {
  for (const auto* constraint : {"", " , ", ">=", ">= 1 ||", "[1,2", "(1)", "[1)", "1 - 2", ">= x", "|", "[]"}) {
    EXPECT_EQ(constraint_contains(VersionScheme::kSemver, constraint, "1.0.0"), kNone) << constraint;
  }
  EXPECT_EQ(constraint_contains(VersionScheme::kMaven, "1 - 2", "1"), kNone);
  EXPECT_EQ(constraint_contains(VersionScheme::kSemver, "*", "latest"), kNone);
  EXPECT_EQ(constraint_contains(VersionScheme::kSemver, ">= 1", ""), kNone);
}

}  // namespace
}  // namespace slipway::scan
