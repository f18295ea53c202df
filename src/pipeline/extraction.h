// Inside src/pipeline: an image's file onto a device, and what is on a device looked at.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

#include "archive/policy.h"
#include "base/error.h"
#include "base/time.h"
#include "volumes/ext4/extractor.h"

namespace slipway::pipeline {

struct ExtractionRequest {
  std::filesystem::path image{};
  std::string sha256{};
  std::string device{};    // a path that can be opened
  std::uint64_t size = 0;  // of the device, bytes
  archive::Policy policy{};
  std::string label{};  // of the file system
  TimePoint made_at{};
  std::function<void(std::uint64_t done, std::uint64_t total)> progress{};  // bytes of content
};

// The bytes are hashed while a sandboxed process unpacks them onto a device that reads as zeros: one file, opened once.
// On disk when it returns. kCorrupt: another checksum, or no archive; kRejected, kUnsupported, kTimeout as
// archive::Inspector has them; kNoSpace: the device is too small.
[[nodiscard]] Result<volumes::ext4::Counts> extract(const volumes::ext4::Extractor& extractor,
                                                    const ExtractionRequest& request, const std::stop_token& stop);

// What is in `rootfs/` on the device. kCorrupt, kRejected as of verify().
[[nodiscard]] Result<volumes::ext4::Counts> look(const volumes::ext4::Extractor& extractor, const std::string& device,
                                                 std::uint64_t size, const std::stop_token& stop);

// That the device holds `rootfs/` as it was put there. kCorrupt: it does not. kRejected: `etc` or `usr` may be written
// by everybody. Others say nothing about the device's content.
[[nodiscard]] Result<> verify(const volumes::ext4::Extractor& extractor, const std::string& device, std::uint64_t size,
                              const volumes::ext4::Counts& expected, const std::stop_token& stop);

}  // namespace slipway::pipeline
