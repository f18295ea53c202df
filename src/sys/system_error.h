// What the kernel refused, as an Error: one place that says which errno is of which kind.
#pragma once

#include <string_view>

#include "base/error.h"

namespace slipway::sys {

// "DOING PATH: reason". `error` is an errno; read it before anything else can change it.
[[nodiscard]] Error system_error(std::string_view doing, std::string_view path, int error);

}  // namespace slipway::sys
