#include "feeds/testing/small_feeds.h"

#include <stdexcept>
#include <utility>

namespace slipway::feeds {
namespace {

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().describe());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

Record record(const std::string& urn, std::string title, std::string description, Details details,
              const std::vector<std::pair<std::string, std::string>>& links = {}) {
  Record made{.urn = urn_of(urn),
              .title = std::move(title),
              .description = std::move(description),
              .details = std::move(details)};
  for (const auto& [relation, target] : links) made.links.push_back({relation, urn_of(target)});
  return made;
}

std::vector<Record> cves() {
  auto rejected = record("nvd::cve::CVE-2020-0002", "", "Not a deserialization flaw after all", Cve{.body = "{}"});
  rejected.standing = Standing::kRejected;
  return {record("nvd::cve::CVE-2021-44228", "",
                 "Apache Log4j2 JNDI features do not protect against attacker controlled LDAP endpoints.",
                 Cve{.published = from_micros(1'639'130'400'000'000),
                     .score = 10.0,
                     .vector = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H",
                     .body = R"({"references": ["https://logging.apache.org"]})"},
                 {{"weakness", "mitre::cwe::CWE-502"},
                  {"weakness", "mitre::cwe::CWE-20"},
                  {"weakness", "mitre::cwe::CWE-9999"}}),
          record("nvd::cve::CVE-2020-0001", "", "A cross-site scripting flaw in a guestbook", Cve{.body = "{}"},
                 {{"weakness", "mitre::cwe::CWE-79"}}),
          rejected};
}

std::vector<Record> weaknesses() {
  return {record("mitre::cwe::CWE-502", "Deserialization of Untrusted Data", "It deserializes untrusted data.",
                 Cwe{.category = "weakness", .body = "{}"}, {{"pattern", "mitre::capec::CAPEC-586"}}),
          record("mitre::cwe::CWE-20", "Improper Input Validation", "It does not validate input.",
                 Cwe{.category = "weakness", .body = "{}"}, {{"pattern", "mitre::capec::CAPEC-586"}}),
          record("mitre::cwe::CWE-79", "Cross-site Scripting", "It does not neutralize input in web pages.",
                 Cwe{.category = "weakness", .body = "{}"}, {{"child-of", "mitre::cwe::CWE-74"}}),
          record("mitre::cwe::CWE-74", "Injection", "It does not neutralize special elements.",
                 Cwe{.category = "weakness", .body = "{}"})};
}

std::vector<Record> techniques() {
  return {record("mitre::attack::T1190", "Exploit Public-Facing Application", "Adversaries exploit it.",
                 Attack{.category = "technique", .body = "{}"}, {{"tactic", "mitre::attack::TA0001"}}),
          record("mitre::attack::TA0001", "Initial Access", "Getting in.", Attack{.category = "tactic", .body = "{}"}),
          record("mitre::attack::M1048", "Application Isolation and Sandboxing", "Isolate it.",
                 Attack{.category = "mitigation", .body = "{}"},
                 {{"mitigates", "mitre::attack::T1190"}, {"control", "nist::control::SI-3"}}),
          record("mitre::attack::G0007", "APT28", "A group.", Attack{.category = "group", .body = "{}"},
                 {{"uses", "mitre::attack::T1190"}})};
}

std::vector<Record> guides() {
  return {record("nist::ssg::guide-rhel8", "Guide to RHEL 8", "All of it.",
                 Ssg{.category = "benchmark", .severity = "", .body = "{}"}),
          record("nist::ssg::rhel8/rule/package_aide_installed", "Install AIDE", "The package aide is installed.",
                 Ssg{.category = "rule", .severity = "medium", .body = "{}"},
                 {{"control", "nist::control::SI-3"},
                  {"identifier", "nist::cce::CCE-80787-1"},
                  {"part-of", "nist::ssg::guide-rhel8"}})};
}

std::vector<Record> advisories() {
  return {record("osv::advisory::GHSA-jfh8-c2jp-5v3q", "Remote code injection in Log4j", "Log4j logs it.",
                 Advisory{.score = 10.0,
                          .vector = "",
                          .body = "{}",
                          .affected = {{.ecosystem = "Maven",
                                        .package = "org.apache.logging.log4j:log4j-core",
                                        .status = "affected",
                                        .fixed = "2.15.0",
                                        .urgency = "",
                                        .ranges = "{}"}}},
                 {{"alias", "nvd::cve::CVE-2021-44228"}})};
}

}  // namespace

Urn urn_of(const std::string& text) { return must(Urn::parse("v2e::" + text)); }

void sync_records(FeedStore& store, const std::string& provider, const std::vector<Record>& records) {
  (void)must(store.register_provider(provider, provider));
  auto row = must(store.begin_sync(provider));
  const std::string last = records.empty() ? "" : records.back().urn.text();
  (void)must(
      store.write(provider, {.records = records, .checkpoint = {.urn = last, .source_tag = "t", .position = "p"}}));
  row.state = ProviderState::kTerminated;
  row.outcome = Outcome::kCompleted;
  must(store.complete_sync(row, "t", /*whole=*/true));
}

void make_small_feeds(const std::string& path, sys::Clock& clock) {
  const auto store = must(FeedStore::open(path, clock));
  sync_records(*store, "cve", {record("nvd::cve::CVE-2019-0003", "", "A flaw that nobody knows", Cve{.body = "{}"})});
  sync_records(*store, "cve", cves());
  sync_records(*store, "cwe", weaknesses());
  sync_records(*store, "capec",
               {record("mitre::capec::CAPEC-586", "Object Injection", "An adversary injects objects.",
                       Capec{.category = "pattern", .severity = "High", .body = "{}"},
                       {{"weakness", "mitre::cwe::CWE-502"}, {"technique", "mitre::attack::T1190"}})});
  sync_records(*store, "attack", techniques());
  sync_records(*store, "ssg", guides());
  sync_records(*store, "asvs",
               {record("owasp::asvs::5.5.3", "", "Verify that deserialization of untrusted data is avoided.",
                       Asvs{.category = "requirement", .level = 1, .body = "{}"},
                       {{"weakness", "mitre::cwe::CWE-502"}, {"guideline", "nist::guideline::5.1.1.2"}})});
  sync_records(*store, "cce",
               {record("nist::cce::CCE-80787-1", "AIDE is installed", "", Cce{.platform = "rhel8", .body = "{}"}),
                record("nist::cce::CCE-99999-1", "Alone in the world", "", Cce{.platform = "mars", .body = "{}"})});
  sync_records(*store, "osv", advisories());
}

}  // namespace slipway::feeds
