#include "feeds/feed_store.h"

#include <filesystem>
#include <utility>

#include "feeds/provider_table.h"
#include "feeds/record_writer.h"
#include "feeds/schema.h"
#include "store/pool.h"
#include "store/private_file.h"
#include "store/query.h"
#include "store/transaction.h"
#include "sys/directories.h"
#include "sys/fault.h"

namespace slipway::feeds {
namespace {

using store::Connection;
using store::Pool;

store::PoolOptions pool_options(const std::string& path) {
  return {.open = {.path = path,
                   .cache_kib = 32 * 1024,
                   .busy_timeout = std::chrono::seconds(30),
                   .temp_in_memory = true,
                   .application_id = kFeedsSchema.application_id},
          .most = 4,
          .most_idle = 2};
}

Result<MacroRow> read_macro(const store::Statement& row, int column) {
  const auto state = parse_macro_state(row.text(column));
  if (!state) return fail(ErrorKind::kCorrupt, "the macro machine is in a state {}, which is none", row.text(column));
  return MacroRow{.state = *state, .created_at = row.time(column + 1), .updated_at = row.time(column + 2)};
}

}  // namespace

FeedStore::FeedStore(std::unique_ptr<Pool> pool, sys::Clock& clock)
    : pool_(std::move(pool)), records_(std::make_unique<RecordWriter>()), clock_(clock) {}

FeedStore::~FeedStore() = default;

Result<std::unique_ptr<FeedStore>> FeedStore::open(const std::string& path, sys::Clock& clock) {
  if (auto made = sys::make_directories(std::filesystem::path(path).parent_path()); !made) {
    return made.error().during("open the feeds' database {}", path);
  }
  if (auto made = store::make_private_file(path); !made) return made.error().during("open the feeds' database");
  auto pool = std::make_unique<Pool>(pool_options(path), clock);
  {
    auto lease = pool->acquire(Pool::Use::kWrite);
    if (!lease) return lease.error().during("open the feeds' database {}", path);
    if (auto done = store::migrate((*lease)->db(), kFeedsSchema); !done) {
      return done.error().during("open the feeds' database {}", path);
    }
  }
  return std::unique_ptr<FeedStore>(new FeedStore(std::move(pool), clock));
}

// What has failed may have been learnt by `records_`.
template <class Work>
auto FeedStore::change(Work&& work) {
  using Answer = decltype(work(std::declval<Connection&>()));
  auto lease = pool_->acquire(Pool::Use::kWrite);
  if (!lease) return Answer(fail(std::move(lease.error())));
  auto transaction = store::Transaction::begin((*lease)->db());
  if (!transaction) return Answer(fail(std::move(transaction.error())));
  auto answer = std::forward<Work>(work)(**lease);
  Result<> committed;
  if (answer) {
    if (auto fault = fault::check("feeds.commit.before")) {
      committed = fail(std::move(*fault));
    } else {
      committed = transaction->commit();
      (void)fault::check("feeds.commit.after");
    }
  }
  if (!answer || !committed) records_->forget();
  if (!committed) return Answer(fail(std::move(committed.error())));
  return answer;
}

Result<ProviderRow> FeedStore::register_provider(const std::string& id, const std::string& type) {
  return change([&](Connection& db) -> Result<ProviderRow> {
    auto row = provider_table::find(db, id);
    if (!row) return fail(std::move(row.error()));
    if (*row && (*row)->type != type) {
      return fail(ErrorKind::kConflict, "provider {} is of type {} in the database, and of type {} by its settings", id,
                  (*row)->type, type);
    }
    if (*row) return std::move(**row);
    if (auto made = provider_table::insert(db, id, type, clock_.now()); !made) return fail(std::move(made.error()));
    row = provider_table::find(db, id);
    if (!row) return fail(std::move(row.error()));
    return std::move(**row);
  });
}

Result<std::vector<ProviderRow>> FeedStore::list_providers() {
  auto lease = pool_->acquire(Pool::Use::kRead);
  if (!lease) return fail(std::move(lease.error()));
  return provider_table::list(**lease);
}

Result<> FeedStore::save_state(const ProviderRow& row) {
  return change([&](Connection& db) { return provider_table::save_state(db, row, clock_.now()); });
}

Result<ProviderRow> FeedStore::begin_sync(const std::string& provider) {
  return change([&](Connection& db) -> Result<ProviderRow> {
    if (auto begun = provider_table::begin_sync(db, provider, clock_.now()); !begun) {
      return fail(std::move(begun.error()));
    }
    auto row = provider_table::find(db, provider);
    if (!row) return fail(std::move(row.error()));
    if (!*row) return fail(ErrorKind::kNotFound, "there is no provider {}", provider);
    return std::move(**row);
  });
}

Result<Written> FeedStore::write(const std::string& provider, const Batch& batch) {
  return change([&](Connection& db) -> Result<Written> {
    const TimePoint now = clock_.now();
    const auto row = provider_table::find(db, provider);
    if (!row) return fail(row.error());
    if (!*row) return fail(ErrorKind::kNotFound, "there is no provider {}", provider);
    Written written;
    for (const auto& record : batch.records) {
      const auto put = records_->put(db, provider, (*row)->generation, record, now);
      if (!put) return put.error().during("store {}", record.urn);
      if (*put == RecordWriter::Put::kRepeated) {
        written.repeated.push_back(record.urn.text());
        continue;
      }
      ++written.stored;
      if (*put != RecordWriter::Put::kSame) ++written.changed;
    }
    for (const auto& bad : batch.bad) {
      if (auto put = provider_table::add_bad_record(db, provider, bad, now); !put) return fail(std::move(put.error()));
    }
    auto counted =
        provider_table::add_counts(db, provider, written.stored, static_cast<std::int64_t>(batch.bad.size()), now);
    if (!counted) return fail(std::move(counted.error()));
    if (auto put = provider_table::put_checkpoint(db, provider, batch.checkpoint); !put) {
      return fail(std::move(put.error()));
    }
    if (auto done = records_->finish(db); !done) return fail(std::move(done.error()));
    return written;
  });
}

Result<> FeedStore::complete_sync(const ProviderRow& row, const std::string& source_tag, bool whole) {
  return change([&](Connection& db) -> Result<> {
    const TimePoint now = clock_.now();
    if (auto saved = provider_table::save_state(db, row, now); !saved) return saved;
    if (auto done = provider_table::set_completed(db, row.id, source_tag, now); !done) return done;
    if (!whole) return {};
    // What is there and could not be read is not gone; nor may anything be that has lost its name, too.
    const auto nameless = store::count(db,
                                       "SELECT count(*) FROM bad_record b WHERE b.provider = ?1 AND NOT EXISTS "
                                       "(SELECT 1 FROM record r WHERE r.name = b.name AND r.provider = ?1)",
                                       row.id);
    if (!nameless) return fail(nameless.error());
    if (*nameless > 0) return {};
    auto gone = store::change(db,
                              "UPDATE record SET gone_since = ?2 WHERE provider = ?1 AND gone_since IS NULL AND "
                              "generation < (SELECT generation FROM provider WHERE id = ?1) AND "
                              "name NOT IN (SELECT name FROM bad_record WHERE provider = ?1)",
                              row.id, now);
    if (!gone) return fail(std::move(gone.error()));
    return {};
  });
}

Result<> FeedStore::confirm_sync(const ProviderRow& row) {
  return change([&](Connection& db) -> Result<> {
    const TimePoint now = clock_.now();
    if (auto saved = provider_table::save_state(db, row, now); !saved) return saved;
    return provider_table::set_completed(db, row.id, row.source_tag, now);
  });
}

Result<MacroRow> FeedStore::macro() {
  return change([&](Connection& db) -> Result<MacroRow> {
    auto made = store::change(
        db, "INSERT OR IGNORE INTO macro (id, state, created_at, updated_at) VALUES (1, 'BOOTSTRAPPING', ?1, ?1)",
        clock_.now());
    if (!made) return fail(std::move(made.error()));
    auto row = store::select_one<MacroRow>(db, "SELECT state, created_at, updated_at FROM macro", read_macro);
    if (!row) return fail(std::move(row.error()));
    if (!*row) return fail(ErrorKind::kInternal, "the macro machine has no row");
    return **row;
  });
}

Result<> FeedStore::save_macro(MacroState state) {
  return change([&](Connection& db) -> Result<> {
    auto saved = store::change(db, "UPDATE macro SET state = ?1, updated_at = ?2", to_string(state), clock_.now());
    if (!saved) return fail(std::move(saved.error()));
    return {};
  });
}

}  // namespace slipway::feeds
