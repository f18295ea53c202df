// Whether somebody works with a file as a disk.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/error.h"

namespace slipway::volumes {

// Who uses it, for people; nothing when nobody does that can be seen: a lock on the file, or a loop device over it.
[[nodiscard]] Result<std::optional<std::string>> user_of(const std::filesystem::path& file);

}  // namespace slipway::volumes
