#include "catalog/volumes.h"

#include <utility>

#include "catalog/images.h"
#include "catalog/reservations.h"
#include "catalog/snapshots.h"

namespace slipway::catalog::volumes {
namespace {

std::string select_volumes(std::string_view where) {
  return fmt::format("SELECT {} FROM unpacked_images v JOIN images i ON i.image_id = v.image_id {}", kColumns, where);
}

Result<> check(const NewVolume& volume) {
  if (auto sound = check_not_empty("pool", volume.pool); !sound) return sound;
  if (auto sound = check_not_empty("device name", volume.device_name); !sound) return sound;
  if (auto sound = check_checksum(volume.source_checksum); !sound) return sound;
  return check_device_id(volume.device_id);
}

// Snapshots need the volume that they stand on, as it is.
Result<> check_snapshots_allow(store::Connection& db, const NewVolume& next) {
  auto before = find(db, next.image_id);
  if (!before) return fail(std::move(before.error()));
  if (!*before) return {};
  const Volume& now = **before;
  const bool same = now.pool == next.pool && now.device_id == next.device_id && next.layout_verified &&
                    now.source_checksum == next.source_checksum;
  if (same) return {};
  auto standing = snapshots::of_image(db, next.image_id);
  if (!standing) return fail(std::move(standing.error()));
  if (standing->empty()) return {};
  return fail(Error(ErrorKind::kConflict, fmt::format("snapshot {} stands on the volume of image {}, device {}",
                                                      standing->front().name, next.image_id, now.device_id))
                  .with_hint("delete its snapshots first"));
}

Result<> check_name_free(store::Connection& db, const NewVolume& volume) {
  auto owner =
      select_one<std::string>(db, "SELECT image_id FROM unpacked_images WHERE device_name = ?1 AND image_id <> ?2",
                              read_text, volume.device_name, volume.image_id);
  if (!owner) return fail(std::move(owner.error()));
  if (!*owner) return {};
  return fail(ErrorKind::kConflict, "the device name {} is that of image {}", volume.device_name, **owner);
}

Result<> upsert(store::Connection& db, const NewVolume& volume, TimePoint now) {
  auto size = storable("a size", volume.size_bytes);
  if (!size) return fail(std::move(size.error()));
  auto device_size = storable("a size", volume.device_size);
  if (!device_size) return fail(std::move(device_size.error()));
  auto files = storable("a number of files", volume.file_count);
  if (!files) return fail(std::move(files.error()));
  const auto unpacked_at = volume.layout_verified ? std::optional(now) : std::nullopt;
  auto stored = change(
      db,
      "INSERT INTO unpacked_images (image_id, pool, device_id, device_name, device_path, size_bytes, file_count, "
      "layout_verified, source_checksum, created_at, unpacked_at, updated_at, device_size) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?10, ?12) "
      "ON CONFLICT (image_id) DO UPDATE SET pool = excluded.pool, device_id = excluded.device_id, "
      "device_name = excluded.device_name, device_path = excluded.device_path, size_bytes = excluded.size_bytes, "
      "file_count = excluded.file_count, layout_verified = excluded.layout_verified, "
      "source_checksum = excluded.source_checksum, unpacked_at = excluded.unpacked_at, "
      "updated_at = excluded.updated_at, device_size = excluded.device_size",
      volume.image_id, volume.pool, volume.device_id.value, volume.device_name, volume.device_path, *size, *files,
      volume.layout_verified ? 1 : 0, volume.source_checksum, now, unpacked_at, *device_size);
  if (!stored) return fail(std::move(stored.error()));
  return {};
}

}  // namespace

Result<Volume> read(const store::Statement& row, int column) {
  const auto text = [&](int at) { return std::string(row.text(column + at)); };
  return Volume{.image_id = text(0),
                .pool = text(1),
                .device_id = device_of(row, column + 2),
                .device_name = text(3),
                .device_path = text(4),
                .size_bytes = unsigned_of(row, column + 5),
                .file_count = unsigned_of(row, column + 6),
                .layout_verified = row.int64(column + 7) != 0,
                .source_checksum = text(8),
                .created_at = row.time(column + 9),
                .unpacked_at = optional_time(row, column + 10),
                .updated_at = row.time(column + 11),
                .device_size = unsigned_of(row, column + 12),
                .current = row.int64(column + 13) != 0};
}

Result<std::optional<Volume>> find(store::Connection& db, const std::string& image_id) {
  static const std::string sql = select_volumes("WHERE v.image_id = ?1");
  return select_one<Volume>(db, sql, read, image_id);
}

Result<std::optional<Volume>> find_by_device(store::Connection& db, const std::string& pool, DeviceId device_id) {
  static const std::string sql = select_volumes("WHERE v.pool = ?1 AND v.device_id = ?2");
  return select_one<Volume>(db, sql, read, pool, device_id.value);
}

Result<std::vector<Volume>> list(store::Connection& db) {
  static const std::string sql = select_volumes("ORDER BY v.id");
  return select<Volume>(db, sql, read);
}

Result<Volume> store(store::Connection& db, const NewVolume& volume, TimePoint now) {
  auto stored = check(volume);
  if (stored) {
    if (auto image = images::get_downloaded(db, volume.image_id); !image) return fail(std::move(image.error()));
    stored = check_snapshots_allow(db, volume);
  }
  if (stored) stored = check_name_free(db, volume);
  if (stored) {
    stored = reservations::hold(db, {.pool = volume.pool,
                                     .device_id = volume.device_id,
                                     .purpose = Purpose::kVolume,
                                     .image_id = volume.image_id,
                                     .snapshot_name = {},
                                     .reserved_at = now});
  }
  if (stored) stored = upsert(db, volume, now);
  if (!stored) return fail(std::move(stored.error()));
  auto found = find(db, volume.image_id);
  if (!found) return fail(std::move(found.error()));
  return std::move(**found);
}

Result<bool> remove(store::Connection& db, const std::string& image_id, DeviceFate device) {
  auto volume = find(db, image_id);
  if (!volume) return fail(std::move(volume.error()));
  if (!*volume) return false;
  auto standing = snapshots::of_image(db, image_id);
  if (!standing) return fail(std::move(standing.error()));
  if (!standing->empty()) {
    return fail(Error(ErrorKind::kConflict,
                      fmt::format("snapshot {} stands on the volume of image {}", standing->front().name, image_id))
                    .with_hint("delete its snapshots first"));
  }
  auto gone = change(db, "DELETE FROM unpacked_images WHERE image_id = ?1", image_id);
  if (!gone) return fail(std::move(gone.error()));
  if (device == DeviceFate::kMayRemain) {
    auto noted = reservations::mark_deleting(db, (*volume)->pool, (*volume)->device_id);
    if (!noted) return fail(std::move(noted.error()));
    return true;
  }
  auto freed = reservations::release(db, (*volume)->pool, (*volume)->device_id);
  if (!freed) return freed;
  return true;
}

Result<std::uint64_t> adopt_pool(store::Connection& db, const std::string& pool, TimePoint now) {
  if (auto sound = check_not_empty("pool", pool); !sound) return fail(std::move(sound.error()));
  auto taken =
      select_one<std::int64_t>(db,
                               "SELECT old.device_id FROM id_reservations old JOIN id_reservations new "
                               "ON new.pool = ?1 AND new.device_id = old.device_id WHERE old.pool = '' LIMIT 1",
                               read_count, pool);
  if (!taken) return fail(std::move(taken.error()));
  if (*taken) {
    return fail(ErrorKind::kConflict, "pool {} has given out device {}, which a volume from before pools has, too",
                pool, **taken);
  }
  // Snapshots follow their origin.
  auto adopted = change(db, "UPDATE unpacked_images SET pool = ?1, updated_at = ?2 WHERE pool = ''", pool, now);
  if (!adopted) return fail(std::move(adopted.error()));
  auto ids = change(db, "UPDATE id_reservations SET pool = ?1 WHERE pool = ''", pool);
  if (!ids) return fail(std::move(ids.error()));
  return static_cast<std::uint64_t>(*adopted);
}

}  // namespace slipway::catalog::volumes
