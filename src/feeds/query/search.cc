#include "feeds/query/search.h"

#include <utility>

#include "feeds/query/lookup.h"
#include "feeds/query/match_expression.h"
#include "store/query.h"

namespace slipway::feeds {
namespace {

// Of records that hold the marks themselves, marks without a partner would come.
std::string well_marked(std::string_view text) {
  std::string out;
  bool open = false;
  for (const char c : text) {
    const bool mark = c == SearchHit::kMarkBegin || c == SearchHit::kMarkEnd;
    if (mark && (c == SearchHit::kMarkBegin) == open) continue;
    if (mark) open = !open;
    out += c;
  }
  if (open) out += SearchHit::kMarkEnd;
  return out;
}

Result<std::string> snippet_of(store::Connection& db, const std::string& expression, NodeId node) {
  auto text = store::select_one<std::string>(
      db, "SELECT snippet(search, -1, char(2), char(3), '...', 24) FROM search WHERE search MATCH ?1 AND rowid = ?2",
      store::read_text, expression, lookup::raw(node));
  if (!text) return fail(std::move(text.error()));
  return well_marked(text->value_or(""));
}

// The hits from best to worst, as they are wanted: FTS5 ranks all that match, but only those that are looked at are
// read from the table of records.
class Ranking {
 public:
  Ranking(store::Connection& db, const SearchOptions& options) : db_(db), options_(options) {}

  Result<std::vector<SearchHit>> run(const std::string& expression) {
    auto statement = db_.statement(
        "SELECT rowid, rank FROM search WHERE search MATCH ?1 AND rank MATCH 'bm25(10.0, 5.0, 1.0)' ORDER BY rank");
    if (!statement) return fail(std::move(statement.error()));
    store::Statement& rows = **statement;
    rows.bind(1, std::string_view(expression));
    const store::ScopedReset done(rows);
    while (live_.size() < wanted()) {
      const auto more = rows.step();
      if (!more) return fail(more.error());
      if (!*more) break;
      if (auto taken = take(NodeId{rows.int64(0)}, rows.real(1)); !taken) return fail(std::move(taken.error()));
    }
    return page();
  }

 private:
  [[nodiscard]] std::size_t wanted() const { return options_.offset + options_.limit; }

  Result<> take(NodeId node, double rank) {
    auto what = lookup::named(db_, node);
    if (!what) return fail(std::move(what.error()));
    if (!*what || !(*what)->known || (options_.kind && (*what)->kind != *options_.kind)) return {};
    auto& list = (*what)->is_live() ? live_ : others_;
    if (list.size() < wanted()) list.push_back({.what = std::move(**what), .rank = rank});
    return {};
  }

  std::vector<SearchHit> page() {
    std::vector<SearchHit> all = std::move(live_);
    for (auto& other : others_) all.push_back(std::move(other));
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(options_.offset, all.size())));
    if (all.size() > options_.limit) all.resize(options_.limit);
    return all;
  }

  store::Connection& db_;
  const SearchOptions& options_;
  std::vector<SearchHit> live_;
  std::vector<SearchHit> others_;
};

}  // namespace

Result<std::vector<SearchHit>> search_records(store::Connection& db, std::string_view text,
                                              const SearchOptions& options) {
  const auto expression = match_expression(text);
  if (!expression) return fail(expression.error());
  auto hits = Ranking(db, options).run(*expression);
  if (!hits) return hits;
  for (auto& hit : *hits) {
    auto snippet = snippet_of(db, *expression, hit.what.node);
    if (!snippet) return fail(std::move(snippet.error()));
    hit.snippet = std::move(*snippet);
  }
  return hits;
}

}  // namespace slipway::feeds
