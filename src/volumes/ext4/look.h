// Looks at a volume that fill() made, from its blocks alone: what is on the disk, not what somebody remembers.
// The same rules as fill() has: two descriptors become one, nothing is opened, no thread is started.
#pragma once

#include <cstdint>
#include <optional>

#include "base/error.h"
#include "volumes/ext4/fill.h"

namespace slipway::volumes::ext4 {

struct Place {
  bool folder = false;  // or something else, such as a symbolic link
  std::uint16_t mode = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;

  friend bool operator==(const Place&, const Place&) = default;
};

struct Layout {
  std::optional<Place> rootfs{};  // /rootfs
  std::optional<Place> etc{};     // these three below it
  std::optional<Place> usr{};
  std::optional<Place> var{};
  Counts counts{};  // of all below it
};

// `fd` is open for reading. kCorrupt: no ext4, or a damaged one. kIo.
[[nodiscard]] Result<Layout> look(int fd, std::uint64_t size);

}  // namespace slipway::volumes::ext4
