#include "pipeline/device_ids.h"

#include <algorithm>
#include <utility>

#include "catalog/identity.h"
#include "sys/fault.h"
#include "sys/mutex.h"

namespace slipway::pipeline {

std::string device_name(const catalog::Reservation& reservation) {
  return reservation.purpose == catalog::Purpose::kVolume ? catalog::volume_name(reservation.image_id)
                                                          : reservation.snapshot_name;
}

Result<catalog::Reservation> reserve_device(catalog::Catalog& catalog, volumes::Pool& pool,
                                            const catalog::ReserveRequest& request) {
  auto reserved = catalog.reserve(request);
  for (;;) {
    if (!reserved) return reserved;
    if (reserved->state == catalog::IdState::kMade) return reserved;
    const auto there = pool.find(reserved->device_id);
    if (!there) return fail(there.error());
    if (!*there) break;
    reserved = catalog.reserve_next(*reserved);  // somebody else's
  }
  if (auto noted = catalog.mark_made(*reserved); !noted) return fail(std::move(noted.error()));
  reserved->state = catalog::IdState::kMade;
  return reserved;
}

namespace {

// Between the look at a reservation and the end of its device nobody else may free the id: a new device could get it.
sys::Mutex& discarding() {
  static sys::Mutex mutex;
  return mutex;
}

Result<bool> discard(catalog::Catalog& catalog, volumes::Pool& pool, const volumes::DeviceSpec& device,
                     volumes::WhenBusy when_busy, const Logger& log) SLIPWAY_REQUIRES(discarding()) {
  auto noted = catalog.mark_deleting(pool.name(), device.id);
  if (!noted) return fail(std::move(noted.error()));
  if (!*noted) return true;
  if (auto fault = fault::check("pipeline.discard")) return fail(std::move(*fault));
  if (auto gone = pool.remove(device, when_busy); !gone) {
    auto remembered = catalog.note_failed_delete(pool.name(), device.id, gone.error().message());
    if (!remembered) return fail(std::move(remembered.error()));
    if (gone.error().kind() != ErrorKind::kUnavailable) return fail(std::move(gone.error()));
    log.warn("{} is deleted later: {}", device.name, gone.error().message());
    return false;
  }
  if (auto freed = catalog.release_reservation(pool.name(), device.id); !freed) return fail(std::move(freed.error()));
  return true;
}

// As it is now: it may have been deleted, and given to something else, while others were tried.
Result<bool> still_to_be_deleted(catalog::Catalog& catalog, const catalog::Reservation& seen) {
  const auto now = catalog.list_reservations();
  if (!now) return fail(now.error());
  return std::ranges::any_of(*now, [&](const catalog::Reservation& id) {
    return id.pool == seen.pool && id.device_id == seen.device_id && id.state == catalog::IdState::kDeleting;
  });
}

}  // namespace

Result<bool> discard_device(catalog::Catalog& catalog, volumes::Pool& pool, const volumes::DeviceSpec& device,
                            const Logger& log, volumes::WhenBusy when_busy) {
  const sys::Lock lock(discarding());
  return discard(catalog, pool, device, when_busy, log);
}

Result<Deletions> delete_deferred(catalog::Catalog& catalog, volumes::Pool& pool, const Logger& log,
                                  volumes::WhenBusy when_busy,
                                  const std::function<bool(const catalog::Reservation&)>& which) {
  const auto ids = catalog.list_reservations();
  if (!ids) return fail(ids.error());
  Deletions done;
  Result<> failed;
  for (const auto& id : *ids) {
    if (id.pool != pool.name() || id.state != catalog::IdState::kDeleting || !which(id)) continue;
    const sys::Lock lock(discarding());
    const auto wanted = still_to_be_deleted(catalog, id);
    if (!wanted) return fail(wanted.error());
    if (!*wanted) continue;
    auto deleted = discard(catalog, pool, {id.device_id, device_name(id), 0}, when_busy, log);
    if (!deleted) {
      failed = deleted.error().during("delete device {}", id.device_id);
    } else {
      ++(*deleted ? done.gone : done.in_use);
    }
  }
  if (!failed) return fail(std::move(failed.error()));
  return done;
}

}  // namespace slipway::pipeline
