// The machine `unpack-image`: a downloaded image becomes a volume in the pool.
//
//   check-unpacked   is it there already? Else: locks the image, and gets an id for the volume
//   create-device    an empty volume, whatever an earlier try has left
//   extract-layers   the image's merged tree on it, by a process that can do nothing else
//   verify-layout    what is on the volume is what was put there
//   update-db        the volume at rest, and in the catalog
//
// What the machine does at each line, the id says in the catalog: reserved, ours, a volume's, or to be deleted.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "catalog/catalog.h"
#include "fsm/machine.h"
#include "pipeline/image_rules.h"
#include "volumes/ext4/extractor.h"
#include "volumes/pool.h"

namespace slipway::volumes::ext4 {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Counts, files, bytes, folders, symlinks, others, names)

}  // namespace slipway::volumes::ext4

namespace slipway::pipeline {

inline constexpr const char* kUnpackingQueue = "unpacking";

struct UnpackImageRequest {
  std::string image_id{};
  std::string local_path{};
  std::string checksum{};
  std::string pool{};             // must be the one that the process has
  std::uint64_t device_size = 0;  // bytes
  ImageRules rules{};
  bool verify = false;  // look at what is on a volume that is there already
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(UnpackImageRequest, image_id, local_path, checksum, pool, device_size,
                                                rules, verify)

struct UnpackImageResponse {
  std::string image_id{};
  std::uint32_t device_id = 0;
  std::string device_name{};
  std::string device_path{};  // while it is active, and where it will be when it is active again
  std::uint64_t bytes = 0;    // of the files
  std::uint64_t files = 0;
  bool unpacked = false;         // false: it was there already
  volumes::ext4::Counts put{};   // by extract-layers; verify-layout finds the same
  std::uint32_t begun_anew = 0;  // how often extract-layers has gone back to create-device after a try that failed
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(UnpackImageResponse, image_id, device_id, device_name, device_path,
                                                bytes, files, unpacked, put, begun_anew)

using UnpackImageMachine = fsm::Machine<UnpackImageRequest, UnpackImageResponse>;

struct UnpackParts {
  std::shared_ptr<catalog::Catalog> catalog{};
  std::shared_ptr<volumes::Pool> pool{};
  std::shared_ptr<const volumes::ext4::Extractor> extractor{};
  Duration timeout = std::chrono::minutes(30);  // of extract-layers
};

[[nodiscard]] Result<UnpackImageMachine> add_unpack_image(fsm::Manager& manager, UnpackParts parts);

}  // namespace slipway::pipeline
