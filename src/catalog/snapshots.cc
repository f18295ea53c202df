#include "catalog/snapshots.h"

#include <utility>

#include "catalog/identity.h"
#include "catalog/images.h"
#include "catalog/reservations.h"
#include "catalog/volumes.h"

namespace slipway::catalog::snapshots {
namespace {

std::string select_snapshots(std::string_view where) {
  return fmt::format("SELECT {} FROM snapshots n WHERE {}", kColumns, where);
}

Result<> check(const NewSnapshot& snapshot) {
  if (auto sound = check_snapshot_name(snapshot.name); !sound) return sound;
  if (auto sound = check_not_empty("pool", snapshot.pool); !sound) return sound;
  if (auto sound = check_device_id(snapshot.snapshot_id); !sound) return sound;
  return check_device_id(snapshot.origin);
}

Result<> check_origin(store::Connection& db, const NewSnapshot& snapshot) {
  if (auto image = images::get(db, snapshot.image_id); !image) return fail(std::move(image.error()));
  auto volume = volumes::find(db, snapshot.image_id);
  if (!volume) return fail(std::move(volume.error()));
  if (!*volume || !(*volume)->layout_verified) {
    return fail(Error(ErrorKind::kConflict, fmt::format("image {} has no volume with a verified layout, which snapshot "
                                                        "{} could stand on",
                                                        snapshot.image_id, snapshot.name))
                    .with_hint("unpack it first"));
  }
  if ((*volume)->pool == snapshot.pool && (*volume)->device_id == snapshot.origin) return {};
  return fail(ErrorKind::kConflict, "the volume of image {} is device {} of pool {}, not device {} of pool {}",
              snapshot.image_id, (*volume)->device_id, (*volume)->pool, snapshot.origin, snapshot.pool);
}

Result<> check_not_another(store::Connection& db, const NewSnapshot& snapshot) {
  auto before = find(db, snapshot.name);
  if (!before) return fail(std::move(before.error()));
  if (!*before) return {};
  const Snapshot& now = **before;
  if (now.image_id != snapshot.image_id) {
    return fail(Error(ErrorKind::kConflict, fmt::format("snapshot {} is one of image {}", now.name, now.image_id))
                    .with_hint("choose another name"));
  }
  if (now.active && (now.pool != snapshot.pool || now.snapshot_id != snapshot.snapshot_id)) {
    return fail(ErrorKind::kConflict, "snapshot {} is active as device {} of pool {}, not as device {} of pool {}",
                now.name, now.snapshot_id, now.pool, snapshot.snapshot_id, snapshot.pool);
  }
  return {};
}

Result<> upsert(store::Connection& db, const NewSnapshot& snapshot, TimePoint now) {
  auto stored = change(
      db,
      "INSERT INTO snapshots (image_id, pool, snapshot_id, snapshot_name, device_path, origin_device_id, active, "
      "created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7, ?7) "
      "ON CONFLICT (snapshot_name) DO UPDATE SET pool = excluded.pool, snapshot_id = excluded.snapshot_id, "
      "device_path = excluded.device_path, origin_device_id = excluded.origin_device_id, active = 1, "
      "deactivated_at = NULL, updated_at = excluded.updated_at",
      snapshot.image_id, snapshot.pool, snapshot.snapshot_id.value, snapshot.name, snapshot.device_path,
      snapshot.origin.value, now);
  if (!stored) return fail(std::move(stored.error()));
  return {};
}

}  // namespace

Result<Snapshot> read(const store::Statement& row, int column) {
  const auto text = [&](int at) { return std::string(row.text(column + at)); };
  return Snapshot{.image_id = text(0),
                  .pool = text(1),
                  .snapshot_id = device_of(row, column + 2),
                  .name = text(3),
                  .device_path = text(4),
                  .origin = device_of(row, column + 5),
                  .active = row.int64(column + 6) != 0,
                  .created_at = row.time(column + 7),
                  .deactivated_at = optional_time(row, column + 8),
                  .updated_at = row.time(column + 9)};
}

Result<std::optional<Snapshot>> find(store::Connection& db, const std::string& name) {
  static const std::string sql = select_snapshots("n.snapshot_name = ?1");
  return select_one<Snapshot>(db, sql, read, name);
}

Result<std::optional<Snapshot>> find_by_device(store::Connection& db, const std::string& pool, DeviceId snapshot_id) {
  static const std::string sql = select_snapshots("n.pool = ?1 AND n.snapshot_id = ?2");
  return select_one<Snapshot>(db, sql, read, pool, snapshot_id.value);
}

Result<std::vector<Snapshot>> of_image(store::Connection& db, const std::string& image_id) {
  static const std::string sql = select_snapshots("n.image_id = ?1 ORDER BY n.snapshot_name");
  return select<Snapshot>(db, sql, read, image_id);
}

Result<std::vector<Snapshot>> list_active(store::Connection& db) {
  static const std::string sql = select_snapshots("n.active = 1 ORDER BY n.id");
  return select<Snapshot>(db, sql, read);
}

Result<std::vector<Snapshot>> list(store::Connection& db) {
  static const std::string sql = select_snapshots("true ORDER BY n.id");
  return select<Snapshot>(db, sql, read);
}

Result<std::int64_t> count_active(store::Connection& db, const std::string& image_id) {
  return count(db, "SELECT count(*) FROM snapshots WHERE image_id = ?1 AND active = 1", image_id);
}

Result<Snapshot> add(store::Connection& db, const NewSnapshot& snapshot, TimePoint now) {
  auto stored = check(snapshot);
  if (stored) stored = check_origin(db, snapshot);
  if (stored) stored = check_not_another(db, snapshot);
  if (stored) {
    stored = reservations::hold(db, {.pool = snapshot.pool,
                                     .device_id = snapshot.snapshot_id,
                                     .purpose = Purpose::kSnapshot,
                                     .image_id = snapshot.image_id,
                                     .snapshot_name = snapshot.name,
                                     .reserved_at = now});
  }
  if (stored) stored = upsert(db, snapshot, now);
  if (stored) stored = images::follow_snapshots(db, snapshot.image_id, now);
  if (!stored) return fail(std::move(stored.error()));
  auto found = find(db, snapshot.name);
  if (!found) return fail(std::move(found.error()));
  return std::move(**found);
}

Result<bool> deactivate(store::Connection& db, const std::string& name, TimePoint now) {
  auto snapshot = find(db, name);
  if (!snapshot) return fail(std::move(snapshot.error()));
  if (!*snapshot || !(*snapshot)->active) return false;
  auto changed = change(
      db, "UPDATE snapshots SET active = 0, deactivated_at = ?2, updated_at = ?2 WHERE snapshot_name = ?1", name, now);
  if (!changed) return fail(std::move(changed.error()));
  if (auto followed = images::follow_snapshots(db, (*snapshot)->image_id, now); !followed) {
    return fail(std::move(followed.error()));
  }
  return true;
}

Result<bool> remove(store::Connection& db, const std::string& name, DeviceFate device, TimePoint now) {
  auto snapshot = find(db, name);
  if (!snapshot) return fail(std::move(snapshot.error()));
  if (!*snapshot) return false;
  auto gone = change(db, "DELETE FROM snapshots WHERE snapshot_name = ?1", name);
  if (!gone) return fail(std::move(gone.error()));
  if (device == DeviceFate::kGone) {
    auto freed = reservations::release(db, (*snapshot)->pool, (*snapshot)->snapshot_id);
    if (!freed) return freed;
  } else if (auto noted = reservations::mark_deleting(db, (*snapshot)->pool, (*snapshot)->snapshot_id); !noted) {
    return fail(std::move(noted.error()));
  }
  if (auto followed = images::follow_snapshots(db, (*snapshot)->image_id, now); !followed) {
    return fail(std::move(followed.error()));
  }
  return true;
}

}  // namespace slipway::catalog::snapshots
