// The machine `process-image`: the whole way of one image, as a parent over the machines that do the work. Each child
// carries the parent's version; while one is under way, the parent holds no thread.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "fsm/machine.h"
#include "pipeline/download_image.h"

namespace slipway::pipeline {

struct ProcessImageRequest {
  std::string bucket{};
  std::string key{};
  std::string image_id{};
  bool verify = false;
  ImageRules rules{};
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProcessImageRequest, bucket, key, image_id, verify, rules)

struct ProcessImageResponse {
  std::string image_id{};
  std::string local_path{};
  std::string checksum{};
  std::uint64_t size = 0;
  bool downloaded = false;     // false: it was there already
  std::string download_run{};  // the child's version
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProcessImageResponse, image_id, local_path, checksum, size, downloaded,
                                                download_run)

using ProcessImageMachine = fsm::Machine<ProcessImageRequest, ProcessImageResponse>;

// When the parent is cancelled, so are its children. A child that was under way for another parent is awaited, too.
[[nodiscard]] Result<ProcessImageMachine> add_process_image(fsm::Manager& manager, DownloadImageMachine download);

}  // namespace slipway::pipeline
