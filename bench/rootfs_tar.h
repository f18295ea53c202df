// A tar that looks like a root file system: folders, links, and files of very mixed sizes whose bytes do not compress.
// The same arguments give the same bytes.
#pragma once

#include <cstdint>
#include <string>

namespace slipway::bench {

// Exactly `size` bytes (a multiple of 512, at least 1 MiB), with about 20,000 files a GiB. Throws when the disk
// refuses.
void write_rootfs_tar(const std::string& path, std::uint64_t size);

// `size` bytes that do not compress, different for each `seed`.
void write_noise(const std::string& path, std::uint64_t size, std::uint64_t seed);

}  // namespace slipway::bench
