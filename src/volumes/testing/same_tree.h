// A volume compared with a folder of the kernel's, entry by entry.
#pragma once

#include <filesystem>

#include "volumes/testing/ext4_volume.h"

namespace slipway::volumes::ext4 {

// Every path at and below `root`, and no other, is at and below rootfs/ of the volume, and is the same: type, mode,
// time with nanoseconds, size, content, holes, device number, target, which names are one file. As root also owner,
// group, and every attribute, else those that a user may set and see.
void expect_same_tree(const std::filesystem::path& root, const Seen& seen);

}  // namespace slipway::volumes::ext4
