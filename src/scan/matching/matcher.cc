#include "scan/matching/matcher.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/ranges.h>

#include "scan/matching/affected.h"
#include "scan/matching/aliases.h"
#include "scan/matching/ecosystem.h"

namespace slipway::scan {
namespace {

using feeds::VulnerabilityFacts;

// "openssl/CVE-2024-1" of a distribution's feed is only a name within it.
bool is_own_name(std::string_view name) { return name.find('/') == std::string_view::npos; }

// Of distributions, each about several vulnerabilities that some of them name only as related.
bool is_collection(std::string_view name) {
  static constexpr auto kPrefixes = std::to_array<std::string_view>(
      {"ALSA-", "DLA-", "DSA-", "ELSA-", "MGASA-", "OESA-", "RHSA-", "RLSA-", "SUSE-", "USN-", "openSUSE-"});
  return std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// Of the OpenSSF's malicious packages.
bool is_malware(std::string_view name) { return name.starts_with("MAL-"); }

// The CVEs among these, a distribution's own records of them ("UBUNTU-CVE-2024-1") included.
std::set<std::string> cves_in(const std::vector<std::string>& ids) {
  std::set<std::string> found;
  for (const std::string_view id : ids) {
    const auto at = id.find("CVE-");
    if (at == 0 || (at != id.npos && id[at - 1] == '-')) found.emplace(id.substr(at));
  }
  return found;
}

// The names of what an advisory is about; several sets where it tells of several vulnerabilities at once, as those of
// distributions do.
std::vector<std::set<std::string>> subjects_of(const VulnerabilityFacts& facts) {
  std::set<std::string> names(facts.aliases.begin(), facts.aliases.end());
  const bool own = is_own_name(facts.name);
  if (own && names.empty()) {
    auto cves = cves_in(facts.upstream);
    if (cves.empty() && is_collection(facts.name)) cves = cves_in(facts.related);
    std::vector<std::set<std::string>> each;
    for (const auto& cve : cves) each.push_back({cve});
    if (!each.empty()) return each;
  }
  if (own) names.insert(facts.name);
  if (names.empty()) names.insert(facts.name.substr(facts.name.rfind('/') + 1));
  return {std::move(names)};
}

std::vector<std::string> references_in(const feeds::JsonNode& root) {
  constexpr std::size_t kMost = 100;
  std::vector<std::string> urls;
  for (const auto& one : root["references"].items()) {
    if (urls.size() == kMost) break;
    const auto url = one["url"].text();
    if (!url.empty() && std::ranges::find(urls, url) == urls.end()) urls.emplace_back(url);
  }
  return urls;
}

template <class T>
void take_if_empty(T& mine, const T& other) {
  if (mine.empty()) mine = other;
}

void add_new(std::vector<std::string>& mine, const std::vector<std::string>& others) {
  constexpr std::size_t kMost = 100;
  for (const auto& other : others) {
    if (mine.size() < kMost && std::ranges::find(mine, other) == mine.end()) mine.push_back(other);
  }
}

// The worse counts where several speak.
void rate(Finding& finding, std::optional<Severity> severity, std::string_view source) {
  if (!severity || (!finding.severity_source.empty() && *severity <= finding.severity)) return;
  finding.severity = *severity;
  finding.severity_source = source;
}

// Of which packages no feed can tell anything.
std::string kind_of(const Package& package, const std::optional<Distribution>& distribution) {
  const auto type = to_string(package.type);
  if (!is_of_distribution(package.type)) return std::string(type);
  if (!distribution) return fmt::format("{} packages of an unknown distribution", type);
  return fmt::format("{} packages of {} {}", type, distribution->id, distribution->version);
}

auto order_of(const Finding& finding) {
  return std::tie(finding.package.type, finding.package.name, finding.id, finding.package.path, finding.package.version,
                  finding.package.architecture);
}

bool goes_before(const Finding& a, const Finding& b) {
  return a.severity != b.severity ? a.severity > b.severity : order_of(a) < order_of(b);
}

void keep_worst(std::vector<Finding>& findings, std::size_t most) {
  if (findings.size() <= most) return;
  const auto end = findings.begin() + static_cast<std::ptrdiff_t>(most);
  std::ranges::nth_element(findings, end, goes_before);
  findings.erase(end, findings.end());
}

}  // namespace

// An advisory that applies to a package, and one of the vulnerabilities that it tells of.
struct Matcher::Hit {
  const Known* known = nullptr;
  const feeds::AffectedPackage* row = nullptr;
  Applies how{};
  std::set<std::string> names{};
};

Matcher::Known Matcher::known(VulnerabilityFacts facts) const {
  Known known{.facts = std::move(facts)};
  if (const auto root = document_->parse(known.facts.body)) {
    if ((*root)["severity"].is_text()) known.stated = severity_of_word((*root)["severity"].text());
    if (options_.detail == Detail::kAll) known.references = references_in(*root);
  }
  known.facts.body = {};
  if (options_.detail == Detail::kVerdict) known.facts.description = {};
  return known;
}

Result<const Matcher::Rows*> Matcher::rows_of(const std::string& ecosystem, const std::string& name) {
  const std::pair key(ecosystem, name);
  if (const auto known = rows_.find(key); known != rows_.end()) return &known->second;
  auto rows = advisories_.about(ecosystem, name);
  if (!rows) return fail(std::move(rows.error()));
  return &rows_.emplace(key, std::move(*rows)).first->second;
}

Result<const Matcher::Known*> Matcher::facts_of(feeds::NodeId node) {
  if (const auto found = facts_.find(node); found != facts_.end()) return &found->second;
  auto facts = advisories_.facts(node);
  if (!facts) return fail(std::move(facts.error()));
  return &facts_.emplace(node, known(std::move(*facts))).first->second;
}

Result<const Matcher::Known*> Matcher::cve_of(const std::string& id) {
  auto found = cves_.find(id);
  if (found == cves_.end()) {
    using Extent = feeds::AdvisoryReader::Extent;
    auto facts = advisories_.cve(id, options_.detail == Detail::kAll ? Extent::kWhole : Extent::kWithoutBody);
    if (!facts) return fail(std::move(facts.error()));
    found = cves_.emplace(id, *facts ? std::optional(known(std::move(**facts))) : std::nullopt).first;
  }
  return found->second ? &*found->second : nullptr;
}

Result<bool> Matcher::covers(const std::string& ecosystem) {
  if (const auto known = covered_.find(ecosystem); known != covered_.end()) return known->second;
  const auto some = advisories_.covers(ecosystem);
  if (!some) return some;
  return covered_.emplace(ecosystem, *some).first->second;
}

Result<bool> Matcher::any_covered(const std::vector<std::string>& ecosystems) {
  for (const auto& ecosystem : ecosystems) {
    auto some = covers(ecosystem);
    if (!some || *some) return some;
  }
  return false;
}

Result<std::vector<Matcher::Word>> Matcher::words_on(const Package& package, const Question& question) {
  std::vector<Word> words;
  for (const auto& ecosystem : question.ecosystems) {
    for (const auto& [name, version] : names_of(package)) {
      const auto rows = rows_of(ecosystem, name);
      if (!rows) return fail(rows.error());
      for (const auto& row : **rows) words.push_back({&row, version});
    }
  }
  // Where the distribution itself speaks, nobody else is heard.
  const auto its_own = [&](const Word& word) {
    return !question.own_feed.empty() && word.row->provider == question.own_feed;
  };
  if (std::ranges::any_of(words, its_own)) std::erase_if(words, std::not_fn(its_own));
  return words;
}

Result<std::vector<Matcher::Hit>> Matcher::hits_of(const Package& package, const Question& question, Matched& matched) {
  const auto words = words_on(package, question);
  if (!words) return fail(words.error());
  std::vector<Hit> hits;
  for (const auto& [row, version] : *words) {
    matched.feeds.insert(row->provider);
    auto how = applies(row->said, scheme_of(package.type), version);
    matched.uncomparable = matched.uncomparable || how.answer == Answer::kUnknown;
    if (how.answer != Answer::kYes) continue;
    const auto known = facts_of(row->advisory);
    if (!known) return fail(known.error());
    for (auto& names : subjects_of((*known)->facts)) hits.push_back({*known, row, how, std::move(names)});
  }
  return hits;
}

void Matcher::fill_texts(Finding& finding, const Known& known) const {
  const auto& facts = known.facts;
  take_if_empty(finding.title, facts.title);
  if (!finding.published) finding.published = facts.published;
  if (!finding.modified) finding.modified = facts.modified;
  if (!finding.score && facts.score) {
    finding.score = facts.score;
    finding.vector = facts.vector;
    if (facts.urn.contains("::cve::")) finding.score_source = "cve";
  }
  if (options_.detail == Detail::kVerdict) return;
  take_if_empty(finding.description, facts.description);
  add_new(finding.weaknesses, facts.weaknesses);
  add_new(finding.references, known.references);
}

Result<Finding> Matcher::finding_of(const Package& package, const std::set<std::string>& names,
                                    const std::vector<Hit>& hits, Matched& matched) {
  const auto& first = hits.front();
  Finding finding{.id = best_name(names),
                  .fixed_version = first.how.fixed,
                  .status = first.how.status,
                  .source = first.row->provider,
                  .advisory = first.known->facts.urn};
  // The advisories' own names, too: people look for them, and ignore by them.
  auto others = names;
  for (const auto& hit : hits) {
    if (is_own_name(hit.known->facts.name)) others.insert(hit.known->facts.name);
  }
  others.erase(finding.id);
  finding.aliases.assign(others.begin(), others.end());
  for (const auto& hit : hits) rate(finding, severity_of_word(hit.row->said.urgency), hit.row->provider);
  if (finding.severity_source.empty()) {
    for (const auto& hit : hits) rate(finding, hit.known->stated, hit.row->provider);
  }
  if (finding.severity_source.empty()) {
    for (const auto& hit : hits) {
      rate(finding, severity_of_score(hit.known->facts.score, hit.known->facts.vector), hit.row->provider);
    }
  }
  const auto cve = finding.id.starts_with("CVE-") ? cve_of(finding.id) : Result<const Known*>(nullptr);
  if (!cve) return fail(cve.error());
  if (finding.severity_source.empty() && finding.id.starts_with("CVE-")) {
    matched.feeds.insert("cve");
    if (*cve != nullptr) rate(finding, severity_of_score((*cve)->facts.score, (*cve)->facts.vector), "cve");
  }
  // Nobody rates what is malicious as a whole.
  if (finding.severity_source.empty() && std::ranges::any_of(names, is_malware)) {
    rate(finding, Severity::kCritical, first.row->provider);
  }
  // A distribution's record has next to no text; what the CVE says goes before it.
  if (*cve != nullptr && is_of_distribution(package.type)) fill_texts(finding, **cve);
  for (const auto& hit : hits) fill_texts(finding, *hit.known);
  if (*cve != nullptr) fill_texts(finding, **cve);
  return finding;
}

Result<Matcher::Matched> Matcher::match_one(const Package& package, const Question& question) {
  Matched matched;
  auto hits = hits_of(package, question, matched);
  if (!hits) return fail(std::move(hits.error()));
  std::vector<std::set<std::string>> names;
  for (const auto& hit : *hits) names.push_back(hit.names);
  for (const auto& group : same_things(names)) {
    std::vector<Hit> about;
    std::set<std::string> all;
    for (const auto at : group) {
      all.insert(names[at].begin(), names[at].end());
      about.push_back(std::move((*hits)[at]));
    }
    // One that knows a fix speaks for all: one that does not may only be less well kept.
    const auto fix = std::ranges::find_if(about, [](const Hit& hit) { return !hit.how.fixed.empty(); });
    if (fix != about.end()) std::rotate(about.begin(), fix, fix + 1);
    std::vector<const feeds::Affected*> said;
    for (const auto& hit : about) said.push_back(&hit.row->said);
    auto& how = about.front().how;
    how.fixed = first_unaffected(said, scheme_of(package.type), how.fixed);
    if (how.status == FixStatus::kFixed && how.fixed.empty()) how.status = FixStatus::kAffected;
    auto finding = finding_of(package, all, about, matched);
    if (!finding) return fail(std::move(finding.error()));
    matched.findings.push_back(std::move(*finding));
  }
  return matched;
}

Result<bool> Matcher::speaks_for(const Package& owner, const Inventory& inventory) {
  const auto own_feed = distribution_feed(inventory.distribution);
  for (const auto& ecosystem : ecosystems_of(owner, inventory.distribution)) {
    for (const auto& called : names_of(owner)) {
      const auto rows = rows_of(ecosystem, called.name);
      if (!rows) return fail(rows.error());
      const auto its_own = [&](const auto& row) { return own_feed.empty() || row.provider == own_feed; };
      if (std::ranges::any_of(**rows, its_own)) return true;
    }
  }
  return false;
}

Result<std::set<std::string>> Matcher::answered_owners(const Inventory& inventory) {
  std::set<std::string> owners;
  for (const auto& package : inventory.packages) {
    if (!package.owner.empty()) owners.insert(package.owner);
  }
  std::set<std::string> answered;
  for (const auto& package : inventory.packages) {
    if (!is_of_distribution(package.type) || !owners.contains(package.name)) continue;
    const auto spoken_for = speaks_for(package, inventory);
    if (!spoken_for) return fail(spoken_for.error());
    if (*spoken_for) answered.insert(package.name);
  }
  return answered;
}

Result<const Matcher::Matched*> Matcher::matched(const Package& package, const Question& question) {
  // All of the package that a match depends on, and who is asked.
  auto key =
      fmt::format("{}\n{}\n{}", to_string(package.type), fmt::join(question.ecosystems, "\t"), question.own_feed);
  for (const auto& [name, version] : names_of(package)) key += fmt::format("\n{}\t{}", name, version);
  if (const auto found = matched_.find(key); found != matched_.end()) return &found->second;
  auto made = match_one(package, question);
  if (!made) return fail(std::move(made.error()));
  remembered_ += made->findings.size();
  if (remembered_ > options_.most_findings) {
    matched_.clear();
    remembered_ = made->findings.size();
  }
  return &matched_.emplace(key, std::move(*made)).first->second;
}

Result<Matches> Matcher::match(const Inventory& inventory) {
  Matches matches;
  const auto own_feed = distribution_feed(inventory.distribution);
  const auto answered = answered_owners(inventory);
  if (!answered) return fail(answered.error());
  bool asked = false;
  const auto most = options_.most_findings;
  const auto far_more = 10 * most;  // which would take minutes
  std::size_t seen = 0;             // findings
  for (const auto& package : inventory.packages) {
    if (options_.stop.stop_requested()) return fail(ErrorKind::kCancelled, "stopped");
    if (seen > far_more) {
      ++matches.not_judged[fmt::format("there are more than {} findings", far_more)];
      continue;
    }
    if (answered->contains(package.owner)) continue;
    if (package.type == PackageType::kMaven && package.name.find(':') == std::string::npos) {
      ++matches.not_judged["a jar that does not say which group it is of"];
      continue;
    }
    const Question question{ecosystems_of(package, inventory.distribution), own_feed};
    const auto covered = any_covered(question.ecosystems);
    if (!covered) return fail(covered.error());
    if (!*covered) {
      ++matches.not_judged[question.ecosystems.empty()
                               ? fmt::format("no feed is about {}", kind_of(package, inventory.distribution))
                               : fmt::format("the feeds have nothing about {}", question.ecosystems.front())];
      continue;
    }
    asked = true;
    if (!is_of_distribution(package.type)) matches.feeds.insert("osv");
    const auto known = matched(package, question);
    if (!known) return fail(known.error());
    matches.feeds.insert((*known)->feeds.begin(), (*known)->feeds.end());
    if ((*known)->uncomparable) ++matches.not_judged["a version that cannot be compared"];
    for (const auto& finding : (*known)->findings) {
      matches.findings.push_back(finding);
      matches.findings.back().package = package;
    }
    seen += (*known)->findings.size();
    if (matches.findings.size() >= 2 * most) keep_worst(matches.findings, most);
  }
  keep_worst(matches.findings, most);
  if (seen > matches.findings.size()) {
    ++matches.not_judged[fmt::format("of {} findings only the worst {} are kept", seen, most)];
  }
  // Nobody had a word on any of them: who would have had one?
  if (asked && matches.feeds.empty()) matches.feeds.emplace(own_feed.empty() ? "osv" : own_feed);
  std::ranges::sort(matches.findings, goes_before);
  return matches;
}

}  // namespace slipway::scan
