#include "scan/reports/sbom_distribution.h"

#include <string_view>

#include <gtest/gtest.h>

#include "scan/reports/formats.h"

namespace slipway::scan {
namespace {

bool is_of(std::string_view url, const Distribution& distribution) {
  return may_be_of(parse_package_url(url).value(), distribution);
}

TEST(SbomDistributionTest, TheSameReleaseInOtherWordsIsTheSame) {
  const Distribution debian{.id = "debian", .version = "12", .codename = "bookworm"};
  for (const auto* const url :
       {"pkg:deb/debian/a@1?distro=debian-12", "pkg:deb/debian/a@1?distro=debian-12.4",
        "pkg:deb/debian/a@1?distro=bookworm", "pkg:deb/debian/a@1?distro=debian-Bookworm", "pkg:deb/debian/a@1",
        "pkg:deb/a@1", "pkg:deb/Debian/a@1", "pkg:npm/a@1?distro=alpine-3"}) {
    EXPECT_TRUE(is_of(url, debian)) << url;
  }
  EXPECT_TRUE(is_of("pkg:deb/debian/a@1?distro=bookworm", {.id = "debian", .version = "12.1"}));
  EXPECT_TRUE(is_of("pkg:deb/debian/a@1?distro=debian-12.4", {.id = "debian", .version = "12.5"}));
  EXPECT_TRUE(is_of("pkg:deb/ubuntu/a@1?distro=ubuntu-22.04", {.id = "ubuntu", .version = "22.04.2"}));
  EXPECT_TRUE(is_of("pkg:apk/alpine/a@1?distro=3.18.2", {.id = "alpine", .version = "3.18.4"}));
  EXPECT_TRUE(is_of("pkg:rpm/suse/a@1?distro=sles-15.5", {.id = "sles", .version = "15.5"}));
  EXPECT_TRUE(is_of("pkg:rpm/opensuse/a@1?distro=opensuse-15.5", {.id = "opensuse-leap", .version = "15.5"}));
  EXPECT_TRUE(is_of("pkg:rpm/almalinux/a@1?distro=almalinux-9", {.id = "almalinux", .version = "9.3"}));
}

TEST(SbomDistributionTest, AnotherReleaseOrDistributionIsNot) {
  const Distribution debian{.id = "debian", .version = "11"};
  for (const auto* const url :
       {"pkg:deb/debian/a@1?distro=debian-12", "pkg:deb/debian/a@1?distro=debian-1",
        "pkg:deb/debian/a@1?distro=bookworm", "pkg:deb/ubuntu/a@1?distro=ubuntu-11", "pkg:deb/ubuntu/a@1",
        "pkg:apk/alpine/a@1?distro=3.18.4", "pkg:rpm/almalinux/a@1?distro=almalinux-9", "pkg:rpm/rhel/a@1"}) {
    EXPECT_FALSE(is_of(url, debian)) << url;
  }
  EXPECT_FALSE(is_of("pkg:deb/ubuntu/a@1?distro=ubuntu-22.10", {.id = "ubuntu", .version = "22.04"}));
  EXPECT_FALSE(is_of("pkg:apk/alpine/a@1?distro=3.18.4", {.id = "alpine", .version = "3.19.0"}));
}

TEST(SbomDistributionTest, WhatIsWrittenOfAnOddDistributionIsOfIt) {
  for (const auto& distribution :
       {Distribution{.id = "a-b", .version = "c-d"}, Distribution{.id = "/x//y/", .version = "1"},
        Distribution{.id = "debian", .version = "", .codename = "sid"}, Distribution{.id = "sl-micro", .version = "6"},
        Distribution{.id = "x", .version = "3?4&5"}, Distribution{.id = "only-a-name"}}) {
    for (const auto type : {PackageType::kDeb, PackageType::kApk, PackageType::kRpm}) {
      const Package package{.type = type, .name = "p", .version = "1"};
      EXPECT_TRUE(is_of(package_url(package, distribution), distribution)) << package_url(package, distribution);
    }
  }
}

TEST(SbomDistributionTest, IsNamedForPeople) {
  EXPECT_EQ(distribution_name(parse_package_url("pkg:deb/debian/a@1?distro=debian-12").value()), "debian 12");
  EXPECT_EQ(distribution_name(parse_package_url("pkg:deb/debian/a@1?distro=bookworm").value()), "debian bookworm");
  EXPECT_EQ(distribution_name(parse_package_url("pkg:rpm/rhel/a@1").value()), "rhel");
  EXPECT_EQ(name_of({.id = "wolfi"}), "wolfi");
}

}  // namespace
}  // namespace slipway::scan
