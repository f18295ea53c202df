// The few ways in which text stands out on a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace slipway::cli {

enum class Style : std::uint8_t { kPlain, kBold, kDim, kRed, kGreen, kYellow, kCyan };

// `text` between the codes of `style`; as it is when `color` is false, the style plain or the text empty.
[[nodiscard]] std::string paint(std::string_view text, Style style, bool color);

}  // namespace slipway::cli
