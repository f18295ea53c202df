#include "scan/reports/package_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scan/reports/distribution_names.h"
#include "scan/reports/formats.h"
#include "scan/testing/sample_report.h"

namespace slipway::scan {
namespace {

using enum PackageType;

Package package(PackageType type, std::string name, std::string version, std::string architecture = "") {
  return {
      .type = type, .name = std::move(name), .version = std::move(version), .architecture = std::move(architecture)};
}

std::string url(const Package& package, std::string id = "", std::string version = "") {
  std::optional<Distribution> distribution;
  if (!id.empty()) distribution = Distribution{.id = std::move(id), .version = std::move(version)};
  return package_url(package, distribution);
}

TEST(PackageUrlTest, DistributionsPackagesSayTheirArchitectureAndRelease) {
  EXPECT_EQ(url(package(kDeb, "bash", "5.2-1", "amd64"), "debian", "12"),
            "pkg:deb/debian/bash@5.2-1?arch=amd64&distro=debian-12");
  EXPECT_EQ(url(package(kDeb, "attr", "1:2.4.47-2", "amd64"), "ubuntu", "18.04"),
            "pkg:deb/ubuntu/attr@1:2.4.47-2?arch=amd64&distro=ubuntu-18.04");
  EXPECT_EQ(url(package(kApk, "musl", "1.1.20-r4", "x86_64"), "alpine", "3.9.4"),
            "pkg:apk/alpine/musl@1.1.20-r4?arch=x86_64&distro=3.9.4");
  EXPECT_EQ(url(package(kRpm, "openssl-libs", "1:1.1.1k-4.el8", "x86_64"), "almalinux", "8.5"),
            "pkg:rpm/alma/openssl-libs@1.1.1k-4.el8?arch=x86_64&distro=alma-8.5&epoch=1");
  EXPECT_EQ(url(package(kRpm, "curl", "7.61.1-34.el8", ""), "rhel", "8.9"),
            "pkg:rpm/redhat/curl@7.61.1-34.el8?distro=redhat-8.9");
  EXPECT_EQ(url(package(kDeb, "bash", "5.2-1")), "pkg:deb/bash@5.2-1");
}

TEST(PackageUrlTest, ARollingDistributionIsNamedByItsCodename) {
  const Distribution sid{.id = "debian", .version = "", .codename = "sid"};
  EXPECT_EQ(package_url(package(kDeb, "bash", "5.2-1"), sid), "pkg:deb/debian/bash@5.2-1?distro=debian-sid");
}

TEST(PackageUrlTest, LanguagesFollowTheirOwnRules) {
  EXPECT_EQ(url(package(kNpm, "@babel/core", "7.1.0")), "pkg:npm/%40babel/core@7.1.0");
  EXPECT_EQ(url(package(kPypi, "Flask_Login", "0.6.3")), "pkg:pypi/flask-login@0.6.3");
  EXPECT_EQ(url(package(kGolang, "github.com/BurntSushi/toml", "1.2.0")),
            "pkg:golang/github.com/burntsushi/toml@v1.2.0");
  EXPECT_EQ(url(package(kGolang, "github.com/docker/distribution", "2.7.1+incompatible")),
            "pkg:golang/github.com/docker/distribution@v2.7.1%2Bincompatible");
  EXPECT_EQ(url(package(kGolang, "stdlib", "1.21.3")), "pkg:golang/stdlib@v1.21.3");
  EXPECT_EQ(url(package(kMaven, "org.apache.tomcat:tomcat", "9.0.1")), "pkg:maven/org.apache.tomcat/tomcat@9.0.1");
  EXPECT_EQ(url(package(kGem, "rack", "2.0.1")), "pkg:gem/rack@2.0.1");
  EXPECT_EQ(url(package(kCargo, "ammonia", "1.9.0")), "pkg:cargo/ammonia@1.9.0");
  EXPECT_EQ(url(package(kComposer, "GuzzleHttp/psr7", "1.8.3")), "pkg:composer/guzzlehttp/psr7@1.8.3");
  EXPECT_EQ(url(package(kOther, "a/b", "1")), "pkg:generic/a/b@1");
}

TEST(PackageUrlTest, WhatCouldBeTakenForASeparatorIsEncoded) {
  EXPECT_EQ(url(package(kNpm, "a/b", "1@2?3#4&5")), "pkg:npm/a%2Fb@1%402%3F3%234%265");
  EXPECT_EQ(url(package(kGem, "\xC3\xBC \x01", "")), "pkg:gem/%C3%BC%20%01");
  EXPECT_EQ(url(package(kDeb, "g++", "12~rc1+b1")), "pkg:deb/g%2B%2B@12~rc1%2Bb1");
  EXPECT_EQ(url(package(kGem, "", "1")), "");
}

TEST(PackageUrlTest, AllPartsAreTakenApartAndDecoded) {
  const auto parsed = parse_package_url("pkg:RPM/centos/openssl%2Dlibs@1.0.2k-16.el7?arch=x86_64&EPOCH=1#a//b%20c/");
  ASSERT_TRUE(parsed) << parsed.error().message();
  EXPECT_EQ(*parsed, (PackageUrl{.type = "rpm",
                                 .space = "centos",
                                 .name = "openssl-libs",
                                 .version = "1.0.2k-16.el7",
                                 .qualifiers = {{"arch", "x86_64"}, {"epoch", "1"}},
                                 .subpath = "a/b c"}));
  EXPECT_EQ(package_of(*parsed), package(kRpm, "openssl-libs", "1:1.0.2k-16.el7", "x86_64"));
}

TEST(PackageUrlTest, SloppyOnesAreUnderstood) {
  const auto name = [](std::string_view text) {
    const auto parsed = parse_package_url(text);
    return parsed ? package_of(*parsed).name + " " + package_of(*parsed).version : parsed.error().message();
  };
  EXPECT_EQ(name("pkg://npm/@babel/core"), "@babel/core ");
  EXPECT_EQ(name("pkg:npm/@babel/core@7.1.0"), "@babel/core 7.1.0");
  EXPECT_EQ(name("pkg:golang/std@v1.16.0"), "stdlib 1.16.0");
  EXPECT_EQ(name("pkg:golang/std@go1.21.3"), "stdlib 1.21.3");
  EXPECT_EQ(name("pkg:golang/Github.com/x/y@v1.2.3?"), "Github.com/x/y 1.2.3");
  EXPECT_EQ(name("PKG:deb/debian/attr@1%3A2.4.47-2?arch=source&x&=y&z="), "attr 1:2.4.47-2");
  EXPECT_EQ(name("pkg:k8s/k8s.io%2Fkubelet@1.27.0"), "k8s.io/kubelet 1.27.0");
  EXPECT_EQ(name("pkg:oci/coredns@sha256:a0ea?repository_url=registry.k8s.io%2Fcoredns"), "coredns sha256:a0ea");
}

TEST(PackageUrlTest, HostileOnesAreRefused) {
  const std::string long_one = "pkg:npm/" + std::string(100'000, 'a');
  for (const std::string_view text : {"",
                                      "pkg",
                                      "pkg:",
                                      "pkg:/",
                                      "pkg:npm",
                                      "pkg:npm/",
                                      "pkg:npm/@1",
                                      "npm/x@1",
                                      "pkg:n pm/x",
                                      "pkg:1npm/x",
                                      "pkg:/@",
                                      "pkg:npm/%",
                                      "pkg:npm/%4",
                                      "pkg:npm/%zz@1",
                                      "pkg:npm/x@%ff",
                                      "pkg:npm/x?a=%C0%80",
                                      "pkg:npm/%ED%A0%80",
                                      "pkg:@",
                                      "pkg:#",
                                      "pkg:?",
                                      "pkg:npm/x#%",
                                      "https://example.org/",
                                      long_one.c_str()}) {
    const auto parsed = parse_package_url(text);
    if (text == "pkg:npm/@1") {
      EXPECT_TRUE(parsed);  // a name that looks like a scope
      continue;
    }
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().kind(), ErrorKind::kCorrupt);
  }
}

TEST(PackageUrlTest, PackagesWithPlainNamesComeBackAsTheyWere) {
  for (const auto& report : {debian_report(), alma_report(), alpine_report()}) {
    ASSERT_FALSE(report.inventory.packages.empty());
    for (const auto& given : report.inventory.packages) {
      const auto parsed = parse_package_url(package_url(given, report.inventory.distribution));
      ASSERT_TRUE(parsed) << given.name;
      const auto back = package_of(*parsed);
      EXPECT_EQ(back.type, given.type) << given.name;
      EXPECT_EQ(back.version, given.version) << given.name;
      EXPECT_EQ(back.architecture, given.architecture) << given.name;
      if (given.type != kPypi && given.type != kGolang) {
        EXPECT_EQ(back.name, given.name);
      }
    }
  }
}

TEST(PackageUrlTest, ADistributionIsKnownByItsUrls) {
  const auto found = [](std::string_view text) {
    const auto parsed = parse_package_url(text);
    const auto distribution = parsed ? distribution_of(*parsed) : std::nullopt;
    return distribution ? distribution->id + "|" + distribution->version + "|" + distribution->codename : "none";
  };
  EXPECT_EQ(found("pkg:deb/debian/bash@5?distro=debian-10.2"), "debian|10.2|");
  EXPECT_EQ(found("pkg:deb/debian/bash@5?distro=bookworm"), "debian||bookworm");
  EXPECT_EQ(found("pkg:apk/alpine/musl@1?distro=3.16"), "alpine|3.16|");
  EXPECT_EQ(found("pkg:apk/alpine/musl@1?distro=alpine-3.16"), "alpine|3.16|");
  EXPECT_EQ(found("pkg:rpm/redhat/bash@5?distro=redhat-8.9"), "rhel|8.9|");
  EXPECT_EQ(found("pkg:rpm/opensuse/bash@5?distro=opensuse-leap-15.5"), "opensuse-leap|15.5|");
  EXPECT_EQ(found("pkg:deb/debian/bash@5"), "none");
  EXPECT_EQ(found("pkg:npm/x@5?distro=debian-10"), "none");
}

TEST(DistributionNamesTest, OthersNamesAreKnown) {
  EXPECT_EQ(distribution_id("SUSE Linux Enterprise Server"), "sles");
  EXPECT_EQ(distribution_id("alma"), "almalinux");
  EXPECT_EQ(distribution_id("Debian"), "debian");
  EXPECT_EQ(family_of("rhel"), "redhat");
  EXPECT_EQ(family_of("debian"), "debian");
  EXPECT_EQ(vendor_of("sles"), "suse");
}

}  // namespace
}  // namespace slipway::scan
