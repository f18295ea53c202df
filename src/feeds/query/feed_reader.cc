#include "feeds/query/feed_reader.h"

#include <utility>

#include "feeds/provider_table.h"
#include "feeds/query/chain.h"
#include "feeds/query/entry.h"
#include "feeds/query/lookup.h"
#include "feeds/query/path.h"
#include "feeds/query/search.h"
#include "feeds/query/snapshot.h"
#include "feeds/schema.h"
#include "store/pool.h"
#include "store/query.h"

namespace slipway::feeds {
namespace {

using store::Connection;
using store::Pool;

constexpr std::string_view kHowToLoad = "`slipway feeds sync` loads the feeds";

store::PoolOptions pool_options(const std::string& path) {
  return {.open = {.path = path,
                   .mode = store::OpenMode::kReadOnly,
                   .cache_kib = 8 * 1024,
                   .busy_timeout = std::chrono::seconds(5),
                   .temp_in_memory = true,
                   .mmap_bytes = std::int64_t{1} << 30,
                   .application_id = kFeedsSchema.application_id},
          .most = 8,
          .most_idle = 4};
}

// A file that was made, but not yet filled by its maker, is no database yet.
Result<> check_there(store::Database& db) {
  auto id = db.application_id();
  if (!id) return fail(std::move(id.error()));
  if (*id != 0) return store::check_schema(db, kFeedsSchema);
  return fail(ErrorKind::kNotFound, "{} is still empty", db.path());
}

Result<ProviderView> view_of(Connection& db, ProviderRow row, TimePoint now) {
  const auto all = store::count(db, "SELECT count(*) FROM record WHERE provider = ?1", row.id);
  if (!all) return fail(all.error());
  // What the last sync has seen is not gone: only the rest is looked at.
  const auto gone =
      store::count(db, "SELECT count(*) FROM record WHERE provider = ?1 AND generation < ?2 AND gone_since IS NOT NULL",
                   row.id, row.generation);
  if (!gone) return fail(gone.error());
  ProviderView view{.row = std::move(row), .live = *all - *gone, .gone = *gone};
  if (view.row.completed_at) view.age = std::max(Duration{0}, now - *view.row.completed_at);
  return view;
}

Result<MacroRow> read_macro(const store::Statement& row, int column) {
  const auto state = parse_macro_state(row.text(column));
  if (!state) return fail(ErrorKind::kCorrupt, "the macro machine is in a state {}, which is none", row.text(column));
  return MacroRow{.state = *state, .created_at = row.time(column + 1), .updated_at = row.time(column + 2)};
}

}  // namespace

FeedReader::FeedReader(std::unique_ptr<Pool> pool, sys::Clock& clock) : pool_(std::move(pool)), clock_(clock) {}

FeedReader::~FeedReader() = default;

Result<std::unique_ptr<FeedReader>> FeedReader::open(const std::string& path, sys::Clock& clock) {
  auto pool = std::make_unique<Pool>(pool_options(path), clock);
  Result<> good;
  if (auto lease = pool->acquire(Pool::Use::kRead)) {
    good = check_there((*lease)->db());
  } else {
    good = fail(std::move(lease.error()));
  }
  if (good) return std::unique_ptr<FeedReader>(new FeedReader(std::move(pool), clock));
  if (good.error().kind() == ErrorKind::kUnsupported) {
    return fail(Error(ErrorKind::kUnsupported, fmt::format("open the feeds' database: {}", good.error().message()))
                    .with_hint("`slipway feeds sync` brings one of an older version up to date"));
  }
  if (good.error().kind() != ErrorKind::kNotFound) return good.error().during("open the feeds' database {}", path);
  return fail(Error(ErrorKind::kNotFound, fmt::format("there is no feeds' database yet: {}", good.error().message()))
                  .with_hint(std::string(kHowToLoad)));
}

template <class Query>
auto FeedReader::read(std::string_view doing, const Query& query) {
  using Answer = decltype(query(std::declval<Connection&>()));
  auto lease = pool_->acquire(Pool::Use::kRead);
  if (!lease) return Answer(lease.error().during("{}", doing));
  const Snapshot snapshot((*lease)->db());
  if (!snapshot.begun()) return Answer(snapshot.begun().error().during("{}", doing));
  return Answer(query(**lease));
}

Result<std::vector<Named>> FeedReader::find(std::string_view text) {
  return read("find it in the feeds", [&](Connection& db) { return lookup::find(db, text); });
}

Result<Entry> FeedReader::entry(NodeId node) {
  return read("read a record of the feeds", [&](Connection& db) { return read_entry(db, node, kLinksShown); });
}

Result<ChainNode> FeedReader::chain(NodeId node, const ChainOptions& options) {
  return read("follow the links of the feeds", [&](Connection& db) { return read_chain(db, node, options); });
}

Result<std::vector<SearchHit>> FeedReader::search(std::string_view text, const SearchOptions& options) {
  return read("search the feeds", [&](Connection& db) { return search_records(db, text, options); });
}

Result<FoundPath> FeedReader::path(NodeId from, NodeId to, int most_steps) {
  return read("follow the links of the feeds", [&](Connection& db) { return find_path(db, from, to, most_steps); });
}

Result<AdvisoryReader> FeedReader::advisories() { return AdvisoryReader::open(*pool_); }

Result<std::vector<ProviderView>> FeedReader::providers() {
  return read("list the providers", [&](Connection& db) -> Result<std::vector<ProviderView>> {
    auto rows = provider_table::list(db);
    if (!rows) return fail(std::move(rows.error()));
    std::vector<ProviderView> views;
    for (auto& row : *rows) {
      auto view = view_of(db, std::move(row), clock_.now());
      if (!view) return fail(std::move(view.error()));
      views.push_back(std::move(*view));
    }
    return views;
  });
}

Result<std::optional<MacroRow>> FeedReader::macro() {
  return read("read the macro machine", [](Connection& db) {
    return store::select_one<MacroRow>(db, "SELECT state, created_at, updated_at FROM macro", read_macro);
  });
}

}  // namespace slipway::feeds
