// Inside src/pipeline: an image's file read by two at once, one of whom hashes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>

#include "archive/inspector.h"
#include "base/error.h"
#include "catalog/types.h"

namespace slipway::pipeline {

struct CheckedFile {
  std::filesystem::path path{};
  std::string sha256{};                         // that it must have
  std::function<void(std::uint64_t)> hashed{};  // told of the bytes so far, from a thread of its own
};

// Opens the file once, and hashes it while `work` works with it. Whichever fails first stops the other. Errors are
// those of the work and of opening; kCorrupt: another checksum; kConflict: the file changed, or is another one by now.
[[nodiscard]] Result<catalog::FileIdentity> work_while_hashing(
    const CheckedFile& file, const std::function<Result<>(const archive::ImageFile&, std::stop_token)>& work,
    const std::stop_token& stop);

}  // namespace slipway::pipeline
