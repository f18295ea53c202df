// The number by which a pool knows a device: 24 bits, as the kernel's thin pools have it. 0 is never given out.
#pragma once

#include <compare>
#include <cstdint>

#include <fmt/format.h>

namespace slipway {

struct DeviceId {
  static constexpr std::uint32_t kGreatest = (1U << 24) - 1;
  std::uint32_t value = 0;
  friend auto operator<=>(const DeviceId&, const DeviceId&) = default;
};

}  // namespace slipway

template <>
struct fmt::formatter<slipway::DeviceId> : fmt::formatter<std::uint32_t> {
  template <class Context>
  auto format(const slipway::DeviceId& id, Context& context) const {
    return fmt::formatter<std::uint32_t>::format(id.value, context);
  }
};
