// The one place that makes a source out of settings: `file:///path` is a folder, a plain name is a bucket of S3.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/log.h"
#include "objects/credentials.h"
#include "objects/object_source.h"
#include "objects/s3_endpoint.h"
#include "objects/throttle.h"
#include "sys/clock.h"

namespace slipway::objects {

struct SourceSettings {
  std::string bucket{};  // "name", or "file:///path"
  std::string region = "us-east-1";
  std::string endpoint{};  // empty: AWS
  AddressStyle style = AddressStyle::kAuto;
  bool verify_etag = true;                   // an ETag that looks like an MD5 is one; false for servers with others
  std::string ca_file{};                     // empty: the system's
  std::optional<Credentials> credentials{};  // empty: the chain of credentials.h
  Environment environment = process_environment();
  std::filesystem::path home{};  // empty: $HOME of `environment`
  std::string user_agent = "slipway";
  std::chrono::milliseconds stall_timeout{30'000};  // no byte for so long ends a request
  EndpointThrottles* throttles = nullptr;           // shared by several sources; must outlive them
  sys::Clock* clock = &sys::system_clock();
  Logger log{};
};

// kInvalid for a bucket, endpoint or region that can never work, naming the rule; kNotFound for a folder that is not
// there. Asks no server.
[[nodiscard]] Result<std::unique_ptr<ObjectSource>> open_source(const SourceSettings& settings);

}  // namespace slipway::objects
