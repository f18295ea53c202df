// An image's archive validated as the pipeline does it, by the standard policy, in a benchmark program.
#pragma once

#include <filesystem>
#include <string>

namespace slipway::bench {

// The argument by which a benchmark program is told to be the inspector's child.
inline constexpr const char* kInspectArgument = "inspect-archive";

// Throws when it is refused.
void validate(const std::filesystem::path& file, const std::string& sha256);

}  // namespace slipway::bench
