#include "feeds/query/chain.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "feeds/query/lookup.h"
#include "store/query.h"

namespace slipway::feeds {
namespace {

using lookup::raw;

constexpr int kDeepest = 10;

enum class Way : std::uint8_t {
  kOut,
  kIn,
  // In, where most of what links to it is of other kinds: tens of thousands of CVEs have one weakness. So those of the
  // kind, which are hundreds, are asked one by one.
  kInFromFew,
};

// One kind of link that the tree follows.
struct Step {
  std::string_view kind;  // of the one above
  std::string_view relation;
  Way way;
  std::string_view other;  // kind of the one below, when it links to the one above
  std::string_view role;
  std::size_t most;  // so many, when nothing else is asked for
  // Kinds that the one above may have been reached from, and "-" for the root; empty: any. Without that the tree would
  // turn around: from a requirement to its other weaknesses, from a mitigation to all else that it helps against.
  std::string_view from{};
};

constexpr Step kSteps[] = {
    {"cve", "weakness", Way::kOut, "", "weakness", 10},
    {"cwe", "pattern", Way::kOut, "", "attack pattern", 8},
    {"cwe", "weakness", Way::kInFromFew, "capec", "attack pattern", 8},
    {"cwe", "weakness", Way::kInFromFew, "asvs", "requirement", 8},
    {"cwe", "member", Way::kOut, "", "member", 30, "-"},
    {"capec", "technique", Way::kOut, "", "technique", 8},
    {"capec", "member", Way::kOut, "", "member", 30, "-"},
    {"attack", "revoked-by", Way::kOut, "", "replaced by", 4},
    {"attack", "tactic", Way::kOut, "", "tactic", 8},
    {"attack", "mitigates", Way::kIn, "attack", "mitigation", 6},
    {"attack", "control", Way::kOut, "", "control", 4, "- attack"},
    {"attack", "mitigates", Way::kOut, "", "technique", 20, "-"},
    {"attack", "detects", Way::kOut, "", "technique", 20, "-"},
    {"attack", "tactic", Way::kIn, "attack", "technique", 20, "-"},
    {"attack", "attributed-to", Way::kOut, "", "group", 8, "-"},
    {"attack", "uses", Way::kOut, "", "uses", 20, "-"},
    {"control", "control", Way::kIn, "ssg", "rule", 4, "- attack"},
    {"control", "control", Way::kIn, "attack", "mitigation", 8, "- ssg"},
    {"ssg", "control", Way::kOut, "", "control", 8, "- cce"},
    {"ssg", "identifier", Way::kOut, "", "identifier", 4, "-"},
    {"ssg", "selects", Way::kOut, "", "rule", 20, "-"},
    {"ssg", "part-of", Way::kIn, "ssg", "part", 20, "-"},
    {"asvs", "weakness", Way::kOut, "", "weakness", 10, "- asvs"},
    {"asvs", "guideline", Way::kOut, "", "guideline", 8, "-"},
    {"asvs", "part-of", Way::kIn, "asvs", "part", 20, "-"},
    {"guideline", "guideline", Way::kIn, "asvs", "requirement", 20, "-"},
    {"cce", "identifier", Way::kIn, "ssg", "rule", 8, "-"},
    {"advisory", "alias", Way::kOut, "", "alias", 8, "-"},
    {"advisory", "upstream", Way::kOut, "", "upstream", 8, "-"},
    {"cve", "alias", Way::kIn, "advisory", "advisory", 10},
    {"cve", "upstream", Way::kIn, "advisory", "advisory", 10},
};

bool has_word(std::string_view words, std::string_view wanted) {
  while (!words.empty()) {
    const auto end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == wanted) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

// The names in it are those of kSteps: it is fixed text, as a statement must be.
std::string sql_of(const Step& step) {
  switch (step.way) {
    case Way::kOut: return "SELECT target FROM link WHERE source = ?1 AND relation = ?2";
    case Way::kIn:
      return fmt::format(
          "SELECT l.source FROM link l CROSS JOIN {0} k ON k.node = l.source WHERE l.target = ?1 AND l.relation = ?2",
          step.other);
    case Way::kInFromFew:
      return fmt::format(
          "SELECT l.source FROM {0} k CROSS JOIN link l ON l.source = k.node AND l.relation = ?2 AND l.target = ?1",
          step.other);
  }
  return "";
}

class Grower {
 public:
  Grower(store::Connection& db, const ChainOptions& options) : db_(db), options_(options) {}

  Result<ChainNode> grow(NodeId root) {
    auto what = lookup::named(db_, root);
    if (!what) return fail(std::move(what.error()));
    if (!*what) return fail(ErrorKind::kNotFound, "nothing has the number {}", raw(root));
    ChainNode tree{.what = std::move(**what)};
    above_.push_back(root);
    count_ = 1;
    if (auto grown = expand(tree, "-"); !grown) return fail(std::move(grown.error()));
    return tree;
  }

 private:
  // Adds what is below, each with what is below it.
  Result<> expand(ChainNode& node, std::string_view reached_from) {
    if (above_.size() > kDeepest) return {};
    std::set<std::string_view> done;  // roles: several steps may lead to one
    for (const auto& step : kSteps) {
      if (step.kind != node.what.kind || (!step.from.empty() && !has_word(step.from, reached_from))) continue;
      if (!done.insert(step.role).second) continue;
      auto added = add(node, step.role, reached_from);
      if (!added) return added;
    }
    expanded_[raw(node.what.node)] = !node.below.empty();
    for (auto& below : node.below) {
      const auto before = expanded_.find(raw(below.what.node));
      if (before != expanded_.end()) {
        below.repeated = before->second;
        continue;
      }
      above_.push_back(below.what.node);
      auto grown = expand(below, node.what.kind);
      above_.pop_back();
      if (!grown) return grown;
    }
    return {};
  }

  // All that has this role to the node, by whatever link.
  Result<> add(ChainNode& node, std::string_view role, std::string_view reached_from) {
    std::set<std::int64_t> found;
    std::size_t most = 0;
    for (const auto& step : kSteps) {
      if (step.kind != node.what.kind || step.role != role) continue;
      if (!step.from.empty() && !has_word(step.from, reached_from)) continue;
      most = options_.breadth.value_or(step.most);
      const auto sql = sql_of(step);
      const auto ids = store::select<std::int64_t>(db_, sql, store::read_count, raw(node.what.node), step.relation);
      if (!ids) return fail(ids.error());
      found.insert(ids->begin(), ids->end());
    }
    for (const auto above : above_) found.erase(raw(above));
    return take(node, role, found, most);
  }

  Result<> take(ChainNode& node, std::string_view role, const std::set<std::int64_t>& found, std::size_t most) {
    // The best of a few more than are shown: to name thousands for the sake of their order would take too long.
    const auto looked_at = std::min(found.size(), std::max<std::size_t>(most * 4, most));
    std::vector<NodeId> nodes;
    for (auto id = found.begin(); nodes.size() < looked_at; ++id) nodes.push_back(NodeId{*id});
    auto some = lookup::named_all(db_, nodes);
    if (!some) return fail(std::move(some.error()));
    const auto room = options_.most > count_ ? options_.most - count_ : 0;
    const auto kept = std::min({some->size(), most, room});
    some->resize(kept);
    count_ += kept;
    for (auto& one : *some) node.below.push_back({.what = std::move(one), .role = std::string(role)});
    if (found.size() > kept) node.more[std::string(role)] = static_cast<std::int64_t>(found.size() - kept);
    return {};
  }

  store::Connection& db_;
  const ChainOptions& options_;
  std::vector<NodeId> above_;                        // from the root to the one that is being expanded
  std::unordered_map<std::int64_t, bool> expanded_;  // and whether something stands below it
  std::size_t count_ = 0;
};

}  // namespace

Result<ChainNode> read_chain(store::Connection& db, NodeId root, const ChainOptions& options) {
  return Grower(db, options).grow(root);
}

}  // namespace slipway::feeds
