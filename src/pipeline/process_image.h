// The machine `process-image`: the whole way of one image, as a parent over the machines that do the work. Each child
// carries the parent's version; while one is under way, the parent holds no thread.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "fsm/machine.h"
#include "pipeline/activate_image.h"
#include "pipeline/download_image.h"
#include "pipeline/scan_image.h"
#include "pipeline/unpack_image.h"

namespace slipway::pipeline {

struct ProcessImageRequest {
  std::string bucket{};
  std::string key{};
  std::string image_id{};
  bool verify = false;
  ImageRules rules{};
  std::string pool{};
  std::uint64_t device_size = 0;  // bytes
  std::string snapshot_name{};
  ScanRules scan{};
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProcessImageRequest, bucket, key, image_id, verify, rules, pool,
                                                device_size, snapshot_name, scan)

struct ProcessImageResponse {
  std::string image_id{};
  std::string local_path{};
  std::string checksum{};
  std::uint64_t size = 0;
  bool downloaded = false;  // false: it was there already
  bool scanned = false;     // false: the verdict was there already, or there is none
  std::string scan_note{};  // why it was not scanned, where it was not
  std::uint32_t device_id = 0;
  std::string device_name{};
  std::uint64_t files = 0;
  bool unpacked = false;  // false: it was there already
  std::string snapshot_name{};
  std::string device_path{};  // of the snapshot
  bool activated = false;     // false: it was there already
  // The children's versions.
  std::string download_run{};
  std::string scan_run{};
  std::string unpack_run{};
  std::string activate_run{};
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProcessImageResponse, image_id, local_path, checksum, size, downloaded,
                                                scanned, scan_note, device_id, device_name, files, unpacked,
                                                snapshot_name, device_path, activated, download_run, scan_run,
                                                unpack_run, activate_run)

using ProcessImageMachine = fsm::Machine<ProcessImageRequest, ProcessImageResponse>;

struct ProcessParts {
  DownloadImageMachine download;
  ScanImageMachine scan;
  UnpackImageMachine unpack;
  ActivateImageMachine activate;
};

// When the parent is cancelled, so are its children. A child that was under way for another parent is awaited, too. An
// image that its scan blocks is not unpacked: the run is aborted with kVulnerable.
[[nodiscard]] Result<ProcessImageMachine> add_process_image(fsm::Manager& manager, ProcessParts parts);

}  // namespace slipway::pipeline
