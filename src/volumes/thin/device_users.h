// Who has a block device open, for people.
#pragma once

#include <string>

namespace slipway::volumes {

// `number` is "253:4". "mounted at /mnt, process 812 (qemu)"; empty when it cannot be told.
[[nodiscard]] std::string users_of(const std::string& number);

}  // namespace slipway::volumes
