#include "catalog/pools.h"

#include <utility>

#include "catalog/snapshots.h"
#include "catalog/volumes.h"

namespace slipway::catalog::pools {
namespace {

Result<ThinPool> read(const store::Statement& row, int column) {
  return ThinPool{.name = std::string(row.text(column)),
                  .data_path = std::string(row.text(column + 1)),
                  .metadata_path = std::string(row.text(column + 2)),
                  .transaction_id = static_cast<std::uint64_t>(row.int64(column + 3))};
}

}  // namespace

Result<std::optional<ThinPool>> find(store::Connection& db, const std::string& name) {
  return select_one<ThinPool>(
      db, "SELECT name, data_path, metadata_path, transaction_id FROM thin_pools WHERE name = ?1", read, name);
}

Result<> store(store::Connection& db, const ThinPool& pool, TimePoint now) {
  if (auto sound = check_not_empty("pool", pool.name); !sound) return sound;
  auto stored =
      change(db,
             "INSERT INTO thin_pools (name, data_path, metadata_path, transaction_id, created_at) "
             "VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (name) DO UPDATE SET data_path = excluded.data_path, "
             "metadata_path = excluded.metadata_path, transaction_id = excluded.transaction_id",
             pool.name, pool.data_path, pool.metadata_path, static_cast<std::int64_t>(pool.transaction_id), now);
  if (!stored) return fail(std::move(stored.error()));
  return {};
}

Result<PoolContent> content(store::Connection& db, const std::string& name) {
  auto volumes = count(db, "SELECT count(*) FROM unpacked_images WHERE pool = ?1", name);
  if (!volumes) return fail(std::move(volumes.error()));
  auto snapshots = count(db, "SELECT count(*) FROM snapshots WHERE pool = ?1", name);
  if (!snapshots) return fail(std::move(snapshots.error()));
  auto active = count(db, "SELECT count(*) FROM snapshots WHERE pool = ?1 AND active = 1", name);
  if (!active) return fail(std::move(active.error()));
  return PoolContent{.volumes = static_cast<std::uint64_t>(*volumes),
                     .snapshots = static_cast<std::uint64_t>(*snapshots),
                     .active_snapshots = static_cast<std::uint64_t>(*active)};
}

Result<> forget(store::Connection& db, const std::string& name, TimePoint now) {
  auto stored = snapshots::list(db);
  if (!stored) return fail(std::move(stored.error()));
  for (const auto& snapshot : *stored) {
    if (snapshot.pool != name) continue;
    if (auto gone = snapshots::remove(db, snapshot.name, DeviceFate::kGone, now); !gone) return fail(gone.error());
  }
  auto unpacked = volumes::list(db);
  if (!unpacked) return fail(std::move(unpacked.error()));
  for (const auto& volume : *unpacked) {
    if (volume.pool != name) continue;
    if (auto gone = volumes::remove(db, volume.image_id, DeviceFate::kGone); !gone) return fail(gone.error());
  }
  auto ids = change(db, "DELETE FROM id_reservations WHERE pool = ?1", name);
  if (!ids) return fail(std::move(ids.error()));
  auto gone = change(db, "DELETE FROM thin_pools WHERE name = ?1", name);
  if (!gone) return fail(std::move(gone.error()));
  return {};
}

}  // namespace slipway::catalog::pools
