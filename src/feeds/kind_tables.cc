#include "feeds/kind_tables.h"

#include <bit>

#include "store/query.h"

namespace slipway::feeds {
namespace {

using store::run;

struct Putter {
  store::Connection& db;
  std::int64_t node;

  Result<> operator()(const Cve& cve) const {
    return run(db,
               "INSERT INTO cve (node, published, modified, score, vector, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6) "
               "ON CONFLICT (node) DO UPDATE SET published = excluded.published, modified = excluded.modified, "
               "score = excluded.score, vector = excluded.vector, body = excluded.body",
               node, cve.published, cve.modified, cve.score, cve.vector, cve.body);
  }
  Result<> operator()(const Weakness& weakness) const {
    return run(db,
               "INSERT INTO weakness (node, category, body) VALUES (?1, ?2, ?3) "
               "ON CONFLICT (node) DO UPDATE SET category = excluded.category, body = excluded.body",
               node, weakness.category, weakness.body);
  }
};

// Lengths are hashed with the texts, so that what moves from one to the next is seen.
struct Adder {
  Hasher& hasher;

  void text(std::string_view value) const {
    number(static_cast<std::int64_t>(value.size()));
    hasher.update(value);
  }
  void number(std::int64_t value) const { hasher.update(std::as_bytes(std::span(&value, 1))); }
  void time(const std::optional<TimePoint>& at) const { number(at ? to_micros(*at) : -1); }

  void operator()(const Cve& cve) const {
    time(cve.published);
    time(cve.modified);
    number(cve.score ? std::bit_cast<std::int64_t>(*cve.score) : -1);
    text(cve.vector);
    text(cve.body);
  }
  void operator()(const Weakness& weakness) const {
    text(weakness.category);
    text(weakness.body);
  }
};

}  // namespace

Result<> put_details(store::Connection& db, std::int64_t node, const Details& details) {
  return std::visit(Putter{db, node}, details);
}

void add_details(Hasher& hasher, const Details& details) { std::visit(Adder{hasher}, details); }

}  // namespace slipway::feeds
