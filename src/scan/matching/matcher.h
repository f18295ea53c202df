// Packages against advisories.
//
//   auto advisories = feed_reader->advisories();
//   Matcher matcher(*advisories, {});
//   auto known = matcher.match(inventory);
//
// What it has asked the feeds for it remembers, so that one matcher is used for many inventories at a time. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
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
  struct Options {
    Detail detail = Detail::kAll;
    std::stop_token stop{};
    // Of one inventory. Of more, the worst are kept; when there are far more, the packages that are left are not
    // judged. Both are said in `not_judged`: a few lines name a package in thousands of versions.
    std::size_t most_findings = 50'000;
  };

  // The reader must outlive the matcher.
  Matcher(feeds::AdvisoryReader& advisories, Options options)
      : advisories_(advisories), options_(std::move(options)), document_(std::make_unique<feeds::JsonDocument>()) {}

  // The rules, in short (docs/scanner.md has them): what a distribution says of its packages counts, nobody else is
  // asked about them, nor about packages of languages that came with one that it speaks for; advisories that name each
  // other as aliases make one finding; a CVE's id goes before all others. kCancelled by the stop.
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
  // What an advisory says of a package, and the package's version that it is about.
  struct Word {
    const feeds::AffectedPackage* row = nullptr;
    std::string version{};
  };
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
  [[nodiscard]] Result<std::vector<Word>> words_on(const Package& package, const Question& question);
  [[nodiscard]] Result<std::vector<Hit>> hits_of(const Package& package, const Question& question, Matched& matched);
  [[nodiscard]] Result<Finding> finding_of(const Package& package, const std::set<std::string>& names,
                                           const std::vector<Hit>& hits, Matched& matched);
  void fill_texts(Finding& finding, const Known& known) const;

  feeds::AdvisoryReader& advisories_;
  Options options_;
  std::unique_ptr<feeds::JsonDocument> document_;  // one for all bodies: it keeps its memory
  std::map<std::pair<std::string, std::string>, Rows, std::less<>> rows_;
  std::unordered_map<feeds::NodeId, Known> facts_;
  std::unordered_map<std::string, std::optional<Known>> cves_;
  std::map<std::string, bool> covered_;
  std::unordered_map<std::string, Matched> matched_;
  std::size_t remembered_ = 0;  // findings in these
};

}  // namespace slipway::scan
