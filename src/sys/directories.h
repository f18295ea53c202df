// Directories that are still there after a power cut.
#pragma once

#include <filesystem>

#include "base/error.h"

namespace slipway::sys {

// A new, renamed or removed entry outlives a power cut only when the directory that it stands in is synced.
[[nodiscard]] Result<> sync_directory(const std::filesystem::path& directory);

// Makes what is missing of the path, for this user only (mode 0700), and syncs where each one stands. One that is
// there already is left as it is. kInvalid when something that is no directory is in the way.
[[nodiscard]] Result<> make_directories(const std::filesystem::path& directory);

}  // namespace slipway::sys
