#include "feeds/query/lookup.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "feeds/query/match_expression.h"
#include "store/query.h"

namespace slipway::feeds::lookup {
namespace {

constexpr std::size_t kMostNear = 5;
constexpr std::size_t kLongestName = Urn::kLongestId + 100;  // nothing longer was ever stored

// Whose things have a publisher's id for a name, also those that are only linked to.
constexpr std::array<std::string_view, 12> kPrefixes{
    "v2e::nvd::cve::",      "v2e::mitre::cwe::",      "v2e::mitre::capec::",     "v2e::mitre::attack::",
    "v2e::nist::ssg::",     "v2e::owasp::asvs::",     "v2e::nist::cce::",        "v2e::osv::advisory::",
    "v2e::nist::control::", "v2e::nist::guideline::", "v2e::debian::advisory::", "v2e::alpine::advisory::"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

std::string mapped(std::string_view text, char (*map)(char)) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), map);
  return out;
}

// The spellings in which publishers write their ids: an index finds them, and it knows one case only.
std::set<std::string> spellings(std::string_view text) {
  const auto dash = std::min(text.find('-'), text.size());
  return {std::string(text), mapped(text, upper), mapped(text, lower),
          mapped(text.substr(0, dash), upper) + mapped(text.substr(dash), lower)};
}

std::vector<NodeId> as_nodes(const std::vector<std::int64_t>& numbers) {
  std::vector<NodeId> nodes;
  for (const auto number : numbers) nodes.push_back(NodeId{number});
  return nodes;
}

Result<> add_nodes(store::Connection& db, std::string_view sql, const std::string& text, std::set<NodeId>& found) {
  auto rows = store::select<std::int64_t>(db, sql, store::read_count, text);
  if (!rows) return fail(std::move(rows.error()));
  for (const auto node : as_nodes(*rows)) found.insert(node);
  return {};
}

// The full-text index knows no case.
Result<> add_any_case(store::Connection& db, std::string_view text, std::set<NodeId>& found) {
  const auto phrase = name_phrase(text);
  if (!phrase) return {};
  const std::string wanted(text);
  auto rows = store::select<std::int64_t>(
      db, "SELECT rowid FROM search WHERE search MATCH ?1 AND name = ?2 COLLATE NOCASE LIMIT 100", store::read_count,
      *phrase, wanted);
  if (!rows) return fail(std::move(rows.error()));
  for (const auto node : as_nodes(*rows)) found.insert(node);
  return {};
}

Result<std::set<NodeId>> nodes_of(store::Connection& db, std::string_view text) {
  std::set<NodeId> found;
  if (text.starts_with("v2e::")) {
    if (auto added = add_nodes(db, "SELECT id FROM node WHERE urn = ?1", std::string(text), found); !added) {
      return fail(std::move(added.error()));
    }
    return found;
  }
  const auto all = spellings(text);
  for (const auto& one : all) {
    auto added = add_nodes(db, "SELECT node FROM record WHERE name = ?1 LIMIT 100", one, found);
    if (!added) return fail(std::move(added.error()));
  }
  if (!found.empty()) return found;
  if (auto added = add_any_case(db, text, found); !added) return fail(std::move(added.error()));
  if (!found.empty()) return found;
  for (const auto& one : all) {
    for (const auto prefix : kPrefixes) {
      auto added = add_nodes(db, "SELECT id FROM node WHERE urn = ?1", std::string(prefix) + one, found);
      if (!added) return fail(std::move(added.error()));
    }
  }
  return found;
}

// Names that begin as `text` does, for as long as possible.
Result<std::vector<std::string>> near(store::Connection& db, std::string_view text) {
  for (auto length = text.size(); length >= 3 && length * 2 >= text.size(); --length) {
    std::set<std::string> found;
    for (const auto& one : spellings(text.substr(0, length))) {
      const std::string end = one + "\xff";
      auto names = store::select<std::string>(
          db, "SELECT DISTINCT name FROM record WHERE name >= ?1 AND name < ?2 ORDER BY name LIMIT 5", store::read_text,
          one, end);
      if (!names) return fail(std::move(names.error()));
      found.insert(names->begin(), names->end());
    }
    if (found.empty()) continue;
    std::vector<std::string> all(found.begin(), found.end());
    std::ranges::sort(all, name_before);
    if (all.size() > kMostNear) all.resize(kMostNear);
    return all;
  }
  return std::vector<std::string>();
}

