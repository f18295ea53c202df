#include "archive/image_kind.h"

#include <array>
#include <utility>

namespace slipway::archive {
namespace {

constexpr std::array<std::pair<ImageKind, std::string_view>, 4> kNames{{
    {ImageKind::kRootfs, "rootfs"},
    {ImageKind::kRootfsFolder, "rootfs-folder"},
    {ImageKind::kDockerSave, "docker-save"},
    {ImageKind::kOciLayout, "oci-layout"},
}};

}  // namespace

std::string_view to_string(ImageKind kind) {
  for (const auto& [value, name] : kNames) {
    if (value == kind) return name;
  }
  return "unknown";
}

std::optional<ImageKind> parse_image_kind(std::string_view name) {
  for (const auto& [value, text] : kNames) {
    if (text == name) return value;
  }
  return std::nullopt;
}

}  // namespace slipway::archive
