// Internal to catalog/: the table snapshots. Contracts: catalog/catalog.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/query.h"
#include "catalog/types.h"

namespace slipway::catalog::snapshots {

// The columns of table n, in read()'s order.
inline constexpr std::string_view kColumns =
    "n.image_id, n.pool, n.snapshot_id, n.snapshot_name, n.device_path, n.origin_device_id, n.active, n.created_at, "
    "n.deactivated_at, n.updated_at";
inline constexpr int kColumnCount = 10;

[[nodiscard]] Result<Snapshot> read(const store::Statement& row, int column);

[[nodiscard]] Result<std::optional<Snapshot>> find(store::Connection& db, const std::string& name);
[[nodiscard]] Result<std::optional<Snapshot>> find_by_device(store::Connection& db, const std::string& pool,
                                                             DeviceId snapshot_id);
[[nodiscard]] Result<std::vector<Snapshot>> of_image(store::Connection& db, const std::string& image_id);  // by name
[[nodiscard]] Result<std::vector<Snapshot>> list_active(store::Connection& db);
[[nodiscard]] Result<std::vector<Snapshot>> list(store::Connection& db);
[[nodiscard]] Result<std::int64_t> count_active(store::Connection& db, const std::string& image_id);

[[nodiscard]] Result<Snapshot> add(store::Connection& db, const NewSnapshot& snapshot, TimePoint now);
[[nodiscard]] Result<bool> deactivate(store::Connection& db, const std::string& name, TimePoint now);
[[nodiscard]] Result<bool> remove(store::Connection& db, const std::string& name, DeviceFate device, TimePoint now);

}  // namespace slipway::catalog::snapshots
