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
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "feeds/formats/json_node.h"
#include "feeds/query/advisory_reader.h"
#include "scan/finding.h"

namespace slipway::scan {

struct Matches {
  std::vector<Finding> findings{};  // worst first, then by package, id and path
  // Packages that nothing can be said of: how many, by the reason. Never take them for clean.
  std::map<std::string, std::int64_t> not_judged{};
  std::set<std::string> feeds{};  // whose data counted, also where it had nothing to say
};

// How much of what is known a finding carries.
enum class Detail : std::uint8_t {
  kAll,
  kVerdict,  // without what only people read: description, references, weaknesses
};

class Matcher {
 public:
  // It must outlive the matcher.
  explicit Matcher(feeds::AdvisoryReader& advisories, Detail detail = Detail::kAll)
      : advisories_(advisories), detail_(detail), document_(std::make_unique<feeds::JsonDocument>()) {}

  // The rules, in short (docs/scanner.md has them): what a distribution says of its packages counts, nobody else is
  // asked about them, nor about packages of languages that came with one that it speaks for; advisories that name each
  // other as aliases make one finding; a CVE's id goes before all others.
  [[nodiscard]] Result<Matches> match(const Inventory& inventory);

 private:
  // What is asked of an advisory or a CVE again and again.
  struct Known {
    feeds::VulnerabilityFacts facts{};
    std::optional<Severity> stated{};       // by its own word
    std::vector<std::string> references{};  // URLs
  };
  struct Hit;
  using Rows = std::vector<feeds::AffectedPackage>;
  // What is known against one version of a package, wherever it is found.
  struct Matched {
    std::vector<Finding> findings{};
    bool uncomparable = false;      // to some version that an advisory names
    std::set<std::string> feeds{};  // that had a word on it
  };
  // Who is asked about a package.
  struct Question {
    std::vector<std::string> ecosystems{};
    std::string_view own_feed{};
  };

  [[nodiscard]] Known known(feeds::VulnerabilityFacts facts) const;
  [[nodiscard]] Result<const Rows*> rows_of(const std::string& ecosystem, const std::string& name);
  [[nodiscard]] Result<const Known*> facts_of(feeds::NodeId node);
  [[nodiscard]] Result<const Known*> cve_of(const std::string& id);  // null: the feeds do not have it
  [[nodiscard]] Result<bool> covers(const std::string& ecosystem);
  [[nodiscard]] Result<bool> any_covered(const std::vector<std::string>& ecosystems);
  // Whether the distribution speaks for what is in this package of its own.
  [[nodiscard]] Result<bool> speaks_for(const Package& owner, const Inventory& inventory);
  // The names of the distribution's packages that it speaks for, of those that own others.
  [[nodiscard]] Result<std::set<std::string>> answered_owners(const Inventory& inventory);
  [[nodiscard]] Result<const Matched*> matched(const Package& package, const Question& question);
  [[nodiscard]] Result<Matched> match_one(const Package& package, const Question& question);
  [[nodiscard]] Result<std::vector<const feeds::AffectedPackage*>> words_on(const Package& package,
                                                                            const Question& question);
  [[nodiscard]] Result<std::vector<Hit>> hits_of(const Package& package, const Question& question, Matched& matched);
  [[nodiscard]] Result<Finding> finding_of(const Package& package, const std::set<std::string>& names,
                                           const std::vector<Hit>& hits, Matched& matched);
  void fill_texts(Finding& finding, const Known& known) const;

  feeds::AdvisoryReader& advisories_;
  Detail detail_;
  std::unique_ptr<feeds::JsonDocument> document_;  // one for all bodies: it keeps its memory
  std::map<std::pair<std::string, std::string>, Rows, std::less<>> rows_;
  std::unordered_map<feeds::NodeId, Known> facts_;
  std::unordered_map<std::string, std::optional<Known>> cves_;
  std::map<std::string, bool> covered_;
  std::unordered_map<std::string, Matched> matched_;
};

}  // namespace slipway::scan
