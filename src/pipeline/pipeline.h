// The image machines put together over one run store and one catalog: what a command or the worker opens to get work
// done. Opening takes up what an earlier process left.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "archive/inspector.h"
#include "base/error.h"
#include "base/log.h"
#include "catalog/catalog.h"
#include "fsm/manager.h"
#include "pipeline/download_image.h"
#include "pipeline/process_image.h"
#include "pipeline/reconcile.h"
#include "pipeline/remove_image.h"
#include "sys/clock.h"
#include "volumes/pool.h"

namespace slipway::pipeline {

struct PipelineOptions {
  std::filesystem::path catalog{};
  std::filesystem::path runs{};
  SourceOf source_of{};
  archive::InspectorProgram inspector{};
  DownloadSettings download{};
  std::size_t downloads_at_once = 5;
  // Asked for once the runs are owned: it may make the pool.
  std::function<Result<std::shared_ptr<volumes::Pool>>(catalog::Catalog&)> open_pool{};
  archive::InspectorProgram extractor{};  // started as the inspector is
  Duration unpack_timeout = std::chrono::minutes(30);
  std::size_t unpackings_at_once = 2;
  archive::InspectorProgram inventory{};  // started as the inspector is
  std::string feeds{};                    // the feeds' database
  std::string version{};                  // of this program
  std::size_t scans_at_once = 2;
  bool thorough_start = false;  // the doctor looks at everything first, not only at what a crash or a reboot leaves
  sys::Clock* clock = nullptr;  // null: the system's
  Logger log{};
};

// Which object is to be processed. An empty image id is derived from bucket and key.
struct ImageRequest {
  std::string bucket{};
  std::string key{};
  std::string image_id{};
  bool verify = false;
  ImageRules rules{};
  std::string pool{};
  std::uint64_t device_size = 0;  // bytes
  std::string snapshot_name{};    // empty: derived from the image id
  ScanRules scan{};
};

// The request as it is stored: complete, with its image id. kInvalid for a key or an id that cannot be.
[[nodiscard]] Result<ProcessImageRequest> complete(const ImageRequest& request);

// Thread-safe.
class Pipeline {
 public:
  // kConflict when another process owns the runs; the message names it.
  [[nodiscard]] static Result<std::unique_ptr<Pipeline>> open(const PipelineOptions& options);

  // Ends orderly: what is under way is stopped and stays resumable.
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  [[nodiscard]] fsm::Manager& manager() { return *manager_; }
  [[nodiscard]] catalog::Catalog& catalog() { return *catalog_; }
  [[nodiscard]] volumes::Pool& pool() { return *pool_; }
  [[nodiscard]] const ProcessImageMachine& process_image() const { return *process_; }

  // Starts scan-image for images that are downloaded; one that is being scanned, or is gone, is passed over. How many
  // were started.
  [[nodiscard]] Result<std::uint64_t> scan(const std::vector<std::string>& image_ids, const ImageRules& rules,
                                           const ScanRules& scan);

  // Tries once more to delete the devices that were in use when they were to be deleted, until `stop`. How many are
  // gone now.
  [[nodiscard]] Result<std::uint64_t> delete_deferred(const std::stop_token& stop);

  // How many unfinished runs were found and taken up.
  [[nodiscard]] const fsm::ResumeReport& resumed() const { return resumed_; }

 private:
  Pipeline() = default;

  [[nodiscard]] Result<> add_machines(const PipelineOptions& options);
  [[nodiscard]] DoctorParts doctor_parts(const PipelineOptions& options);

  std::shared_ptr<catalog::Catalog> catalog_;
  std::shared_ptr<volumes::Pool> pool_;
  std::unique_ptr<fsm::Manager> manager_;
  std::optional<ScanImageMachine> scan_;
  std::optional<ProcessImageMachine> process_;
  fsm::ResumeReport resumed_{};
  Logger log_{};
};

}  // namespace slipway::pipeline
