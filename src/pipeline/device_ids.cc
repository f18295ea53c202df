#include "pipeline/device_ids.h"

#include "catalog/identity.h"

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

Result<bool> discard_device(catalog::Catalog& catalog, volumes::Pool& pool, const volumes::DeviceSpec& device,
                            const Logger& log) {
  if (auto noted = catalog.mark_deleting(pool.name(), device.id); !noted) return fail(std::move(noted.error()));
  if (auto gone = pool.remove(device); !gone) {
    if (gone.error().kind() != ErrorKind::kUnavailable) return fail(std::move(gone.error()));
    log.warn("{} is deleted later: {}", device.name, gone.error().message());
    auto noted = catalog.note_failed_delete(pool.name(), device.id, gone.error().message());
    if (!noted) return fail(std::move(noted.error()));
    return false;
  }
  if (auto freed = catalog.release_reservation(pool.name(), device.id); !freed) return fail(std::move(freed.error()));
  return true;
}

Result<std::uint64_t> delete_deferred(catalog::Catalog& catalog, volumes::Pool& pool, const Logger& log) {
  const auto ids = catalog.list_reservations();
  if (!ids) return fail(ids.error());
  std::uint64_t gone = 0;
  for (const auto& id : *ids) {
    if (id.pool != pool.name() || id.state != catalog::IdState::kDeleting) continue;
    auto deleted = discard_device(catalog, pool, {id.device_id, device_name(id), 0}, log);
    if (!deleted) return deleted.error().during("delete device {}", id.device_id);
    if (*deleted) ++gone;
  }
  return gone;
}

}  // namespace slipway::pipeline
