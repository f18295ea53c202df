#include "feeds/record_writer.h"

#include <cstring>
#include <optional>
#include <utility>

#include "base/digest.h"
#include "feeds/kind_tables.h"
#include "store/query.h"

namespace slipway::feeds {
namespace {

constexpr std::size_t kMostRemembered = 50'000;

struct Known {
  std::int64_t digest = 0;
  std::int64_t generation = 0;
  std::string provider{};
};

Result<Known> read_known(const store::Statement& row, int column) {
  return Known{row.int64(column), row.int64(column + 1), std::string(row.text(column + 2))};
}

Result<RecordWriter::Texts> read_texts(const store::Statement& row, int column) {
  return RecordWriter::Texts{std::string(row.text(column)), std::string(row.text(column + 1)),
                             std::string(row.text(column + 2))};
}

}  // namespace

std::int64_t fingerprint(const Record& record) {
  Hasher hasher(HashAlgorithm::kSha256);
  const auto add = [&hasher](std::string_view text) {
    const std::uint64_t length = text.size();
    hasher.update(std::as_bytes(std::span(&length, 1)));
    hasher.update(text);
  };
  add(record.title);
  add(record.description);
  add(to_string(record.standing));
  for (const auto& link : record.links) {
    add(link.relation);
    add(link.target.text());
  }
  add_details(hasher, record.details);
  const auto digest = hasher.finish();
  std::int64_t value = 0;
  std::memcpy(&value, digest.data(), sizeof(value));
  return value;
}

Result<std::int64_t> RecordWriter::node_of(store::Connection& db, const Urn& urn) {
  auto found = store::select_one<std::int64_t>(db, "SELECT id FROM node WHERE urn = ?1", store::read_count, urn.text());
  if (!found) return fail(std::move(found.error()));
  if (*found) return **found;
  auto added = store::change(db, "INSERT INTO node (urn) VALUES (?1)", urn.text());
  if (!added) return fail(std::move(added.error()));
  return db.db().last_insert_rowid();
}

Result<std::int64_t> RecordWriter::target_node(store::Connection& db, const Urn& urn) {
  if (const auto known = nodes_.find(urn.text()); known != nodes_.end()) return known->second;
  auto node = node_of(db, urn);
  if (!node) return node;
  // Whoever is linked to is no dead end any more.
  auto way = store::change(db, "UPDATE link SET dead_end = 0 WHERE source = ?1 AND dead_end = 1", *node);
  if (!way) return fail(std::move(way.error()));
  if (nodes_.size() >= kMostRemembered) nodes_.clear();
  nodes_.emplace(urn.text(), *node);
  return node;
}

Result<> RecordWriter::write_links(store::Connection& db, std::int64_t node, const Record& record, bool had_some) {
  if (had_some) {
    auto gone = store::change(db, "DELETE FROM link WHERE source = ?1", node);
    if (!gone) return fail(std::move(gone.error()));
  }
  bool dead_end = record.links.size() == 1;
  if (dead_end) {
    const auto linked = store::count(db, "SELECT EXISTS (SELECT 1 FROM link WHERE target = ?1)", node);
    if (!linked) return fail(linked.error());
    dead_end = *linked == 0;
    if (dead_end) nodes_.erase(record.urn.text());  // whoever links to it next has to take that back
  }
  for (const auto& link : record.links) {
    const auto target = target_node(db, link.target);
    if (!target) return fail(target.error());
    auto put =
        store::change(db, "INSERT OR IGNORE INTO link (source, relation, target, dead_end) VALUES (?1, ?2, ?3, ?4)",
                      node, link.relation, *target, dead_end ? 1 : 0);
    if (!put) return fail(std::move(put.error()));
  }
  return {};
}

Result<RecordWriter::Put> RecordWriter::put(store::Connection& db, const std::string& provider, std::int64_t generation,
                                            const Record& record, TimePoint now) {
  const auto node = node_of(db, record.urn);
  if (!node) return fail(node.error());
  const auto known = store::select_one<Known>(db, "SELECT digest, generation, provider FROM record WHERE node = ?1",
                                              read_known, *node);
  if (!known) return fail(known.error());
  const bool own = *known && (*known)->provider == provider;
  const bool repeated = own && (*known)->generation == generation;
  const auto digest = fingerprint(record);
  if (own && (*known)->digest == digest) {
    auto seen =
        store::change(db, "UPDATE record SET generation = ?2, gone_since = NULL WHERE node = ?1", *node, generation);
    if (!seen) return fail(std::move(seen.error()));
    return repeated ? Put::kRepeated : Put::kSame;
  }
  const std::string name(record.urn.id());
  Indexing indexing{.node = *node, .now = {name, record.title, record.description}};
  if (*known) {
    auto before =
        store::select_one<Texts>(db, "SELECT name, title, description FROM record WHERE node = ?1", read_texts, *node);
    if (!before) return fail(std::move(before.error()));
    indexing.before = std::move(*before);
  }
  const std::string kind(record.urn.kind());
  auto stored = store::change(
      db,
      "INSERT INTO record (node, provider, kind, name, title, description, standing, digest, generation, processed_at) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (node) DO UPDATE SET "
      "provider = excluded.provider, title = excluded.title, description = excluded.description, standing = "
      "excluded.standing, "
      "digest = excluded.digest, generation = excluded.generation, processed_at = excluded.processed_at, "
      "gone_since = NULL",
      *node, provider, kind, name, record.title, record.description, to_string(record.standing), digest, generation,
      now);
  if (!stored) return fail(std::move(stored.error()));
  if (auto put = put_details(db, *node, record.details); !put) return fail(std::move(put.error()));
  if (auto put = write_links(db, *node, record, known->has_value()); !put) return fail(std::move(put.error()));
  to_index_.push_back(std::move(indexing));
  if (repeated) return Put::kRepeated;
  return *known ? Put::kChanged : Put::kNew;
}

// What the index knows of a record has to be taken out with the very texts that were put in.
Result<> RecordWriter::finish(store::Connection& db) {
  for (const auto& [node, before, now] : std::exchange(to_index_, {})) {
    if (before && *before == now) continue;
    if (before) {
      auto out = store::run(
          db, "INSERT INTO search (search, rowid, name, title, description) VALUES ('delete', ?1, ?2, ?3, ?4)", node,
          before->name, before->title, before->description);
      if (!out) return out;
    }
    auto in = store::run(db, "INSERT INTO search (rowid, name, title, description) VALUES (?1, ?2, ?3, ?4)", node,
                         now.name, now.title, now.description);
    if (!in) return in;
  }
  return {};
}

}  // namespace slipway::feeds
