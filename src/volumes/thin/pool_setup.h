// Making, starting, growing and ending thin pools. A pool stands on two block devices; either may be a sparse file,
// which is put on a loop device. Where they are is the caller's to remember: a reboot ends the pool, not what it holds.
//
// Each function may be called again after a crash in its middle, and then goes on. One caller at a time for one pool.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/error.h"

namespace slipway::volumes {

// The device mapper's name of a pool: check_device_name(), at most 64 bytes, and not ending in "-of".
[[nodiscard]] Result<> check_pool_name(const std::string& name);

struct ThinPoolPlace {
  std::string name{};
  std::filesystem::path data{};  // a block device or a file
  std::filesystem::path metadata{};
};

// Whether the kernel runs it. kUnsupported: no device mapper here. kPermission: not root. kConflict: the name is that
// of a device that is no pool.
[[nodiscard]] Result<bool> thin_pool_runs(const std::string& name);

struct ThinPoolSpec {
  ThinPoolPlace place{};
  std::uint64_t data_size = 0;          // bytes, of a file; a block device is taken whole
  std::uint64_t metadata_size = 0;      // the same; 0: what the kernel's documentation advises for that much data
  std::uint64_t block_size = 64 << 10;  // bytes: what is shared, copied and freed as one; a multiple of 64 KiB
};

// A new pool, started. Files are made; block devices must begin with 4 KiB of zeros, so that nothing is overwritten
// that somebody may need. kAlreadyExists: there is such a pool, running or not, or other data.
[[nodiscard]] Result<> create_thin_pool(const ThinPoolSpec& spec);

// The pool that is there already, as after a reboot. No effect when it runs. kNotFound: there is none at this place.
// kCorrupt: the kernel does not take it.
[[nodiscard]] Result<> start_thin_pool(const ThinPoolPlace& place);

// Bytes that it shall have then; 0 and what it has already: as it is. Block devices were grown by their owner, and are
// taken as they are now. Its devices stay active.
struct ThinPoolGrowth {
  std::uint64_t data_size = 0;
  std::uint64_t metadata_size = 0;
};
[[nodiscard]] Result<> grow_thin_pool(const ThinPoolPlace& place, const ThinPoolGrowth& growth);

// The pool no longer runs; all that it holds stays. No effect when it does not run. kUnavailable: devices are active.
[[nodiscard]] Result<> stop_thin_pool(const ThinPoolPlace& place);
// The same, and all that it holds is gone, with the files. kUnavailable as above.
[[nodiscard]] Result<> destroy_thin_pool(const ThinPoolPlace& place);

}  // namespace slipway::volumes
