// Tars for measuring how volumes are filled. The same calls give the same bytes.
#pragma once

#include <cstdint>
#include <string>

namespace slipway::bench {

// What an installation of Debian looks like: 30,000 files, most of them small and a few of many MiB, in 500 packages
// whose folders are up to nine deep; documentation and a large folder of the package manager's; symbolic and hard
// links, some names above 100 bytes, setuid programs, capabilities and other attributes, and what belongs to other
// users. Exactly 1 GiB.
void write_debian_tar(const std::string& path);

// So many files of 100 bytes in one folder.
void write_flat_tar(const std::string& path, std::uint64_t files);

}  // namespace slipway::bench
