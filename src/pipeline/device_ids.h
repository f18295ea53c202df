// Inside src/pipeline: the ids of devices, from the catalog's note to the pool's device and back.
#pragma once

#include <cstdint>
#include <functional>

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
// left to whoever works off what is to be deleted: that is no error here. False: it is still there. Without a
// reservation the device is not ours, and nothing is done. One at a time in a process.
[[nodiscard]] Result<bool> discard_device(catalog::Catalog& catalog, volumes::Pool& pool,
                                          const volumes::DeviceSpec& device, const Logger& log,
                                          volumes::WhenBusy when_busy = volumes::WhenBusy::kWait);

// Of the ids that are to be deleted, those that `which` is true of: tries once more. Nothing else uses them, so this
// may be done at any time. An error is that of the last one that could not be; the others are done.
struct Deletions {
  std::uint64_t gone = 0;
  std::uint64_t in_use = 0;
};
[[nodiscard]] Result<Deletions> delete_deferred(catalog::Catalog& catalog, volumes::Pool& pool, const Logger& log,
                                                volumes::WhenBusy when_busy,
                                                const std::function<bool(const catalog::Reservation&)>& which);

// How the device of a reservation is called in its pool.
[[nodiscard]] std::string device_name(const catalog::Reservation& reservation);

}  // namespace slipway::pipeline
