// Breadth-first from both ends, one level at a time, on the side where the next level costs less. A node of that level
// that the other side has been at closes a chain than which there is no shorter: so the first one ends the search.
//
// A thing with one link only can be an end of a chain and nothing else. Most are: a weakness has tens of thousands of
// CVEs, and few lead anywhere else. So inward links from dead ends are never followed; that the ends themselves may be
// such is why each is left before anything else is.
#include "feeds/query/path.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "feeds/query/lookup.h"
#include "store/query.h"

namespace slipway::feeds {
namespace {

using lookup::raw;

constexpr std::string_view kOut = "SELECT target FROM link WHERE source = ?1";
constexpr std::string_view kIn = "SELECT source FROM link WHERE target = ?1 AND dead_end = 0";
constexpr std::string_view kBoth =
    "SELECT target FROM link WHERE source = ?1 UNION ALL SELECT source FROM link WHERE target = ?1 AND dead_end = 0";

// Which node each node was reached from. Node numbers are above 0.
class Visited {
 public:
  // False: it is there already.
  bool add(std::int64_t node, std::int64_t from) {
    if ((count_ + 1) * 2 > slots_.size()) grow();
    auto& slot = slot_of(node);
    if (slot.node != 0) return false;
    slot = {node, from};
    ++count_;
    return true;
  }
  [[nodiscard]] bool has(std::int64_t node) const { return slot_of(node).node != 0; }
  [[nodiscard]] std::int64_t from(std::int64_t node) const { return slot_of(node).from; }

 private:
  struct Slot {
    std::int64_t node = 0;
    std::int64_t from = 0;
  };

  [[nodiscard]] const Slot& slot_of(std::int64_t node) const {
    const auto mask = slots_.size() - 1;
    auto at = (static_cast<std::uint64_t>(node) * 0x9E3779B97F4A7C15U) >> (64 - std::bit_width(mask));
    while (slots_[at].node != 0 && slots_[at].node != node) at = (at + 1) & mask;
    return slots_[at];
  }
  [[nodiscard]] Slot& slot_of(std::int64_t node) { return const_cast<Slot&>(std::as_const(*this).slot_of(node)); }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const auto& slot : old) {
      if (slot.node != 0) slot_of(slot.node) = slot;
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(64);
  std::size_t count_ = 0;
};

struct Side {
  Visited visited{};
  std::vector<std::int64_t> frontier{};
  std::optional<std::int64_t> cost{};  // of its next level, once that is known
  bool left = false;                   // its end

  explicit Side(NodeId begin) : frontier{raw(begin)} { visited.add(raw(begin), 0); }
};

class PathFinder {
 public:
  explicit PathFinder(store::Connection& db) : db_(db) {}

  // The nodes of it; none: there is no chain.
  Result<std::vector<NodeId>> find(NodeId from, NodeId to, int most_steps) {
    if (from == to) return std::vector{from};
    Side front(from);
    Side back(to);
    for (int steps = 0; !over(front, back, steps, most_steps); ++steps) {
      for (auto* side : {&front, &back}) {
        if (auto known = estimate(*side); !known) return fail(std::move(known.error()));
      }
      const bool forward = front.left == back.left ? *front.cost <= *back.cost : !front.left;
      auto met = forward ? expand(front, back) : expand(back, front);
      if (!met) return fail(std::move(met.error()));
      if (!*met) continue;
      auto nodes = chain(front, back, **met);
      if (nodes.size() > static_cast<std::size_t>(most_steps) + 1) break;
      return nodes;
    }
    return std::vector<NodeId>();
  }

 private:
  static constexpr std::size_t kSample = 64;
  static constexpr std::int64_t kLinksCounted = 20'000;
  static constexpr std::int64_t kNodeCost = 12;  // of asking for a node's links, in links that are read

  static bool over(const Side& front, const Side& back, int steps, int most_steps) {
    if (!front.left || !back.left) return most_steps <= 0;
    return steps >= most_steps || front.frontier.empty() || back.frontier.empty();
  }

