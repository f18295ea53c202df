// Packages against advisories.
//
//   auto advisories = feed_reader->advisories();
//   Matcher matcher(*advisories);
//   auto known = matcher.match(inventory);
//
// What it has asked the feeds for it remembers, so that one matcher is used for many inventories at a time. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "feeds/query/advisory_reader.h"
#include "scan/finding.h"

namespace slipway::scan {

struct Matches {
  std::vector<Finding> findings{};  // worst first, then by package, id and path
  // Packages that nothing can be said of: how many, by the reason. Never take them for clean.
  std::map<std::string, std::int64_t> not_judged{};
  std::set<std::string> feeds{};  // whose data counted, also where it had nothing to say
};

class Matcher {
 public:
  // It must outlive the matcher.
  explicit Matcher(feeds::AdvisoryReader& advisories) : advisories_(advisories) {}

  // The rules, in short (docs/scanner.md has them): what a distribution says of its packages counts, nobody else is
  // asked about them, nor about packages of languages that came with one of the distribution's; advisories that name
  // each other as aliases make one finding; a CVE's id goes before all others.
  [[nodiscard]] Result<Matches> match(const Inventory& inventory);

 private:
  struct Hit;
  using Rows = std::vector<feeds::AffectedPackage>;

  [[nodiscard]] Result<const Rows*> rows_of(const std::string& ecosystem, const std::string& name);
  [[nodiscard]] Result<const feeds::VulnerabilityFacts*> facts_of(feeds::NodeId node);
  [[nodiscard]] Result<const feeds::VulnerabilityFacts*> cve_of(const std::string& id);
  [[nodiscard]] Result<bool> covers(const std::string& ecosystem);
  [[nodiscard]] Result<> match_one(const Package& package, const std::vector<std::string>& ecosystems,
                                   std::string_view own_feed, Matches& matches);
  [[nodiscard]] Result<std::vector<Hit>> hits_of(const Package& package, const std::vector<std::string>& ecosystems,
                                                 std::string_view own_feed, Matches& matches);
  [[nodiscard]] Result<Finding> finding_of(const Package& package, const std::string& id,
                                           const std::set<std::string>& names, const std::vector<Hit>& hits);

  feeds::AdvisoryReader& advisories_;
  std::map<std::pair<std::string, std::string>, Rows, std::less<>> rows_;
  std::map<feeds::NodeId, feeds::VulnerabilityFacts> facts_;
  std::map<std::string, std::optional<feeds::VulnerabilityFacts>> cves_;
  std::map<std::string, bool> covered_;
};

}  // namespace slipway::scan
