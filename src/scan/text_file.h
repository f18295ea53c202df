// Files that whoever scans names himself: rules, SBOMs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/error.h"

namespace slipway::scan {

// The whole of a file, or of whatever the path names that can be read. kInvalid when it has more than `most` bytes.
[[nodiscard]] Result<std::string> read_text_file(const std::filesystem::path& file, std::uint64_t most);

}  // namespace slipway::scan
