// Internal to catalog/: the table id_reservations. Contracts: catalog/catalog.h.
#pragma once

#include <string>
#include <vector>

#include "catalog/query.h"
#include "catalog/types.h"

namespace slipway::catalog::reservations {

// Ids go from 1 to `greatest`.
[[nodiscard]] Result<Reservation> reserve(store::Connection& db, const ReserveRequest& request, TimePoint now,
                                          DeviceId greatest = {DeviceId::kGreatest});
[[nodiscard]] Result<Reservation> reserve_next(store::Connection& db, const Reservation& collided, TimePoint now);
[[nodiscard]] Result<bool> release(store::Connection& db, const std::string& pool, DeviceId device_id);
// Makes exactly this one, or finds it. kConflict when the id is another's, or the thing has another id in this pool.
[[nodiscard]] Result<> hold(store::Connection& db, const Reservation& wanted);
[[nodiscard]] Result<> mark_made(store::Connection& db, const Reservation& reservation);
[[nodiscard]] Result<bool> mark_deleting(store::Connection& db, const std::string& pool, DeviceId device_id);
[[nodiscard]] Result<> note_failed_delete(store::Connection& db, const std::string& pool, DeviceId device_id,
                                          const std::string& why);
[[nodiscard]] Result<std::vector<Reservation>> list(store::Connection& db);

}  // namespace slipway::catalog::reservations
