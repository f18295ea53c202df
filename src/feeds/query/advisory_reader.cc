#include "feeds/query/advisory_reader.h"

#include <algorithm>
#include <utility>

#include "feeds/query/lookup.h"
#include "feeds/query/snapshot.h"
#include "feeds/urn.h"
#include "store/pool.h"
#include "store/query.h"

namespace slipway::feeds {
namespace {

using lookup::raw;
using store::Pool;

Result<AffectedPackage> read_affected(const store::Statement& row, int column) {
  const auto text = [&](int at) { return std::string(row.text(column + at)); };
  return AffectedPackage{.advisory = NodeId{row.int64(column)},
                         .provider = text(1),
                         .said = {.status = text(2), .fixed = text(3), .urgency = text(4), .ranges = text(5)}};
}

Result<VulnerabilityFacts> read_facts(const store::Statement& row, int column) {
  const auto text = [&](int at) { return std::string(row.text(column + at)); };
  const auto standing = parse_standing(row.text(column + 5));
  if (!standing) return fail(ErrorKind::kCorrupt, "the standing {} is none", row.text(column + 5));
  VulnerabilityFacts facts{.node = NodeId{row.int64(column)},
                           .urn = text(1),
                           .name = text(2),
                           .title = text(3),
                           .description = text(4),
                           .standing = *standing,
                           .published = store::optional_time(row, column + 6),
                           .modified = store::optional_time(row, column + 7),
                           .vector = text(9),
                           .body = text(10)};
  if (!row.is_null(column + 8)) facts.score = row.real(column + 8);
  return facts;
}

struct Target {
  std::string relation{};
  std::string urn{};
};

Result<Target> read_target(const store::Statement& row, int column) {
  return Target{std::string(row.text(column)), std::string(row.text(column + 1))};
}

Result<DataAge> read_age(const store::Statement& row, int column) {
  return DataAge{std::string(row.text(column)), store::optional_time(row, column + 1)};
}

// In read_facts()'s order.
std::string facts_sql(std::string_view body, std::string_view rest) {
  return fmt::format(
      "SELECT r.node, n.urn, r.name, r.title, r.description, r.standing, k.published, k.modified, k.score, k.vector, "
      "{} "
      "FROM record r JOIN node n ON n.id = r.node JOIN {}",
      body, rest);
}

}  // namespace

struct AdvisoryReader::State {
  explicit State(Pool::Lease given) : lease(std::move(given)), snapshot(lease->db()) {}

  Result<> add_links(VulnerabilityFacts& facts) {
    auto targets = store::select<Target>(
        *lease, "SELECT l.relation, n.urn FROM link l JOIN node n ON n.id = l.target WHERE l.source = ?1", read_target,
        raw(facts.node));
    if (!targets) return fail(std::move(targets.error()));
    for (const auto& [relation, text] : *targets) {
      const auto urn = Urn::parse(text);
      if (!urn) return fail(urn.error());
      std::string id(urn->id());
      if (relation == "alias")
        facts.aliases.push_back(std::move(id));
      else if (relation == "upstream")
        facts.upstream.push_back(std::move(id));
      else if (relation == "related")
        facts.related.push_back(std::move(id));
      else if (relation == "weakness")
        facts.weaknesses.push_back(std::move(id));
    }
    return {};
  }

  Pool::Lease lease;
  Snapshot snapshot;
};

AdvisoryReader::AdvisoryReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
AdvisoryReader::~AdvisoryReader() = default;
AdvisoryReader::AdvisoryReader(AdvisoryReader&&) noexcept = default;

Result<AdvisoryReader> AdvisoryReader::open(Pool& pool) {
  auto lease = pool.acquire(Pool::Use::kRead);
  if (!lease) return lease.error().during("read the feeds' advisories");
  auto state = std::make_unique<State>(std::move(*lease));
  if (!state->snapshot.begun()) return state->snapshot.begun().error().during("read the feeds' advisories");
  // The instant is that of the first look.
  if (auto looked = store::count(*state->lease, "SELECT count(*) FROM provider"); !looked) {
    return looked.error().during("read the feeds' advisories");
  }
  return AdvisoryReader(std::move(state));
}

Result<std::vector<AffectedPackage>> AdvisoryReader::about(std::string_view ecosystem, std::string_view package) {
  return store::select<AffectedPackage>(
      *state_->lease,
      "SELECT a.node, r.provider, a.status, a.fixed, a.urgency, a.ranges FROM affected a JOIN record r ON r.node = "
      "a.node WHERE a.ecosystem = ?1 AND a.package = ?2 AND r.gone_since IS NULL AND r.standing IN ('live', 'draft') "
      "ORDER BY a.node, a.place",
      read_affected, ecosystem, package);
}

Result<bool> AdvisoryReader::covers(std::string_view ecosystem) {
  // CROSS: the ecosystem's packages one after the other, up to the first that is found.
  const auto some = store::count(
      *state_->lease,
      "SELECT EXISTS (SELECT 1 FROM affected a CROSS JOIN record r ON r.node = a.node WHERE a.ecosystem = ?1 AND "
      "r.gone_since IS NULL AND r.standing IN ('live', 'draft'))",
      ecosystem);
  if (!some) return fail(some.error());
  return *some != 0;
}

Result<VulnerabilityFacts> AdvisoryReader::facts(NodeId node) {
  static const std::string advisories = facts_sql("k.body", "advisory k ON k.node = r.node WHERE r.node = ?1");
  static const std::string cves = facts_sql("k.body", "cve k ON k.node = r.node WHERE r.node = ?1");
  for (const auto* sql : {&advisories, &cves}) {
    auto found = store::select_one<VulnerabilityFacts>(*state_->lease, *sql, read_facts, raw(node));
    if (!found) return fail(std::move(found.error()));
    if (!*found) continue;
    if (auto linked = state_->add_links(**found); !linked) return fail(std::move(linked.error()));
    return std::move(**found);
  }
  return fail(ErrorKind::kNotFound, "no advisory has the number {}", raw(node));
}

Result<std::optional<VulnerabilityFacts>> AdvisoryReader::cve(std::string_view id, Extent extent) {
  const auto urn = Urn::make("nvd", "cve", id);
  if (!urn) return std::nullopt;  // no CVE has such an id
  static const std::string whole = facts_sql("k.body", "cve k ON k.node = r.node WHERE n.urn = ?1");
  static const std::string without = facts_sql("''", "cve k ON k.node = r.node WHERE n.urn = ?1");
  auto found = store::select_one<VulnerabilityFacts>(*state_->lease, extent == Extent::kWhole ? whole : without,
                                                     read_facts, urn->text());
  if (!found || !*found || extent == Extent::kWithoutBody) return found;
  if (auto linked = state_->add_links(**found); !linked) return fail(std::move(linked.error()));
  return found;
}

Result<std::vector<DataAge>> AdvisoryReader::ages() {
  return store::select<DataAge>(*state_->lease, "SELECT id, completed_at FROM provider ORDER BY id", read_age);
}

}  // namespace slipway::feeds
