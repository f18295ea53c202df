// What another scanner found on inputs that are at hand, by advisories that are at hand, compared with what ours finds:
// id by id, with the fix, its state and the severity. A difference that is not listed with its reason
// (kKnownDifferences) fails, and so does one that is listed and no longer there. Skipped where these files are not.
#include "scan/testing/trivy_goldens.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/testing/survey_helpers.h"
#include "base/json.h"
#include "feeds/query/feed_reader.h"
#include "feeds/testing/small_feeds.h"
#include "scan/inventory/python_names.h"
#include "scan/inventory/take_inventory.h"
#include "scan/reports/formats.h"
#include "scan/scanner.h"
#include "scan/testing/distribution_files.h"
#include "scan/testing/read_file.h"
#include "scan/testing/trivy_advisories.h"
#include "sys/testing/manual_clock.h"
#include "sys/testing/temp_dir.h"

namespace slipway::scan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

namespace fs = std::filesystem;

// Of the packages that goldens name as another's parts.
std::string source_of(const std::string& package) {
  static const std::map<std::string, std::string> sources{
      {"libcrypto1.1", "openssl"}, {"libssl1.1", "openssl"},     {"musl-utils", "musl"},
      {"libidn2-0", "libidn2"},    {"e2fslibs", "e2fsprogs"},    {"libcomerr2", "e2fsprogs"},
      {"libss2", "e2fsprogs"},     {"libcom-err2", "e2fsprogs"}, {"libext2fs2", "e2fsprogs"},
  };
  const auto known = sources.find(package);
  return known == sources.end() ? "" : known->second;
}

PackageType type_of(const std::string& type) {
  static const std::map<std::string, PackageType> types{
      {"alpine", PackageType::kApk}, {"debian", PackageType::kDeb}, {"ubuntu", PackageType::kDeb},
      {"alma", PackageType::kRpm},   {"centos", PackageType::kRpm}, {"cargo", PackageType::kCargo},
  };
  return types.at(type);
}

// What is said of a vulnerability; what a golden does not tell is empty.
struct Said {
  std::string fixed{};
  std::string status{};
  std::string severity{};
};
using Findings = std::map<std::string, Said>;  // by "id package version", and " in FILE" where files were read

std::string key_of(const std::string& id, const std::string& package, const std::string& version,
                   const std::string& file) {
  return fmt::format("{} {} {}{}", id, package, version, file.empty() ? "" : " in " + file);
}

std::string upper(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return out;
}

// Versions of Go are ours without the v.
std::string version_in(const std::string& type, const std::string& version) {
  return type == "gomod" && version.starts_with('v') ? version.substr(1) : version;
}

// Python's names are ours as they are normalised.
std::string name_in(const std::string& type, const std::string& name) {
  return type == "pip" ? normalised_python_name(name) : name;
}

Findings findings_of_report(const Json& golden, bool by_file) {
  Findings findings;
  for (const auto& result : golden.value("Results", Json::array())) {
    const auto type = result.value("Type", "");
    for (const auto& one : result.value("Vulnerabilities", Json::array())) {
      const auto version = version_in(type, one.at("InstalledVersion").get<std::string>());
      findings.emplace(key_of(one.at("VulnerabilityID"), name_in(type, one.at("PkgName")), version,
                              by_file ? result.at("Target").get<std::string>() : ""),
                       Said{.fixed = version_in(type, one.value("FixedVersion", "")),
                            .status = one.at("Status"),
                            .severity = one.at("Severity")});
    }
  }
  return findings;
}

// Only the fix is told, in a sentence.
Findings findings_of_cyclonedx(const Json& golden) {
  constexpr std::string_view kBefore = " to version ";
  Findings findings;
  std::map<std::string, std::pair<std::string, std::string>> components;
  for (const auto& one : golden.at("components")) {
    const auto group = one.value("group", "");
    components[one.at("bom-ref")] = {(group.empty() ? "" : group + ":") + one.at("name").get<std::string>(),
                                     one.value("version", "")};
  }
  for (const auto& one : golden.value("vulnerabilities", Json::array())) {
    const auto advice = one.value("recommendation", "");
    const auto at = advice.find(kBefore);
    for (const auto& affected : one.at("affects")) {
      const auto& [name, version] = components.at(affected.at("ref"));
      findings.emplace(key_of(one.at("id"), name, version, ""),
                       Said{.fixed = at == std::string::npos ? "" : advice.substr(at + kBefore.size())});
    }
  }
  return findings;
}

Findings ours_of(const Report& report, bool by_file) {
  Findings findings;
  for (const auto& one : report.findings) {
    findings.emplace(key_of(one.id, one.package.name, one.package.version, by_file ? one.package.path : ""),
                     Said{.fixed = one.fixed_version,
                          .status = std::string(to_string(one.status)),
                          .severity = upper(to_string(one.severity))});
  }
  return findings;
}

