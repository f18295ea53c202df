// The machine `download-image`: check-exists → download → validate → store-metadata → complete. An object of a bucket
// becomes a verified file `<images>/<image_id>.tar` and a completed row of the catalog, or neither.
//
// What a crash leaves: before the file is in place, a partial file that the next try continues or removes; after that,
// the whole file, which is validated as it is; after validation, all that is left to do is the row. The machine's end
// removes what an unhappy run left, so that a file at its final place has always been validated by its run or is the
// one that the catalog has.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/inspector.h"
#include "base/error.h"
#include "catalog/catalog.h"
#include "fsm/machine.h"
#include "objects/download.h"
#include "objects/object_source.h"
#include "pipeline/image_rules.h"
#include "scan/inventory/inventory_taker.h"

namespace slipway::pipeline {

inline constexpr const char* kDownloadsQueue = "downloads";

struct DownloadImageRequest {
  std::string bucket{};
  std::string key{};
  std::string image_id{};
  bool verify = false;         // read the file again, even when nothing about it has changed
  bool list_packages = false;  // while it is validated: a scan will ask for them
  ImageRules rules{};
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DownloadImageRequest, bucket, key, image_id, verify, list_packages,
                                                rules)

struct DownloadImageResponse {
  std::string image_id{};
  std::string local_path{};
  std::string checksum{};  // SHA-256, lower-case hex
  std::uint64_t size = 0;
  bool downloaded = false;  // false: it was there already

  // What validation hands to store-metadata; empty in the run's result.
  std::string etag{};
  catalog::FileIdentity verified_file{};
  catalog::ArchiveFacts archive{};
  std::vector<catalog::PolicyFinding> findings{};
};
void to_json(nlohmann::json& nlohmann_json_j, const DownloadImageResponse& nlohmann_json_t);
void from_json(const nlohmann::json& nlohmann_json_j, DownloadImageResponse& nlohmann_json_t);

using DownloadImageMachine = fsm::Machine<DownloadImageRequest, DownloadImageResponse>;

// The source of a bucket's objects; kInvalid for a bucket that cannot be. Thread-safe.
using SourceOf = std::function<Result<std::shared_ptr<objects::ObjectSource>>(const std::string& bucket)>;

struct DownloadSettings {
  std::filesystem::path images{};  // the folder that files are put into; made when missing
  std::chrono::milliseconds timeout = std::chrono::minutes(5);
  // The recorded findings of an image that are kept; what is over is counted in its log line only.
  std::size_t max_findings = 1000;
  objects::DownloadTuning tuning{};
};

// What the machine works with. Shared, since a handler that does not heed its stop token may outlive its manager.
struct DownloadParts {
  std::shared_ptr<catalog::Catalog> catalog{};
  SourceOf source_of{};
  std::shared_ptr<const archive::Inspector> inspector{};
  std::shared_ptr<const scan::InventoryTaker> taker{};  // in the inspector's place where packages are to be listed
  DownloadSettings settings{};
};

[[nodiscard]] Result<DownloadImageMachine> add_download_image(fsm::Manager& manager, DownloadParts parts);

}  // namespace slipway::pipeline
