#include "catalog/reservations.h"

#include <optional>
#include <utility>

#include "catalog/identity.h"
#include "catalog/images.h"

namespace slipway::catalog::reservations {
namespace {

constexpr std::string_view kColumns = "pool, device_id, purpose, image_id, snapshot_name, reserved_at, state, note";

std::string select_reservations(std::string_view rest) {
  return fmt::format("SELECT {} FROM id_reservations {}", kColumns, rest);
}

Result<Reservation> read(const store::Statement& row, int column) {
  auto purpose = known(parse_purpose(row.text(column + 2)), "purpose", row.text(column + 2));
  if (!purpose) return fail(std::move(purpose.error()));
  auto state = known(parse_id_state(row.text(column + 6)), "state", row.text(column + 6));
  if (!state) return fail(std::move(state.error()));
  return Reservation{.pool = std::string(row.text(column)),
                     .device_id = device_of(row, column + 1),
                     .purpose = *purpose,
                     .image_id = std::string(row.text(column + 3)),
                     .snapshot_name = std::string(row.text(column + 4)),
                     .state = *state,
                     .note = std::string(row.text(column + 7)),
                     .reserved_at = row.time(column + 5)};
}

Result<std::optional<Reservation>> find(store::Connection& db, const std::string& pool, DeviceId id) {
  static const std::string sql = select_reservations("WHERE pool = ?1 AND device_id = ?2");
  return select_one<Reservation>(db, sql, read, pool, id.value);
}

Result<std::optional<Reservation>> find_thing(store::Connection& db, const std::string& pool, Purpose purpose,
                                              const std::string& image_id, const std::string& snapshot_name) {
  static const std::string sql = select_reservations(
      "WHERE image_id = ?1 AND purpose = ?2 AND snapshot_name = ?3 AND pool = ?4 AND state <> 'deleting'");
  return select_one<Reservation>(db, sql, read, image_id, to_string(purpose), snapshot_name, pool);
}

std::string thing(const Reservation& reservation) {
  if (reservation.purpose == Purpose::kVolume) return fmt::format("the volume of image {}", reservation.image_id);
  return fmt::format("snapshot {} of image {}", reservation.snapshot_name, reservation.image_id);
}

// The first id that the pool has free in [from, to].
Result<std::optional<DeviceId>> first_gap(store::Connection& db, const std::string& pool, DeviceId from, DeviceId to) {
  auto taken = find(db, pool, from);
  if (!taken) return fail(std::move(taken.error()));
  if (!*taken) return from;
  // The end of the row of ids that begins at `from`.
  auto last = select_one<std::int64_t>(
      db,
      "SELECT r.device_id FROM id_reservations r WHERE r.pool = ?1 AND r.device_id >= ?2 AND NOT EXISTS "
      "(SELECT 1 FROM id_reservations n WHERE n.pool = r.pool AND n.device_id = r.device_id + 1) "
      "ORDER BY r.device_id LIMIT 1",
      read_count, pool, from.value);
  if (!last) return fail(std::move(last.error()));
  const auto next = static_cast<std::uint32_t>(last->value_or(DeviceId::kGreatest)) + 1;
  if (next > to.value) return std::nullopt;
  return DeviceId{next};
}

// The same, leaving out the ids of things from before pools were recorded: they may be in any.
Result<std::optional<DeviceId>> first_free(store::Connection& db, const std::string& pool, DeviceId from, DeviceId to) {
  while (from <= to) {
    auto gap = first_gap(db, pool, from, to);
    if (!gap || !*gap) return gap;
    auto old = find(db, "", **gap);
    if (!old) return fail(std::move(old.error()));
    if (!*old) return gap;
    from = DeviceId{(*gap)->value + 1};
  }
  return std::nullopt;
}

Result<DeviceId> first_free_around(store::Connection& db, const std::string& pool, DeviceId start, DeviceId greatest) {
  auto free = first_free(db, pool, start, greatest);
  if (free && !*free && start.value > 1) free = first_free(db, pool, {1}, {start.value - 1});
  if (!free) return fail(std::move(free.error()));
  if (*free) return **free;
  return fail(Error(ErrorKind::kNoSpace, fmt::format("all {} device ids of pool {} are taken", greatest, pool))
                  .with_hint("remove images that are not needed any more"));
}

Result<> insert(store::Connection& db, const Reservation& reservation) {
  auto stored =
      change(db,
             "INSERT INTO id_reservations (pool, device_id, purpose, image_id, snapshot_name, reserved_at, "
             "state) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
             reservation.pool, reservation.device_id.value, to_string(reservation.purpose), reservation.image_id,
             reservation.snapshot_name, reservation.reserved_at, to_string(reservation.state));
  if (!stored) return fail(std::move(stored.error()));
  return {};
}

Result<> set_state(store::Connection& db, const std::string& pool, DeviceId id, IdState state) {
  auto changed = change(db, "UPDATE id_reservations SET state = ?3 WHERE pool = ?1 AND device_id = ?2", pool, id.value,
                        to_string(state));
  if (!changed) return fail(std::move(changed.error()));
  return {};
}

Result<> check(const ReserveRequest& request) {
  if (auto sound = check_not_empty("pool", request.pool); !sound) return sound;
  if (auto sound = check_device_id(request.start); !sound) return sound;
  if (request.purpose == Purpose::kSnapshot) return check_snapshot_name(request.snapshot_name);
  if (request.snapshot_name.empty()) return {};
  return fail(ErrorKind::kInvalid, "a volume has no snapshot name, and \"{}\" was given", request.snapshot_name);
}

// What holds the id, for people; none when nothing does.
Result<std::optional<std::string>> holder(store::Connection& db, const std::string& pool, DeviceId id) {
  return select_one<std::string>(
      db,
      "SELECT 'the volume of image ' || image_id FROM unpacked_images WHERE pool = ?1 AND device_id = ?2 "
      "UNION ALL SELECT 'snapshot ' || snapshot_name FROM snapshots WHERE pool = ?1 AND snapshot_id = ?2",
      read_text, pool, id.value);
}

}  // namespace

Result<Reservation> reserve(store::Connection& db, const ReserveRequest& request, TimePoint now, DeviceId greatest) {
  if (auto sound = check(request); !sound) return fail(std::move(sound.error()));
  if (auto image = images::get(db, request.image_id); !image) return fail(std::move(image.error()));
  auto before = find_thing(db, request.pool, request.purpose, request.image_id, request.snapshot_name);
  if (!before) return fail(std::move(before.error()));
  if (*before) return std::move(**before);
  auto id = first_free_around(db, request.pool, request.start, greatest);
  if (!id) return fail(std::move(id.error()));
  Reservation made{.pool = request.pool,
                   .device_id = *id,
                   .purpose = request.purpose,
                   .image_id = request.image_id,
                   .snapshot_name = request.snapshot_name,
                   .reserved_at = now};
  if (auto stored = insert(db, made); !stored) return fail(std::move(stored.error()));
  return made;
}

Result<Reservation> reserve_next(store::Connection& db, const Reservation& collided, TimePoint now) {
  auto stored = find(db, collided.pool, collided.device_id);
  if (!stored) return fail(std::move(stored.error()));
  const bool same = *stored && (*stored)->purpose == collided.purpose && (*stored)->image_id == collided.image_id &&
                    (*stored)->snapshot_name == collided.snapshot_name && (*stored)->state != IdState::kDeleting;
  if (!same) {
    return fail(ErrorKind::kConflict, "device {} of pool {} is not reserved for {}", collided.device_id, collided.pool,
                thing(collided));
  }
  auto freed = release(db, collided.pool, collided.device_id);
  if (!freed) return fail(std::move(freed.error()));
  const std::uint32_t next = collided.device_id.value % DeviceId::kGreatest + 1;
  auto id = first_free_around(db, collided.pool, {next}, {DeviceId::kGreatest});
  if (!id) return fail(std::move(id.error()));
  Reservation made = collided;
  made.device_id = *id;
  made.state = IdState::kReserved;
  made.reserved_at = now;
  if (auto inserted = insert(db, made); !inserted) return fail(std::move(inserted.error()));
  return made;
}

Result<bool> release(store::Connection& db, const std::string& pool, DeviceId device_id) {
  auto held = holder(db, pool, device_id);
  if (!held) return fail(std::move(held.error()));
  if (*held) {
    return fail(ErrorKind::kConflict, "device {} of pool {} belongs to {}", device_id, pool, **held);
  }
  auto gone = change(db, "DELETE FROM id_reservations WHERE pool = ?1 AND device_id = ?2", pool, device_id.value);
  if (!gone) return fail(std::move(gone.error()));
  return *gone == 1;
}

Result<> hold(store::Connection& db, const Reservation& wanted) {
  auto by_id = find(db, wanted.pool, wanted.device_id);
  if (!by_id) return fail(std::move(by_id.error()));
  if (*by_id && thing(**by_id) != thing(wanted)) {
    return fail(ErrorKind::kConflict, "device {} of pool {} is reserved for {}, not for {}", wanted.device_id,
                wanted.pool, thing(**by_id), thing(wanted));
  }
  if (*by_id && (*by_id)->state == IdState::kDeleting) {
    return fail(ErrorKind::kConflict, "device {} of pool {} is to be deleted", wanted.device_id, wanted.pool);
  }
  if (*by_id) return set_state(db, wanted.pool, wanted.device_id, IdState::kMade);
  auto by_thing = find_thing(db, wanted.pool, wanted.purpose, wanted.image_id, wanted.snapshot_name);
  if (!by_thing) return fail(std::move(by_thing.error()));
  if (*by_thing) {
    return fail(Error(ErrorKind::kConflict, fmt::format("{} has device {} of pool {} reserved, not {}", thing(wanted),
                                                        (*by_thing)->device_id, wanted.pool, wanted.device_id))
                    .with_hint("clean up that device and release its id first"));
  }
  Reservation held = wanted;
  held.state = IdState::kMade;
  return insert(db, held);
}

Result<> mark_made(store::Connection& db, const Reservation& reservation) {
  auto stored = find_thing(db, reservation.pool, reservation.purpose, reservation.image_id, reservation.snapshot_name);
  if (!stored) return fail(std::move(stored.error()));
  if (!*stored || (*stored)->device_id != reservation.device_id) {
    return fail(ErrorKind::kConflict, "device {} of pool {} is not reserved for {}", reservation.device_id,
                reservation.pool, thing(reservation));
  }
  return set_state(db, reservation.pool, reservation.device_id, IdState::kMade);
}

Result<bool> mark_deleting(store::Connection& db, const std::string& pool, DeviceId device_id) {
  auto held = holder(db, pool, device_id);
  if (!held) return fail(std::move(held.error()));
  if (*held) return fail(ErrorKind::kConflict, "device {} of pool {} belongs to {}", device_id, pool, **held);
  auto reserved = find(db, pool, device_id);
  if (!reserved) return fail(std::move(reserved.error()));
  if (!*reserved) return false;
  if (auto noted = set_state(db, pool, device_id, IdState::kDeleting); !noted) return fail(std::move(noted.error()));
  return true;
}

Result<> note_failed_delete(store::Connection& db, const std::string& pool, DeviceId device_id,
                            const std::string& why) {
  auto noted =
      change(db, "UPDATE id_reservations SET note = ?3 WHERE pool = ?1 AND device_id = ?2 AND state = 'deleting'", pool,
             device_id.value, why);
  if (!noted) return fail(std::move(noted.error()));
  return {};
}

Result<std::vector<Reservation>> list(store::Connection& db) {
  static const std::string sql = select_reservations("ORDER BY pool, device_id");
  return select<Reservation>(db, sql, read);
}

}  // namespace slipway::catalog::reservations
