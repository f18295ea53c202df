// Internal to feeds/: the tables provider, checkpoint, bad_record and macro. Within a transaction of the caller's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "feeds/feed_store.h"
#include "feeds/provider_row.h"
#include "store/pool.h"

namespace slipway::feeds::provider_table {

[[nodiscard]] Result<std::vector<ProviderRow>> list(store::Connection& db);
[[nodiscard]] Result<std::optional<ProviderRow>> find(store::Connection& db, const std::string& id);
[[nodiscard]] Result<> insert(store::Connection& db, const std::string& id, const std::string& type, TimePoint now);

[[nodiscard]] Result<> save_state(store::Connection& db, const ProviderRow& row, TimePoint now);
[[nodiscard]] Result<> begin_sync(store::Connection& db, const std::string& id, TimePoint now);
[[nodiscard]] Result<> add_counts(store::Connection& db, const std::string& id, std::int64_t processed,
                                  std::int64_t errors, TimePoint now);
[[nodiscard]] Result<> set_completed(store::Connection& db, const std::string& id, const std::string& source_tag,
                                     TimePoint now);

[[nodiscard]] Result<> put_checkpoint(store::Connection& db, const std::string& id, const Checkpoint& checkpoint);
[[nodiscard]] Result<> add_bad_record(store::Connection& db, const std::string& id, const BadRecord& bad,
                                      TimePoint now);

}  // namespace slipway::feeds::provider_table
