// Inside src/pipeline: the ids of devices, from the catalog's note to the pool's device and back.
#pragma once

#include "base/error.h"
#include "base/log.h"
#include "catalog/catalog.h"
#include "volumes/pool.h"

namespace slipway::pipeline {

// An id for this thing under which the pool has nothing, or only what an earlier try of ours has made: reserved, and
// noted as ours, before the pool is asked for anything. kNoSpace when all ids are taken.
[[nodiscard]] Result<catalog::Reservation> reserve_device(catalog::Catalog& catalog, volumes::Pool& pool,
                                                          const catalog::ReserveRequest& request);

// Deletes a device that nothing is recorded of any more but its reservation, and frees its id. One that is in use is
// left to whoever works off what is to be deleted: that is no error here. False: it is still there.
[[nodiscard]] Result<bool> discard_device(catalog::Catalog& catalog, volumes::Pool& pool,
                                          const volumes::DeviceSpec& device, const Logger& log);

// Tries once more what could not be deleted when it was to be. Nothing else uses these ids, so this may be done at any
// time. How many are gone now.
[[nodiscard]] Result<std::uint64_t> delete_deferred(catalog::Catalog& catalog, volumes::Pool& pool, const Logger& log);

// How the device of a reservation is called in its pool.
[[nodiscard]] std::string device_name(const catalog::Reservation& reservation);

}  // namespace slipway::pipeline
