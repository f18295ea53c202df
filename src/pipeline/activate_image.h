// The machine `activate-image`: a snapshot of an image's volume, ready to be used.
//
//   check-snapshot    is it there, active, and of this volume?
//   create-snapshot   an id for it, the snapshot, and its device active
//   register          in the catalog, with the image; active, also when a reboot came in between
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "catalog/catalog.h"
#include "fsm/machine.h"
#include "volumes/pool.h"

namespace slipway::pipeline {

struct ActivateImageRequest {
  std::string image_id{};
  std::uint32_t device_id = 0;  // of the volume
  std::string device_name{};
  std::string snapshot_name{};
  std::string pool{};  // must be the one that the process has
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ActivateImageRequest, image_id, device_id, device_name, snapshot_name,
                                                pool)

struct ActivateImageResponse {
  std::string image_id{};
  std::uint32_t snapshot_id = 0;
  std::string snapshot_name{};
  std::string device_path{};
  bool active = false;
  bool activated = false;  // false: it was there already
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ActivateImageResponse, image_id, snapshot_id, snapshot_name,
                                                device_path, active, activated)

using ActivateImageMachine = fsm::Machine<ActivateImageRequest, ActivateImageResponse>;

struct ActivateParts {
  std::shared_ptr<catalog::Catalog> catalog{};
  std::shared_ptr<volumes::Pool> pool{};
};

[[nodiscard]] Result<ActivateImageMachine> add_activate_image(fsm::Manager& manager, ActivateParts parts);

}  // namespace slipway::pipeline
