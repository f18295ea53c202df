// Internal to catalog/: the table unpacked_images. Contracts: catalog/catalog.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/query.h"
#include "catalog/types.h"

namespace slipway::catalog::volumes {

// The columns of table v beside its image i, in read()'s order.
inline constexpr std::string_view kColumns =
    "v.image_id, v.pool, v.device_id, v.device_name, v.device_path, v.size_bytes, v.file_count, v.layout_verified, "
    "v.source_checksum, v.created_at, v.unpacked_at, v.updated_at, v.device_size, "
    "v.source_checksum = i.checksum";
inline constexpr int kColumnCount = 14;

[[nodiscard]] Result<Volume> read(const store::Statement& row, int column);

[[nodiscard]] Result<std::optional<Volume>> find(store::Connection& db, const std::string& image_id);
[[nodiscard]] Result<std::optional<Volume>> find_by_device(store::Connection& db, const std::string& pool,
                                                           DeviceId device_id);
[[nodiscard]] Result<std::vector<Volume>> list(store::Connection& db);

[[nodiscard]] Result<Volume> store(store::Connection& db, const NewVolume& volume, TimePoint now);
[[nodiscard]] Result<bool> remove(store::Connection& db, const std::string& image_id, DeviceFate device);
[[nodiscard]] Result<std::uint64_t> adopt_pool(store::Connection& db, const std::string& pool, TimePoint now);

}  // namespace slipway::catalog::volumes