Result<std::vector<Named>> not_found(store::Connection& db, std::string_view text) {
  Error error(ErrorKind::kNotFound, fmt::format("the feeds know nothing of {}", text.substr(0, 200)));
  const auto some = store::count(db, "SELECT count(*) FROM (SELECT 1 FROM record LIMIT 1)");
  if (!some) return fail(some.error());
  if (*some == 0) return fail(std::move(error).with_hint("there is no data yet: `slipway feeds sync` loads it"));
  auto names = near(db, text.starts_with("v2e::") ? text.substr(text.rfind("::") + 2) : text);
  if (!names) return fail(std::move(names.error()));
  return fail(std::move(error).with_hint(names->empty()
                                             ? "`slipway feeds search WORDS` looks into titles and descriptions"
                                             : fmt::format("near to it: {}", fmt::join(*names, ", "))));
}

}  // namespace

bool name_before(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const auto number_at = [](std::string_view text, std::size_t& at) {
        while (at + 1 < text.size() && text[at] == '0' && is_digit(text[at + 1])) ++at;
        const auto begin = at;
        while (at < text.size() && is_digit(text[at])) ++at;
        return text.substr(begin, at - begin);
      };
      const auto left = number_at(a, i);
      const auto right = number_at(b, j);
      if (left.size() != right.size()) return left.size() < right.size();
      if (left != right) return left < right;
      continue;
    }
    if (a[i] != b[j]) return a[i] < b[j];
    ++i;
    ++j;
  }
  if (i < a.size() || j < b.size()) return i == a.size();
  return a < b;  // they differ in leading zeros only
}

Result<std::optional<Named>> named(store::Connection& db, NodeId node) {
  auto statement = db.statement(
      "SELECT n.urn, r.name, CASE WHEN r.title <> '' THEN r.title ELSE substr(r.description, 1, 200) END, r.standing, "
      "r.gone_since FROM node n LEFT JOIN record r ON r.node = n.id WHERE n.id = ?1");
  if (!statement) return fail(std::move(statement.error()));
  store::Statement& row = **statement;
  row.bind(1, raw(node));
  const store::ScopedReset done(row);
  const auto there = row.step();
  if (!there) return fail(there.error());
  if (!*there) return std::nullopt;
  Named found{.node = node, .urn = std::string(row.text(0))};
  if (const auto urn = Urn::parse(found.urn)) {
    found.kind = urn->kind();
    found.name = urn->id();
  }
  if (row.is_null(1)) return found;
  found.known = true;
  found.title = row.text(2);
  const auto standing = parse_standing(row.text(3));
  if (!standing) return fail(ErrorKind::kCorrupt, "{} has a standing {}, which is none", found.urn, row.text(3));
  found.standing = *standing;
  found.gone_since = store::optional_time(row, 4);
  return found;
}

Result<std::vector<Named>> named_all(store::Connection& db, const std::vector<NodeId>& nodes) {
  std::vector<Named> all;
  for (const auto node : nodes) {
    auto one = named(db, node);
    if (!one) return fail(std::move(one.error()));
    if (*one) all.push_back(std::move(**one));
  }
  std::ranges::sort(all, [](const Named& a, const Named& b) {
    if (a.is_live() != b.is_live()) return a.is_live();
    if (a.name != b.name) return name_before(a.name, b.name);
    return a.node < b.node;
  });
  return all;
}

Result<std::vector<Named>> find(store::Connection& db, std::string_view text) {
  if (text.empty()) return fail(ErrorKind::kInvalid, "no name is given: a URN or an id such as CVE-2021-44228 is one");
  if (text.size() > kLongestName) return fail(ErrorKind::kInvalid, "a name of {} bytes: none is so long", text.size());
  auto found = nodes_of(db, text);
  if (!found) return fail(std::move(found.error()));
  if (found->empty()) return not_found(db, text);
  return named_all(db, {found->begin(), found->end()});
}

}  // namespace slipway::feeds::lookup
