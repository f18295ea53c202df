#include "scan/matching/matcher.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "feeds/formats/json_node.h"
#include "scan/matching/affected.h"
#include "scan/matching/aliases.h"
#include "scan/matching/ecosystem.h"

namespace slipway::scan {
namespace {

using feeds::VulnerabilityFacts;

// "openssl/CVE-2024-1" of a distribution's feed is only a name within it.
bool is_own_name(std::string_view name) { return name.find('/') == std::string_view::npos; }

// The names of what an advisory is about; several sets where it tells of several vulnerabilities at once, as those of
// distributions do.
std::vector<std::set<std::string>> subjects_of(const VulnerabilityFacts& facts) {
  std::set<std::string> names(facts.aliases.begin(), facts.aliases.end());
  const bool own = is_own_name(facts.name);
  if (own && names.empty() && !facts.upstream.empty()) {
    std::vector<std::set<std::string>> each;
    for (const auto& id : facts.upstream) each.push_back({id});
    return each;
  }
  if (own) names.insert(facts.name);
  if (names.empty()) names.insert(facts.name.substr(facts.name.rfind('/') + 1));
  return {std::move(names)};
}

void add_references(std::string_view body, std::vector<std::string>& urls) {
  constexpr std::size_t kMost = 100;
  feeds::JsonDocument document;
  const auto root = document.parse(body);
  if (!root) return;
  for (const auto& one : (*root)["references"].items()) {
    const auto url = one["url"].text();
    if (url.empty() || urls.size() >= kMost) continue;
    if (std::ranges::find(urls, url) == urls.end()) urls.emplace_back(url);
  }
}

std::optional<Severity> stated_severity(std::string_view body) {
  feeds::JsonDocument document;
  const auto root = document.parse(body);
  if (!root || !(*root)["severity"].is_text()) return std::nullopt;
  return severity_of_word((*root)["severity"].text());
}

template <class T>
void take_if_empty(T& mine, const T& other) {
  if (mine.empty()) mine = other;
}

void fill_texts(Finding& finding, const VulnerabilityFacts& facts) {
  take_if_empty(finding.title, facts.title);
  take_if_empty(finding.description, facts.description);
  if (!finding.published) finding.published = facts.published;
  if (!finding.modified) finding.modified = facts.modified;
  if (!finding.score && facts.score) {
    finding.score = facts.score;
    finding.vector = facts.vector;
  }
  for (const auto& weakness : facts.weaknesses) {
    if (std::ranges::find(finding.weaknesses, weakness) == finding.weaknesses.end()) {
      finding.weaknesses.push_back(weakness);
    }
  }
  add_references(facts.body, finding.references);
}

bool set_severity(Finding& finding, std::optional<Severity> severity, std::string_view source) {
  if (!severity) return false;
  finding.severity = *severity;
  finding.severity_source = source;
  return true;
}

// Of which packages no feed can tell anything.
std::string kind_of(const Package& package, const std::optional<Distribution>& distribution) {
  if (!is_of_distribution(package.type)) return std::string(to_string(package.type));
  if (!distribution) return fmt::format("{} packages of an unknown distribution", to_string(package.type));
  return fmt::format("packages of {} {}", distribution->id, distribution->version);
}

auto order_of(const Finding& finding) {
  return std::tie(finding.package.type, finding.package.name, finding.id, finding.package.path, finding.package.version,
                  finding.package.architecture);
}

}  // namespace

// An advisory that applies to a package, and one of the vulnerabilities that it tells of.
struct Matcher::Hit {
  const VulnerabilityFacts* facts = nullptr;
  std::string provider{};
  std::string urgency{};
  Applies how{};
  std::set<std::string> names{};
};

Result<const Matcher::Rows*> Matcher::rows_of(const std::string& ecosystem, const std::string& name) {
  const std::pair key(ecosystem, name);
  if (const auto known = rows_.find(key); known != rows_.end()) return &known->second;
  auto rows = advisories_.about(ecosystem, name);
  if (!rows) return fail(std::move(rows.error()));
  return &rows_.emplace(key, std::move(*rows)).first->second;
}

Result<const VulnerabilityFacts*> Matcher::facts_of(feeds::NodeId node) {
  if (const auto known = facts_.find(node); known != facts_.end()) return &known->second;
  auto facts = advisories_.facts(node);
  if (!facts) return fail(std::move(facts.error()));
  return &facts_.emplace(node, std::move(*facts)).first->second;
}

Result<const VulnerabilityFacts*> Matcher::cve_of(const std::string& id) {
  auto known = cves_.find(id);
  if (known == cves_.end()) {
    auto facts = advisories_.cve(id);
    if (!facts) return fail(std::move(facts.error()));
    known = cves_.emplace(id, std::move(*facts)).first;
  }
  return known->second ? &*known->second : nullptr;
}

Result<bool> Matcher::covers(const std::string& ecosystem) {
  if (const auto known = covered_.find(ecosystem); known != covered_.end()) return known->second;
  const auto some = advisories_.covers(ecosystem);
  if (!some) return some;
  return covered_.emplace(ecosystem, *some).first->second;
}

Result<std::vector<Matcher::Hit>> Matcher::hits_of(const Package& package, const std::vector<std::string>& ecosystems,
                                                   std::string_view own_feed, Matches& matches) {
  std::vector<Hit> hits;
  bool unknown = false;
  for (const auto& ecosystem : ecosystems) {
    for (const auto& name : names_of(package)) {
      const auto rows = rows_of(ecosystem, name);
      if (!rows) return fail(rows.error());
      const bool spoken_for =
          std::ranges::any_of(**rows, [&](const auto& row) { return !own_feed.empty() && row.provider == own_feed; });
      for (const auto& row : **rows) {
        if (spoken_for && row.provider != own_feed) continue;
        auto how = applies(row.said, scheme_of(package.type), version_of(package));
        unknown = unknown || how.answer == Answer::kUnknown;
        if (how.answer != Answer::kYes) continue;
        const auto facts = facts_of(row.advisory);
        if (!facts) return fail(facts.error());
        for (auto& names : subjects_of(**facts)) {
          hits.push_back({*facts, row.provider, row.said.urgency, how, std::move(names)});
        }
      }
    }
  }
  if (unknown) ++matches.not_judged["a version that cannot be compared"];
  return hits;
}

Result<Finding> Matcher::finding_of(const Package& package, const std::string& id, const std::set<std::string>& names,
                                    const std::vector<Hit>& hits) {
  const auto& first = hits.front();
  Finding finding{.id = id,
                  .package = package,
                  .fixed_version = first.how.fixed,
                  .status = first.how.status,
                  .source = first.provider,
                  .advisory = first.facts->urn};
  for (const auto& name : names) {
    if (name != id) finding.aliases.push_back(name);
  }
  const auto cve = id.starts_with("CVE-") ? cve_of(id) : Result<const VulnerabilityFacts*>(nullptr);
  if (!cve) return fail(cve.error());
  bool rated = false;
  for (const auto& hit : hits) {
    if (!rated) rated = set_severity(finding, severity_of_word(hit.urgency), hit.provider);
    if (!rated) rated = set_severity(finding, stated_severity(hit.facts->body), hit.provider);
    if (!rated) rated = set_severity(finding, severity_of_score(hit.facts->score, hit.facts->vector), hit.provider);
  }
  if (!rated && *cve != nullptr) set_severity(finding, severity_of_score((*cve)->score, (*cve)->vector), "cve");
  // A distribution's record has next to no text; what the CVE says goes before it.
  if (*cve != nullptr && is_of_distribution(package.type)) fill_texts(finding, **cve);
  for (const auto& hit : hits) fill_texts(finding, *hit.facts);
  if (*cve != nullptr) fill_texts(finding, **cve);
  return finding;
}

Result<> Matcher::match_one(const Package& package, const std::vector<std::string>& ecosystems,
                            std::string_view own_feed, Matches& matches) {
  auto hits = hits_of(package, ecosystems, own_feed, matches);
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
    auto finding = finding_of(package, best_name(all), all, about);
    if (!finding) return fail(std::move(finding.error()));
    matches.findings.push_back(std::move(*finding));
  }
  return {};
}

Result<Matches> Matcher::match(const Inventory& inventory) {
  Matches matches;
  const auto own_feed = distribution_feed(inventory.distribution);
  for (const auto& package : inventory.packages) {
    if (!package.owner.empty()) continue;
    const auto ecosystems = ecosystems_of(package, inventory.distribution);
    bool covered = false;
    for (const auto& ecosystem : ecosystems) {
      const auto some = covers(ecosystem);
      if (!some) return fail(some.error());
      covered = covered || *some;
    }
    if (!covered) {
      ++matches.not_judged[ecosystems.empty()
                               ? fmt::format("no feed is about {}", kind_of(package, inventory.distribution))
                               : fmt::format("the feeds have nothing about {}", ecosystems.front())];
      continue;
    }
    matches.feeds.insert(is_of_distribution(package.type) && !own_feed.empty() ? std::string(own_feed) : "osv");
    if (auto done = match_one(package, ecosystems, own_feed, matches); !done) return fail(std::move(done.error()));
  }
  std::ranges::sort(matches.findings, [](const Finding& a, const Finding& b) {
    return a.severity != b.severity ? a.severity > b.severity : order_of(a) < order_of(b);
  });
  return matches;
}

}  // namespace slipway::scan
