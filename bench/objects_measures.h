// What benchmarks of downloading measure. Every failure throws.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "objects/object_source.h"
#include "report.h"

namespace slipway::bench {

inline constexpr const char* kBucket = "images";

// An S3 bucket that asks for no credentials.
[[nodiscard]] std::unique_ptr<objects::ObjectSource> open_bucket(const std::string& endpoint);
// Downloads to `file`, and gives the SHA-256.
std::string download_to(objects::ObjectSource& source, const std::string& key, const std::string& file);

// `www` is the folder that the server at `endpoint` serves; `folder` takes what is downloaded.
[[nodiscard]] std::vector<Measure> measure_big_object(const std::string& endpoint, const std::string& www,
                                                      const std::string& folder);
[[nodiscard]] std::vector<Measure> measure_small_objects(const std::string& endpoint, const std::string& www,
                                                         const std::string& folder);
[[nodiscard]] std::vector<Measure> measure_memory(const std::string& endpoint, const std::string& www,
                                                  const std::string& folder);

// When the program was started as the child that measure_memory() measures, or as the inspector's: does that and exits.
void run_as_child(int argc, char** argv);

}  // namespace slipway::bench
