#include "scan/testing/sample_report.h"

#include <algorithm>
#include <chrono>
#include <tuple>

namespace slipway::scan {
namespace {

using std::chrono::microseconds;

TimePoint day(int number) { return from_micros(1'763'000'000'000'123) + std::chrono::hours(24 * number); }

void sort(Inventory& inventory) {
  std::ranges::sort(inventory.packages, [](const Package& a, const Package& b) {
    return std::tie(a.type, a.name, a.version, a.path) < std::tie(b.type, b.name, b.version, b.path);
  });
}

Layer layer(char digit) {
  return {.digest = "sha256:" + std::string(63, '0') + digit, .diff_id = "sha256:" + std::string(63, 'd') + digit};
}

Report image(std::string name) {
  Report report;
  report.artifact = std::move(name);
  report.artifact_type = "container_image";
  report.checksum = std::string(64, 'c');
  report.size = 12'345'678;
  report.scanned_at = day(0);
  report.engine = "slipway 0.1.0";
  report.data = {{.source = "debian", .loaded_at = day(-1)}, {.source = "osv", .loaded_at = std::nullopt}};
  report.policy = "block at HIGH and above";
  report.inventory.layers = {layer('0'), layer('1'), {.digest = "", .diff_id = layer('2').diff_id}};
  return report;
}

Package deb(std::string name, std::string version) {
  return {.type = PackageType::kDeb,
          .name = std::move(name),
          .version = std::move(version),
          .architecture = "amd64",
          .path = "var/lib/dpkg/status"};
}

Package of(PackageType type, std::string name, std::string version, std::string path) {
  return {.type = type, .name = std::move(name), .version = std::move(version), .path = std::move(path), .layer = 1};
}

std::vector<Package> languages() {
  using enum PackageType;
  return {
      of(kNpm, "@babel/core", "7.1.0", "app/node_modules/@babel/core/package.json"),
      of(kNpm, "lodash", "4.17.4", "app/package-lock.json"),
      of(kNpm, "jquery", "3.2.1", "app/yarn.lock"),
      of(kNpm, "left-pad", "1.0.0", "app/pnpm-lock.yaml"),
      of(kPypi, "Flask_Login", "0.6.3", "usr/lib/python3/dist-packages/Flask_Login-0.6.3.dist-info/METADATA"),
      of(kPypi, "werkzeug", "0.14", "app/poetry.lock"),
      of(kPypi, "Jinja2", "3.0.0", "app/requirements.txt"),
      of(kPypi, "click", "8.0.0", "app/Pipfile.lock"),
      of(kPypi, "rich", "13.0.0", "app/uv.lock"),
      of(kGolang, "github.com/BurntSushi/toml", "1.2.0", "usr/bin/tool"),
      of(kGolang, "github.com/docker/distribution", "2.7.1+incompatible", "app/go.mod"),
      of(kGolang, "stdlib", "1.21.3", "usr/bin/tool"),
      of(kMaven, "org.apache.tomcat:tomcat", "9.0.1", "app/x.jar/BOOT-INF/lib/tomcat-9.0.1.jar"),
      of(kMaven, "com.fasterxml.jackson.core:jackson-databind", "2.9.1", "app/pom.xml"),
      of(kGem, "activesupport", "6.0.2.1", "var/lib/gems/specifications/activesupport-6.0.2.1.gemspec"),
      of(kGem, "rack", "2.0.1", "app/Gemfile.lock"),
      of(kCargo, "ammonia", "1.9.0", "app/Cargo.lock"),
      of(kCargo, "memchr", "2.7.4", "usr/bin/rg"),
      of(kComposer, "guzzlehttp/psr7", "1.8.3", "app/composer.lock"),
      of(kComposer, "guzzlehttp/guzzle", "7.4.4", "app/vendor/composer/installed.json"),
  };
}

Finding full_finding(Package package) {
  return {.id = "CVE-2019-18224",
          .aliases = {"DSA-4613-1", "GHSA-aaaa-bbbb-cccc"},
          .package = std::move(package),
          .fixed_version = "2.0.5-1+deb10u1",
          .status = FixStatus::kFixed,
          .severity = Severity::kCritical,
          .severity_source = "debian",
          .score = 9.8,
          .vector = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
          .score_source = "cve",
          .source = "debian",
          .advisory = "urn:slipway:debian:advisory:libidn2/CVE-2019-18224",
          .title = "libidn2: heap-based buffer overflow",
          .description = "idn2_to_ascii_4i has a heap-based buffer overflow.\nSecond line.",
          .weaknesses = {"CWE-787", "NVD-CWE-noinfo", "CWE-787"},
          .references = {"https://security-tracker.debian.org/tracker/CVE-2019-18224", "not a URL at all",
                         "https://example.org/a b"},
          .published = day(-300),
          .modified = day(-200)};
}

// Only what a finding must have.
Finding bare_finding(std::string id, Package package, Severity severity) {
  Finding finding;
  finding.id = std::move(id);
  finding.package = std::move(package);
  finding.severity = severity;
  return finding;
}

}  // namespace

Report debian_report() {
  Report report = image("sha256:" + std::string(64, 'a'));
  auto& inventory = report.inventory;
  inventory.distribution = {.id = "debian", .version = "12", .codename = "bookworm", .name = "Debian GNU/Linux 12"};
  inventory.packages = languages();
  Package idn = deb("libidn2-0", "2.0.5-1");
  idn.source = "libidn2";
  idn.licence = "LGPL-3.0-or-later OR GPL-2.0-or-later";
  Package tomcat = deb("libtomcat9-java", "1:9.0.1-2");
  tomcat.source = "tomcat9";
  tomcat.source_version = "1:9.0.1-1";
  tomcat.licence = "Apache-2.0";
  Package odd = deb("g++-12", "12.2.0-14+b1~x");
  odd.licence = "GPLv3+";
  odd.layer = 2;
  for (const auto& package : {idn, tomcat, odd}) inventory.packages.push_back(package);
  inventory.packages[12].owner = "libtomcat9-java";
  inventory.packages[0].licence = "MIT";
  Finding scored = bare_finding("CVE-2017-16012", inventory.packages[2], Severity::kMedium);
  scored.score = 4.3;
  scored.vector = "AV:N/AC:M/Au:N/C:N/I:P/A:N";
  scored.source = "osv";
  Finding newest = bare_finding("GHSA-xxxx-yyyy-zzzz", inventory.packages[9], Severity::kHigh);
  newest.vector = "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N";
  newest.status = FixStatus::kWillNotFix;
  Finding other = full_finding(tomcat);
  other.severity = Severity::kLow;
  other.fixed_version = "1:9.0.2-1";
  report.findings = {full_finding(idn),
                     newest,
                     scored,
                     other,
                     bare_finding("CVE-2024-0001", odd, Severity::kNegligible),
                     bare_finding("TEMP-1", idn, Severity::kUnknown)};
  report.suppressed = {{.finding = scored, .reason = "not reachable", .by = ".slipwayignore"}};
  sort(inventory);
  return report;
}

Report alma_report() {
  Report report = image("registry.example.org/team/app:1.2");
  auto& inventory = report.inventory;
  inventory.distribution = {.id = "almalinux", .version = "8.5", .codename = "", .name = "AlmaLinux 8.5"};
  const Package openssl{.type = PackageType::kRpm,
                        .name = "openssl-libs",
                        .version = "1:1.1.1k-4.el8",
                        .source = "openssl",
                        .architecture = "x86_64",
                        .licence = "OpenSSL and ASL 2.0",
                        .path = "var/lib/rpm/rpmdb.sqlite"};
  inventory.packages = {openssl};
  inventory.unread = {{.path = "usr/lib/broken.jar", .reason = "no end of central directory"},
                      {.path = "opt/: x", .reason = "larger than 1 MiB: not read"}};
  report.warnings = {"the data of osv was never loaded"};
  Finding finding = bare_finding("CVE-2021-3712", openssl, Severity::kMedium);
  finding.fixed_version = "1:1.1.1k-5.el8_5";
  finding.status = FixStatus::kFixed;
  finding.score = 9.1;  // and yet medium, as the distribution sees it
  report.findings = {finding};
  return report;
}

Report alpine_report() {
  Report report = image("alpine.tar");
  report.engine = "trivy 0.50.0";
  report.inventory.distribution = {.id = "alpine", .version = "3.10.2", .codename = "", .name = "Alpine Linux v3.10"};
  report.inventory.layers = {};
  const Package crypto{.type = PackageType::kApk,
                       .name = "libcrypto1.1",
                       .version = "1.1.1c-r0",
                       .source = "openssl",
                       .architecture = "x86_64",
                       .licence = "OpenSSL",
                       .path = "lib/apk/db/installed"};
  report.inventory.packages = {crypto};
  report.findings = {full_finding(crypto), bare_finding("CVE-2019-1549", crypto, Severity::kMedium)};
  return report;
}

Report odd_report() {
  Report report = image("a \"b\" <c> & d:e/\u00fc\u2028\xF0\x9F\x9A\xA2#?%41");
  report.artifact_type = "filesystem";
  report.checksum = "";
  report.engine = "";
  report.size = 0;
  auto& inventory = report.inventory;
  inventory.layers = {};
  using enum PackageType;
  inventory.packages = {
      of(kNpm, "@odd scope/na/me", "1 2", "a b/\x01\x1b[31m/package.json"),
      of(kNpm, "no-scope/slash", "1.0.0+b@c?d#e", "C:\\x"),
      of(kMaven, "no-group", "1%20", "//double//slash.jar"),
      of(kMaven, "g:a:classifier", "1", "x.jar"),
      of(kGolang, "Example.com/UPPER/", "(devel)", "bin/\u00e9"),
      of(kOther, "conda/\u65e5\u672c", "v1", ""),
      of(kPypi, "A__B..C", "1!2.0", "x/METADATA"),
      of(kGem, "tab\tname", "1\n2", "line\nfeed.gemspec"),
      of(kCargo, "quote\"back\\slash", "0:1", "x"),
      of(kComposer, "Vendor/Name", "dev-main", "composer.lock"),
  };
  for (auto& package : inventory.packages) package.layer = 0;
  inventory.packages[0].licence = "see \"LICENSE\"\n\x07";
  inventory.packages[1].licence = "MIT AND";
  for (const auto& package : inventory.packages) {
    Finding finding = full_finding(package);
    finding.id = "ID <" + package.name + ">";
    finding.references = {"javascript:alert(1)", "https://example.org/%zz", "https://example.org/#a#b"};
    report.findings.push_back(finding);
  }
  sort(inventory);
  return report;
}

Report empty_report() { return {}; }

std::vector<std::pair<std::string, Report>> sample_reports() {
  return {{"debian", debian_report()},
          {"alma", alma_report()},
          {"alpine", alpine_report()},
          {"odd", odd_report()},
          {"empty", empty_report()}};
}

}  // namespace slipway::scan
