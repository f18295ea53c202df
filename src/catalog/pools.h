// Internal to catalog/: the table thin_pools. Contracts: catalog/catalog.h.
#pragma once

#include <optional>
#include <string>

#include "catalog/query.h"
#include "catalog/types.h"

namespace slipway::catalog::pools {

[[nodiscard]] Result<std::optional<ThinPool>> find(store::Connection& db, const std::string& name);
[[nodiscard]] Result<> store(store::Connection& db, const ThinPool& pool, TimePoint now);
[[nodiscard]] Result<PoolContent> content(store::Connection& db, const std::string& name);
[[nodiscard]] Result<> forget(store::Connection& db, const std::string& name, TimePoint now);

}  // namespace slipway::catalog::pools
