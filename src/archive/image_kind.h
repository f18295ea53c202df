// The forms of an image that are understood.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace slipway::archive {

// kRootfs: a plain root file system. kRootfsFolder: one that stands whole below a top folder `rootfs/`.
enum class ImageKind : std::uint8_t { kRootfs, kRootfsFolder, kDockerSave, kOciLayout };

[[nodiscard]] std::string_view to_string(ImageKind kind);
[[nodiscard]] std::optional<ImageKind> parse_image_kind(std::string_view name);

}  // namespace slipway::archive