class TrivyGoldens : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(folder() / "golden")) GTEST_SKIP() << "there is no " << folder() << ": set SLIPWAY_DATA";
    auto advisories = read_trivy_advisories(folder() / "db-fixtures");
    EXPECT_EQ(std::set<std::string>(advisories.without.begin(), advisories.without.end()),
              std::set<std::string>(kBucketsWithout.begin(), kBucketsWithout.end()));
    auto store = feeds::FeedStore::open(temporary_.file("feeds.db"), clock_).value();
    for (const auto& [provider, records] : advisories.records) feeds::sync_records(*store, provider, records);
    reader_ = feeds::FeedReader::open(temporary_.file("feeds.db"), clock_).value();
    scanner_.emplace(Scanner::open(*reader_, "test").value());
  }

  static fs::path folder() { return test_data() / "trivy"; }
  static Json golden(std::string_view name) { return Json::parse(file_bytes(folder() / "golden" / name)); }

  [[nodiscard]] Result<Report> judge(Inventory inventory, const Rules& rules = {}) {
    return scanner_->judge({.name = "golden", .inventory = std::move(inventory)}, rules, {}, clock_.now());
  }

  sys::TempDir temporary_;
  sys::ManualClock clock_;
  std::unique_ptr<feeds::FeedReader> reader_;
  std::optional<Scanner> scanner_;
};

Inventory read_repository(const fs::path& folder, std::string_view without) {
  Inventory all;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const auto path = fs::relative(entry.path(), folder).string();
    if (!entry.is_regular_file() || (!without.empty() && path.starts_with(without))) continue;
    auto seen = read_file(language_readers(), path, file_bytes(entry.path()));
    EXPECT_FALSE(seen.error) << path << ": " << seen.error->message();
    for (auto& package : seen.found.packages) all.packages.push_back(std::move(package));
    for (auto& unread : seen.found.unread) all.unread.push_back(std::move(unread));
  }
  return all;
}

Inventory packages_of(const Json& golden) {
  Inventory inventory;
  if (const auto os = golden.value("/Metadata/OS"_json_pointer, Json::object()); !os.empty()) {
    const auto family = os.at("Family").get<std::string>();
    inventory.distribution = Distribution{.id = family == "alma" ? "almalinux" : family, .version = os.at("Name")};
  }
  std::set<std::pair<std::string, std::string>> seen;
  for (const auto& result : golden.at("Results")) {
    for (const auto& one : result.at("Vulnerabilities")) {
      const std::pair<std::string, std::string> package{one.at("PkgName"), one.at("InstalledVersion")};
      if (!seen.insert(package).second) continue;
      inventory.packages.push_back({.type = type_of(result.at("Type")),
                                    .name = package.first,
                                    .version = package.second,
                                    .source = source_of(package.first)});
    }
  }
  return inventory;
}

Inventory inventory_of(const GoldenCase& one, const fs::path& folder) {
  switch (one.from) {
    case GoldenFrom::kRepository: return read_repository(folder / "repo-input" / one.input, one.rule);
    case GoldenFrom::kPackages: return packages_of(Json::parse(file_bytes(folder / "golden" / one.input)));
    case GoldenFrom::kSbom: return read_sbom(file_bytes(folder / "sbom-input" / one.input)).value();
    case GoldenFrom::kGoldenSbom: return read_sbom(file_bytes(folder / "golden" / one.golden)).value();
  }
  return {};
}

Rules rules_of(const GoldenCase& one) {
  Rules rules;
  rules.only_fixed = one.rule == kOnlyFixed;
  if (one.rule == kHighAndCritical) rules.severities = {Severity::kHigh, Severity::kCritical};
  if (one.rule == kVex) {
    rules.vex.push_back(parse_openvex(R"({"@context": "https://openvex.dev/ns/v0.2.0", "@id": "https://example.org/1",
        "author": "us", "timestamp": "2024-01-01T00:00:00Z", "version": 1, "statements": [{
          "vulnerability": {"name": "CVE-2022-23628"}, "status": "not_affected",
          "justification": "vulnerable_code_not_in_execute_path",
          "products": [{"@id": "pkg:golang/github.com/open-policy-agent/opa@v0.35.0"}]}]})",
                                      "vex.json")
                            .value());
  }
  return rules;
}

// What a golden does not tell is not compared.
void compare_word(const std::string& where, std::string_view what, const std::string& theirs, const std::string& ours,
                  std::set<std::string>& differences) {
  if (theirs != ours) differences.insert(fmt::format("{}: {} {}, ours {}", where, what, theirs, ours));
}

