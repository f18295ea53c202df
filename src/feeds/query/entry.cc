#include "feeds/query/entry.h"

#include <string_view>
#include <utility>

#include "feeds/query/lookup.h"
#include "store/query.h"

namespace slipway::feeds {
namespace {

using lookup::raw;
using store::Statement;

std::string text_of(const Statement& row, int column) { return std::string(row.text(column)); }

std::optional<double> number_of(const Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return row.real(column);
}

Result<Details> read_cve(const Statement& row, int /*column*/) {
  return Cve{.published = store::optional_time(row, 0),
             .modified = store::optional_time(row, 1),
             .score = number_of(row, 2),
             .vector = text_of(row, 3),
             .body = text_of(row, 4)};
}
Result<Details> read_cwe(const Statement& row, int /*column*/) {
  return Cwe{.category = text_of(row, 0), .body = text_of(row, 1)};
}
Result<Details> read_capec(const Statement& row, int /*column*/) {
  return Capec{.category = text_of(row, 0), .severity = text_of(row, 1), .body = text_of(row, 2)};
}
Result<Details> read_attack(const Statement& row, int /*column*/) {
  return Attack{.category = text_of(row, 0), .body = text_of(row, 1)};
}
Result<Details> read_ssg(const Statement& row, int /*column*/) {
  return Ssg{.category = text_of(row, 0), .severity = text_of(row, 1), .body = text_of(row, 2)};
}
Result<Details> read_asvs(const Statement& row, int /*column*/) {
  return Asvs{.category = text_of(row, 0), .level = row.int64(1), .body = text_of(row, 2)};
}
Result<Details> read_cce(const Statement& row, int /*column*/) {
  return Cce{.platform = text_of(row, 0), .body = text_of(row, 1)};
}
Result<Details> read_advisory(const Statement& row, int /*column*/) {
  return Advisory{.published = store::optional_time(row, 0),
                  .modified = store::optional_time(row, 1),
                  .score = number_of(row, 2),
                  .vector = text_of(row, 3),
                  .body = text_of(row, 4)};
}
Result<Affected> read_affected(const Statement& row, int /*column*/) {
  return Affected{.ecosystem = text_of(row, 0),
                  .package = text_of(row, 1),
                  .status = text_of(row, 2),
                  .fixed = text_of(row, 3),
                  .urgency = text_of(row, 4),
                  .ranges = text_of(row, 5)};
}

struct KindTable {
  std::string_view kind;
  std::string_view sql;
  store::RowReader<Details> read;
};

constexpr KindTable kTables[] = {
    {"cve", "SELECT published, modified, score, vector, body FROM cve WHERE node = ?1", read_cve},
    {"cwe", "SELECT category, body FROM cwe WHERE node = ?1", read_cwe},
    {"capec", "SELECT category, severity, body FROM capec WHERE node = ?1", read_capec},
    {"attack", "SELECT category, body FROM attack WHERE node = ?1", read_attack},
    {"ssg", "SELECT category, severity, body FROM ssg WHERE node = ?1", read_ssg},
    {"asvs", "SELECT category, level, body FROM asvs WHERE node = ?1", read_asvs},
    {"cce", "SELECT platform, body FROM cce WHERE node = ?1", read_cce},
    {"advisory", "SELECT published, modified, score, vector, body FROM advisory WHERE node = ?1", read_advisory},
};

Result<std::optional<Details>> read_details(store::Connection& db, const Named& what) {
  for (const auto& table : kTables) {
    if (table.kind != what.kind) continue;
    auto details = store::select_one<Details>(db, table.sql, table.read, raw(what.node));
    if (!details || !*details) return details;
    if (auto* advisory = std::get_if<Advisory>(&**details)) {
      auto affected = store::select<Affected>(
          db, "SELECT ecosystem, package, status, fixed, urgency, ranges FROM affected WHERE node = ?1 ORDER BY place",
          read_affected, raw(what.node));
      if (!affected) return fail(std::move(affected.error()));
      advisory->affected = std::move(*affected);
    }
    return details;
  }
  return std::nullopt;
}

Result<LinkGroup> read_group(const Statement& row, int column) {
  return LinkGroup{.relation = std::string(row.text(column)), .count = row.int64(column + 1)};
}

Result<> add_links(store::Connection& db, Entry& entry, bool inward, std::size_t shown) {
  auto groups = store::select<LinkGroup>(
      db,
      inward ? "SELECT relation, count(*) FROM link WHERE target = ?1 GROUP BY relation ORDER BY relation"
             : "SELECT relation, count(*) FROM link WHERE source = ?1 GROUP BY relation ORDER BY relation",
      read_group, raw(entry.what.node));
  if (!groups) return fail(std::move(groups.error()));
  for (auto& group : *groups) {
    group.inward = inward;
    const auto others = store::select<std::int64_t>(
        db,
        inward ? "SELECT source FROM link WHERE target = ?1 AND relation = ?2 ORDER BY source LIMIT ?3"
               : "SELECT target FROM link WHERE source = ?1 AND relation = ?2 ORDER BY target LIMIT ?3",
        store::read_count, raw(entry.what.node), group.relation, static_cast<std::int64_t>(shown));
    if (!others) return fail(others.error());
    std::vector<NodeId> nodes;
    for (const auto other : *others) nodes.push_back(NodeId{other});
    auto some = lookup::named_all(db, nodes);
    if (!some) return fail(std::move(some.error()));
    group.some = std::move(*some);
    entry.links.push_back(std::move(group));
  }
  return {};
}

Result<> add_record(store::Connection& db, Entry& entry) {
  auto statement = db.statement("SELECT provider, title, description, processed_at FROM record WHERE node = ?1");
  if (!statement) return fail(std::move(statement.error()));
  Statement& row = **statement;
  row.bind(1, raw(entry.what.node));
  const store::ScopedReset done(row);
  const auto there = row.step();
  if (!there) return fail(there.error());
  if (!*there) return {};
  entry.provider = row.text(0);
  entry.title = row.text(1);
  entry.description = row.text(2);
  entry.processed_at = row.time(3);
  return {};
}

}  // namespace

Result<Entry> read_entry(store::Connection& db, NodeId node, std::size_t links_shown) {
  auto what = lookup::named(db, node);
  if (!what) return fail(std::move(what.error()));
  if (!*what) return fail(ErrorKind::kNotFound, "nothing has the number {}", raw(node));
  Entry entry{.what = std::move(**what)};
  if (auto added = add_record(db, entry); !added) return fail(std::move(added.error()));
  if (entry.what.known) {
    auto details = read_details(db, entry.what);
    if (!details) return fail(std::move(details.error()));
    entry.details = std::move(*details);
  }
  for (const bool inward : {false, true}) {
    if (auto added = add_links(db, entry, inward, links_shown); !added) return fail(std::move(added.error()));
  }
  return entry;
}

}  // namespace slipway::feeds
