// Whether bytes are text.
#pragma once

#include <string_view>

namespace slipway::scan {

// Strictly: no overlong forms, no surrogates, nothing above U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view bytes);

}  // namespace slipway::scan