void compare(const GoldenCase& one, const Findings& theirs, const Findings& ours, std::set<std::string>& differences) {
  const auto name = one.from == GoldenFrom::kSbom ? one.input : one.golden;
  for (const auto& [key, said] : theirs) {
    const auto where = fmt::format("{}: {}", name, key);
    const auto found = ours.find(key);
    if (found == ours.end()) {
      differences.insert(where + ": only theirs");
      continue;
    }
    compare_word(where, "fixed in", said.fixed, found->second.fixed, differences);
    if (!said.status.empty()) compare_word(where, "status", said.status, found->second.status, differences);
    if (!said.severity.empty()) compare_word(where, "severity", said.severity, found->second.severity, differences);
  }
  for (const auto& [key, said] : ours) {
    if (!theirs.contains(key)) differences.insert(fmt::format("{}: {}: only ours", name, key));
  }
}

TEST_F(TrivyGoldens, EveryDifferenceIsKnownAndHasAReason) {
  std::set<std::string> differences;
  std::set<std::string_view> goldens;
  std::size_t vulnerabilities = 0;
  for (const auto& one : kGoldenCases) {
    SCOPED_TRACE(one.golden);
    const Json report = golden(one.golden);
    const bool by_file = one.from == GoldenFrom::kRepository;
    const auto theirs =
        report.contains("bomFormat") ? findings_of_cyclonedx(report) : findings_of_report(report, by_file);
    auto inventory = inventory_of(one, folder());
    EXPECT_THAT(inventory.packages, Not(IsEmpty()));
    const auto ours = judge(std::move(inventory), rules_of(one));
    // Packages that nobody has advisories about make no report at all.
    EXPECT_TRUE(ours || ours.error().kind() == ErrorKind::kUnavailable) << ours.error().describe();
    compare(one, theirs, ours ? ours_of(*ours, by_file) : Findings(), differences);
    goldens.insert(one.golden);
    vulnerabilities += theirs.size();
  }
  std::set<std::string> known;
  for (const auto& [difference, why] : kKnownDifferences) {
    EXPECT_TRUE(known.emplace(difference).second) << difference;
    EXPECT_FALSE(why.empty()) << difference;
  }
  for (const auto& difference : differences) EXPECT_TRUE(known.contains(difference)) << "not known: " << difference;
  for (const auto& difference : known) EXPECT_TRUE(differences.contains(difference)) << "no more: " << difference;
  EXPECT_THAT(goldens, SizeIs(30));
  EXPECT_EQ(vulnerabilities, 66U);
}

TEST_F(TrivyGoldens, NoGoldenIsForgotten) {
  std::set<std::string> there;
  for (const auto& file : fs::directory_iterator(folder() / "golden")) there.insert(file.path().filename().string());
  std::set<std::string> named{std::string(kEmptyGolden)};
  for (const auto& one : kGoldenCases) named.emplace(one.golden);
  EXPECT_EQ(named, there);
  EXPECT_FALSE(golden(kEmptyGolden).contains("Results"));
}

// What is missing of theirs for want of data is never taken for clean.
TEST_F(TrivyGoldens, WhatNobodySpeaksForIsNoCleanBill) {
  for (const auto& one : kGoldenCases) {
    if (one.golden != "centos-7-medium.json" && one.golden != "alpine-distroless.json") continue;
    const auto report = judge(inventory_of(one, folder()));
    ASSERT_FALSE(report) << one.input;
    EXPECT_EQ(report.error().kind(), ErrorKind::kUnavailable);
  }
}

// A real image with an OpenSSL that has what the golden's, which is older, has not.
TEST_F(TrivyGoldens, AnImageThatHasTheFixesHasNoFindings) {
  const auto image = file_bytes(test_data() / "images/alpine-310.docker-save.tar.gz");
  const archive::MemoryFile file(image);
  const auto taken = take_inventory(file.input(), archive::standard_policy());
  ASSERT_TRUE(taken) << taken.error().describe();
  auto inventory = taken->inventory;
  EXPECT_THAT(inventory.packages, SizeIs(14));
  EXPECT_TRUE(inventory.complete());
  const auto clean = judge(inventory);
  ASSERT_TRUE(clean) << clean.error().describe();
  EXPECT_THAT(clean->findings, IsEmpty());
  EXPECT_TRUE(clean->complete());
  for (auto& package : inventory.packages) {
    if (package.version == "1.1.1d-r2") package.version = "1.1.1c-r0";
  }
  const auto older = judge(inventory);
  ASSERT_TRUE(older) << older.error().describe();
  const auto found = ours_of(*older, /*by_file=*/false);
  std::vector<std::string> keys;
  for (const auto& [key, said] : found) keys.push_back(key);
  EXPECT_THAT(keys, ElementsAre("CVE-2019-1549 libcrypto1.1 1.1.1c-r0", "CVE-2019-1549 libssl1.1 1.1.1c-r0",
                                "CVE-2019-1551 libcrypto1.1 1.1.1c-r0", "CVE-2019-1551 libssl1.1 1.1.1c-r0"));
}

}  // namespace
}  // namespace slipway::scan
