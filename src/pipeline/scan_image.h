// The machine `scan-image`: check-scanned -> inventory -> match -> record -> complete. What is in the image is listed
// once, and kept; what is known against it is looked up as often as advisories change.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "catalog/catalog.h"
#include "fsm/machine.h"
#include "pipeline/image_rules.h"
#include "pipeline/scan_rules.h"
#include "scan/inventory/inventory_taker.h"
#include "scan/trivy/trivy_engine.h"

namespace slipway::pipeline {

inline constexpr const char* kScanningQueue = "scanning";

struct ScanImageRequest {
  std::string image_id{};
  std::string local_path{};
  std::string checksum{};
  std::uint64_t size = 0;
  ImageRules rules{};
  ScanRules scan{};
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ScanImageRequest, image_id, local_path, checksum, size, rules, scan)

struct ScanImageResponse {
  std::string image_id{};
  bool scanned = false;  // false: the verdict was there already, or there is none
  bool judged = false;   // there is a verdict; else `note` says why not
  bool blocked = false;
  std::uint64_t findings = 0;
  std::string note{};
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ScanImageResponse, image_id, scanned, judged, blocked, findings, note)

using ScanImageMachine = fsm::Machine<ScanImageRequest, ScanImageResponse>;

struct ScanParts {
  std::shared_ptr<catalog::Catalog> catalog;
  std::shared_ptr<const scan::InventoryTaker> taker;
  std::string feeds{};    // the feeds' database
  std::string version{};  // of this program
  scan::TrivyEngine trivy{};
};

[[nodiscard]] Result<ScanImageMachine> add_scan_image(fsm::Manager& manager, ScanParts parts);

}  // namespace slipway::pipeline
