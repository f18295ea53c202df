#include "feeds/kind_tables.h"

#include <bit>

#include "store/query.h"

namespace slipway::feeds {
namespace {

using store::run;

struct Putter {
  store::Connection& db;
  std::int64_t node;

  Result<> operator()(const Cve& it) const {
    return run(
        db,
        "INSERT OR REPLACE INTO cve (node, published, modified, score, vector, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        node, it.published, it.modified, it.score, it.vector, it.body);
  }
  Result<> operator()(const Cwe& it) const {
    return run(db, "INSERT OR REPLACE INTO cwe (node, category, body) VALUES (?1, ?2, ?3)", node, it.category, it.body);
  }
  Result<> operator()(const Capec& it) const {
    return run(db, "INSERT OR REPLACE INTO capec (node, category, severity, body) VALUES (?1, ?2, ?3, ?4)", node,
               it.category, it.severity, it.body);
  }
  Result<> operator()(const Attack& it) const {
    return run(db, "INSERT OR REPLACE INTO attack (node, category, body) VALUES (?1, ?2, ?3)", node, it.category,
               it.body);
  }
  Result<> operator()(const Ssg& it) const {
    return run(db, "INSERT OR REPLACE INTO ssg (node, category, severity, body) VALUES (?1, ?2, ?3, ?4)", node,
               it.category, it.severity, it.body);
  }
  Result<> operator()(const Asvs& it) const {
    return run(db, "INSERT OR REPLACE INTO asvs (node, category, level, body) VALUES (?1, ?2, ?3, ?4)", node,
               it.category, it.level, it.body);
  }
  Result<> operator()(const Cce& it) const {
    return run(db, "INSERT OR REPLACE INTO cce (node, platform, body) VALUES (?1, ?2, ?3)", node, it.platform, it.body);
  }
  Result<> operator()(const Advisory& it) const {
    auto put = run(db,
                   "INSERT OR REPLACE INTO advisory (node, published, modified, score, vector, body) "
                   "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                   node, it.published, it.modified, it.score, it.vector, it.body);
    if (put) put = run(db, "DELETE FROM affected WHERE node = ?1", node);
    std::int64_t place = 0;
    for (const auto& one : it.affected) {
      if (!put) return put;
      put = run(db,
                "INSERT INTO affected (ecosystem, package, node, place, status, fixed, urgency, ranges) "
                "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                one.ecosystem, one.package, node, place++, one.status, one.fixed, one.urgency, one.ranges);
    }
    return put;
  }
};

// Lengths are hashed with the texts, so that what moves from one to the next is seen.
struct Adder {
  Hasher& hasher;

  void add(std::string_view value) const {
    add(static_cast<std::int64_t>(value.size()));
    hasher.update(value);
  }
  void add(const std::string& value) const { add(std::string_view(value)); }
  void add(std::int64_t value) const { hasher.update(std::as_bytes(std::span(&value, 1))); }
  void add(const std::optional<TimePoint>& at) const { add(at ? to_micros(*at) : std::int64_t{-1}); }
  void add(const std::optional<double>& number) const {
    add(number ? std::bit_cast<std::int64_t>(*number) : std::int64_t{-1});
  }
  template <class... Values>
  void all(const Values&... values) const {
    (add(values), ...);
  }

  void operator()(const Cve& it) const { all(it.published, it.modified, it.score, it.vector, it.body); }
  void operator()(const Cwe& it) const { all(it.category, it.body); }
  void operator()(const Capec& it) const { all(it.category, it.severity, it.body); }
  void operator()(const Attack& it) const { all(it.category, it.body); }
  void operator()(const Ssg& it) const { all(it.category, it.severity, it.body); }
  void operator()(const Asvs& it) const { all(it.category, it.level, it.body); }
  void operator()(const Cce& it) const { all(it.platform, it.body); }
  void operator()(const Advisory& it) const {
    all(it.published, it.modified, it.score, it.vector, it.body);
    for (const auto& one : it.affected) {
      all(one.ecosystem, one.package, one.status, one.fixed, one.urgency, one.ranges);
    }
  }
};

}  // namespace

Result<> put_details(store::Connection& db, std::int64_t node, const Details& details) {
  return std::visit(Putter{db, node}, details);
}

void add_details(Hasher& hasher, const Details& details) { std::visit(Adder{hasher}, details); }

}  // namespace slipway::feeds
