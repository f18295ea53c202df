// The ids in a pool's metadata, read by the program thin_ls (Debian: thin-provisioning-tools), the kernel having no
// request for it.
#pragma once

#include <string>
#include <vector>

#include "base/device_id.h"
#include "base/error.h"

namespace slipway::volumes {

// Of the metadata snapshot that the pool holds; `metadata` is its device's number ("7:1"). Ascending. kUnsupported: the
// program is not here.
[[nodiscard]] Result<std::vector<DeviceId>> ids_in_held_metadata(const std::string& metadata);

}  // namespace slipway::volumes
