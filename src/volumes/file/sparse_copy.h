// Copies of big files with holes.
#pragma once

#include <string>

#include "base/error.h"

namespace slipway::volumes {

// False: the file system cannot, or not between these two.
[[nodiscard]] Result<bool> share_blocks(int from, int to, const std::string& path);

// The data of `from`, and nothing for its holes; `to` is new and empty, and gets the same size.
[[nodiscard]] Result<> copy_data(int from, int to, const std::string& path);

}  // namespace slipway::volumes
