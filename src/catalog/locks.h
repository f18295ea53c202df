// Internal to catalog/: the table image_locks. Contracts: catalog/catalog.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalog/query.h"
#include "catalog/types.h"

namespace slipway::catalog::locks {

[[nodiscard]] Result<> acquire(store::Connection& db, const std::string& image_id, const std::string& holder,
                               TimePoint now);
[[nodiscard]] Result<> take_over(store::Connection& db, const std::string& image_id, const std::string& dead,
                                 const std::string& holder, TimePoint now);
[[nodiscard]] Result<bool> release(store::Connection& db, const std::string& image_id, const std::string& holder);
[[nodiscard]] Result<std::optional<ImageLock>> find(store::Connection& db, const std::string& image_id);
// Taken before `before`, or all.
[[nodiscard]] Result<std::vector<ImageLock>> list(store::Connection& db, std::optional<TimePoint> before);
[[nodiscard]] Result<std::vector<ImageLock>> break_older(store::Connection& db, TimePoint before);
[[nodiscard]] Result<std::vector<ImageLock>> break_of(store::Connection& db, const std::string& holder);

[[nodiscard]] Result<ImageLock> read(const store::Statement& row, int column);  // image_id, locked_by, locked_at

}  // namespace slipway::catalog::locks
