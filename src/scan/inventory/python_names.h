// Names of Python's packages.
#pragma once

#include <string>
#include <string_view>

#include "scan/package.h"

namespace slipway::scan {

// As PEP 503 has it, which is how advisories name packages: lower case, and '-' for each run of '-', '_' and '.'.
[[nodiscard]] std::string normalised_python_name(std::string_view name);

[[nodiscard]] Package python_package(std::string_view name, std::string_view version);

}  // namespace slipway::scan
