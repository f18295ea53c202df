// Loop devices: a file as a block device. They outlive the process, and end at a reboot.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/error.h"

namespace slipway::volumes {

// The one that stands on this very file, whole and writable: "/dev/loop3". None: nobody uses the file so, or there is
// no such file.
[[nodiscard]] Result<std::optional<std::string>> find_loop(const std::filesystem::path& file);
// That one, or a new one: past the page cache where the file system can, and not ended by its last user.
[[nodiscard]] Result<std::string> attach_loop(const std::filesystem::path& file);
// kUnavailable: it is in use. No effect when the file has none.
[[nodiscard]] Result<> detach_loop(const std::filesystem::path& file);
// Makes it as big as its file is now.
[[nodiscard]] Result<> refresh_loop(const std::string& loop);

// Of a block device, in bytes.
[[nodiscard]] Result<std::uint64_t> device_size(const std::string& path);

}  // namespace slipway::volumes