  // What has tens of thousands of links is not worth counting to the end, and of a great many nodes a few tell enough.
  Result<> estimate(Side& side) {
    if (side.cost) return {};
    const auto nodes = static_cast<std::int64_t>(side.frontier.size());
    const auto stride = std::max<std::size_t>(1, side.frontier.size() / kSample);
    std::int64_t links = 0;
    std::int64_t asked = 0;
    for (std::size_t i = 0; i < side.frontier.size() && links < kLinksCounted; i += stride) {
      const auto found =
          store::count(db_,
                       "SELECT (SELECT count(*) FROM (SELECT 1 FROM link WHERE source = ?1 LIMIT ?2)) + "
                       "(SELECT count(*) FROM (SELECT 1 FROM link WHERE target = ?1 AND dead_end = 0 LIMIT ?2))",
                       side.frontier[i], kLinksCounted - links);
      if (!found) return fail(found.error());
      links += *found;
      ++asked;
    }
    side.cost = nodes * kNodeCost + links * nodes / std::max<std::int64_t>(asked, 1);
    return {};
  }

  using Met = std::optional<std::int64_t>;

  // Of few nodes the outward links first: they are few too, and may do. Of many nodes, in the order of the index, with
  // one question each.
  Result<Met> expand(Side& side, const Side& other) {
    std::vector<std::int64_t> next;
    std::vector<std::string_view> questions{kOut, kIn};
    if (side.frontier.size() > kSample) {
      questions = {kBoth};
      std::ranges::sort(side.frontier);
    }
    for (const auto sql : questions) {
      auto statement = db_.statement(sql);
      if (!statement) return fail(std::move(statement.error()));
      for (const auto node : side.frontier) {
        auto met = follow(**statement, node, side, other, next);
        if (!met || *met) return met;
      }
    }
    side.frontier = std::move(next);
    side.cost.reset();
    side.left = true;
    return std::nullopt;
  }

  static Result<Met> follow(store::Statement& rows, std::int64_t node, Side& side, const Side& other,
                            std::vector<std::int64_t>& next) {
    rows.bind(1, node);
    const store::ScopedReset done(rows);
    for (;;) {
      const auto more = rows.step();
      if (!more) return fail(more.error());
      if (!*more) return std::nullopt;
      const auto neighbour = rows.int64(0);
      if (!side.visited.add(neighbour, node)) continue;
      if (other.visited.has(neighbour)) return neighbour;
      next.push_back(neighbour);
    }
  }

  static std::vector<NodeId> chain(const Side& front, const Side& back, std::int64_t met) {
    std::vector<NodeId> nodes;
    for (auto node = met; node != 0; node = front.visited.from(node)) nodes.push_back(NodeId{node});
    std::ranges::reverse(nodes);
    for (auto node = back.visited.from(met); node != 0; node = back.visited.from(node)) nodes.push_back(NodeId{node});
    return nodes;
  }

  store::Connection& db_;
};

// The plus sign keeps SQLite from the index by target, where a weakness has tens of thousands of entries.
Result<std::optional<std::string>> relation_of(store::Connection& db, NodeId source, NodeId target) {
  return store::select_one<std::string>(
      db, "SELECT relation FROM link WHERE source = ?1 AND +target = ?2 ORDER BY relation LIMIT 1", store::read_text,
      raw(source), raw(target));
}

Result<PathStep> step_to(store::Connection& db, std::optional<NodeId> before, NodeId node) {
  auto what = lookup::named(db, node);
  if (!what) return fail(std::move(what.error()));
  if (!*what) return fail(ErrorKind::kNotFound, "nothing has the number {}", raw(node));
  PathStep step{.what = std::move(**what)};
  if (!before) return step;
  auto relation = relation_of(db, *before, node);
  if (relation && !*relation) {
    step.inward = true;
    relation = relation_of(db, node, *before);
  }
  if (!relation) return fail(std::move(relation.error()));
  step.relation = relation->value_or("");
  return step;
}

}  // namespace

Result<FoundPath> find_path(store::Connection& db, NodeId from, NodeId to, int most_steps) {
  auto nodes = PathFinder(db).find(from, to, most_steps);
  if (!nodes) return fail(std::move(nodes.error()));
  FoundPath path{.most_steps = most_steps};
  std::optional<NodeId> before;
  for (const auto node : *nodes) {
    auto step = step_to(db, before, node);
    if (!step) return fail(std::move(step.error()));
    path.steps.push_back(std::move(*step));
    before = node;
  }
  return path;
}

}  // namespace slipway::feeds
