// What the feeds' database answers with.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "feeds/provider_row.h"
#include "feeds/record.h"

namespace slipway::feeds {

// A thing within one database; another database has other numbers.
enum class NodeId : std::int64_t {};

// A thing by its name, with a line about it.
struct Named {
  NodeId node{};
  std::string urn{};
  std::string kind{};
  std::string name{};
  bool known = false;   // there is a record of it; else somebody only links to it, and the rest is empty
  std::string title{};  // the first words of its description when it has none
  Standing standing = Standing::kLive;
  std::optional<TimePoint> gone_since{};  // its source no longer has it

  // Its publisher stands by it, and still has it.
  [[nodiscard]] bool is_live() const {
    return !gone_since && (standing == Standing::kLive || standing == Standing::kDraft);
  }
};

// All links of one thing that have one relation and one direction.
struct LinkGroup {
  std::string relation{};
  bool inward = false;        // they come from the others
  std::int64_t count = 0;     // of all
  std::vector<Named> some{};  // of these the first
};

struct Entry {
  Named what{};
  std::string provider{};
  std::string title{};
  std::string description{};
  TimePoint processed_at{};
  std::optional<Details> details{};  // none when it is not known, or of a kind that this program does not know
  std::vector<LinkGroup> links{};    // outward ones first
};

// One thing in the tree that begins at another one.
struct ChainNode {
  Named what{};
  std::string role{};     // what it is to the one above: "weakness", "attack pattern", ...; empty at the root
  bool repeated = false;  // it stands elsewhere in the tree, and what is below it stands there
  std::vector<ChainNode> below{};
  std::map<std::string, std::int64_t> more{};  // by role, how many were left out
};

struct SearchHit {
  // Around what was found in a snippet. They occur in pairs, and not in the texts themselves.
  static constexpr char kMarkBegin = '\x02';
  static constexpr char kMarkEnd = '\x03';

  Named what{};
  std::string snippet{};
  double rank = 0;  // less is better
};

struct PathStep {
  Named what{};
  std::string relation{};  // of the link that leads here; empty at the first
  bool inward = false;     // that link goes from here to the one before
};

struct FoundPath {
  std::vector<PathStep> steps{};  // with both ends; empty: there is no way of at most `most_steps` links
  int most_steps = 0;
};

struct ProviderView {
  ProviderRow row{};
  std::int64_t live = 0;  // records
  std::int64_t gone = 0;
  std::optional<Duration> age{};  // of its data: since the source was last read to its end; none: never
};

}  // namespace slipway::feeds
