// The forms of SBOMs, each read by itself. read_sbom (scan/reports/formats.h) knows which one a text is.
#pragma once

#include <string_view>

#include "base/error.h"
#include "base/json.h"
#include "scan/package.h"

namespace slipway::scan {

// kUnsupported: a version that is not known.
[[nodiscard]] Result<Inventory> read_cyclonedx(const Json& document);
[[nodiscard]] Result<Inventory> read_spdx(const Json& document);
// Tags and values, one a line.
[[nodiscard]] Result<Inventory> read_spdx_tags(std::string_view text);

}  // namespace slipway::scan
