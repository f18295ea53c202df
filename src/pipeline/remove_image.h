// The machine `remove-image`: an image with all that was made of it, taken away. And `deactivate-snapshot`: one
// snapshot taken down, kept or deleted.
//
// Devices that are in use are not torn from whoever uses them: they are forgotten, noted as to be deleted, and deleted
// when that can be done (pipeline/deferred_deletes.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "catalog/catalog.h"
#include "fsm/machine.h"
#include "volumes/pool.h"

namespace slipway::pipeline {

struct RemoveImageRequest {
  std::string image_id{};
  bool force = false;  // with its active snapshots
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RemoveImageRequest, image_id, force)

struct RemoveImageResponse {
  std::string image_id{};
  std::uint64_t snapshots = 0;  // removed
  std::uint64_t deferred = 0;   // devices that are in use, and deleted later
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RemoveImageResponse, image_id, snapshots, deferred)

struct DeactivateSnapshotRequest {
  std::string name{};
  bool remove = false;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DeactivateSnapshotRequest, name, remove)

struct DeactivateSnapshotResponse {
  std::string name{};
  std::string image_id{};
  bool deactivated = false;  // false: it was inactive already
  bool removed = false;
  bool deferred = false;  // it is in use, and deleted later
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DeactivateSnapshotResponse, name, image_id, deactivated, removed,
                                                deferred)

using RemoveImageMachine = fsm::Machine<RemoveImageRequest, RemoveImageResponse>;
using DeactivateSnapshotMachine = fsm::Machine<DeactivateSnapshotRequest, DeactivateSnapshotResponse>;

struct RemoveParts {
  std::shared_ptr<catalog::Catalog> catalog{};
  std::shared_ptr<volumes::Pool> pool{};
};

[[nodiscard]] Result<RemoveImageMachine> add_remove_image(fsm::Manager& manager, RemoveParts parts);
[[nodiscard]] Result<DeactivateSnapshotMachine> add_deactivate_snapshot(fsm::Manager& manager, RemoveParts parts);

}  // namespace slipway::pipeline
