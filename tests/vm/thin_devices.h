// What the kernel has of a thin pool, seen and removed beside the code under test; and other programs for that.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "volumes/thin/pool_setup.h"

namespace slipway::volumes {

// A name that no other test or process has.
[[nodiscard]] std::string unique_name(const std::string& prefix);
// A shell command; its exit code.
int shell(const std::string& command);
// Its output, without the newline at its end.
[[nodiscard]] std::string output_of(const std::string& command);

// The device mapper's devices that stand on the pool, and those of it that are half made: sorted names.
[[nodiscard]] std::vector<std::string> devices_of(const std::string& pool);
// The files below the folder that loop devices stand on, sorted; a file with two of them is there twice.
[[nodiscard]] std::vector<std::string> looped_files(const std::filesystem::path& folder);
// Whatever of the pool is active or half made goes, and the pool is stopped.
void take_down(const ThinPoolPlace& place);

}  // namespace slipway::volumes
