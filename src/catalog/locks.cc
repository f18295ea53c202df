#include "catalog/locks.h"

#include <chrono>
#include <utility>

#include "catalog/identity.h"

namespace slipway::catalog::locks {
namespace {

std::int64_t seconds(TimePoint at) { return std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count(); }

std::unexpected<Error> held_by(const ImageLock& lock) {
  return fail(Error(ErrorKind::kConflict, fmt::format("image {} is locked by {} since {}", lock.image_id, lock.holder,
                                                      to_iso8601(lock.since)))
                  .with_hint("wait for it; `slipway doctor` finds locks whose holder is gone"));
}

}  // namespace

Result<ImageLock> read(const store::Statement& row, int column) {
  return ImageLock{.image_id = std::string(row.text(column)),
                   .holder = std::string(row.text(column + 1)),
                   .since = TimePoint(std::chrono::seconds(row.int64(column + 2)))};
}

Result<> acquire(store::Connection& db, const std::string& image_id, const std::string& holder, TimePoint now) {
  if (auto sound = check_image_id(image_id); !sound) return sound;
  if (auto sound = check_not_empty("lock's holder", holder); !sound) return sound;
  auto taken = change(db,
                      "INSERT INTO image_locks (image_id, locked_at, locked_by) VALUES (?1, ?2, ?3) "
                      "ON CONFLICT (image_id) DO UPDATE SET locked_at = excluded.locked_at "
                      "WHERE locked_by = excluded.locked_by",
                      image_id, seconds(now), holder);
  if (!taken) return fail(std::move(taken.error()));
  if (*taken == 1) return {};
  auto lock = find(db, image_id);
  if (!lock) return fail(std::move(lock.error()));
  if (!*lock) return fail(ErrorKind::kInternal, "the lock of image {} was refused, but nobody holds it", image_id);
  return held_by(**lock);
}

Result<> take_over(store::Connection& db, const std::string& image_id, const std::string& dead,
                   const std::string& holder, TimePoint now) {
  if (auto sound = check_not_empty("lock's holder", holder); !sound) return sound;
  auto taken =
      change(db, "UPDATE image_locks SET locked_by = ?3, locked_at = ?4 WHERE image_id = ?1 AND locked_by = ?2",
             image_id, dead, holder, seconds(now));
  if (!taken) return fail(std::move(taken.error()));
  if (*taken == 1) return {};
  auto lock = find(db, image_id);
  if (!lock) return fail(std::move(lock.error()));
  if (*lock) return held_by(**lock);
  return fail(ErrorKind::kConflict, "image {} is not locked by {} any more, nor by anybody", image_id, dead);
}

Result<bool> release(store::Connection& db, const std::string& image_id, const std::string& holder) {
  auto gone = change(db, "DELETE FROM image_locks WHERE image_id = ?1 AND locked_by = ?2", image_id, holder);
  if (!gone) return fail(std::move(gone.error()));
  return *gone == 1;
}

Result<std::optional<ImageLock>> find(store::Connection& db, const std::string& image_id) {
  return select_one<ImageLock>(db, "SELECT image_id, locked_by, locked_at FROM image_locks WHERE image_id = ?1", read,
                               image_id);
}

Result<std::vector<ImageLock>> list(store::Connection& db, std::optional<TimePoint> before) {
  if (!before) {
    return select<ImageLock>(db, "SELECT image_id, locked_by, locked_at FROM image_locks ORDER BY locked_at", read);
  }
  return select<ImageLock>(
      db, "SELECT image_id, locked_by, locked_at FROM image_locks WHERE locked_at < ?1 ORDER BY locked_at", read,
      seconds(*before));
}

Result<std::vector<ImageLock>> break_older(store::Connection& db, TimePoint before) {
  return select<ImageLock>(db, "DELETE FROM image_locks WHERE locked_at < ?1 RETURNING image_id, locked_by, locked_at",
                           read, seconds(before));
}

Result<std::vector<ImageLock>> break_of(store::Connection& db, const std::string& holder) {
  return select<ImageLock>(db, "DELETE FROM image_locks WHERE locked_by = ?1 RETURNING image_id, locked_by, locked_at",
                           read, holder);
}

}  // namespace slipway::catalog::locks
