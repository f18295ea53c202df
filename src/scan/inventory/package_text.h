// Internal to scan/inventory/: how much there is to say of a package.
#pragma once

#include <cstddef>

#include "scan/package.h"

namespace slipway::scan {

// Bytes of all its texts.
[[nodiscard]] inline std::size_t text_of(const Package& package) {
  return package.name.size() + package.version.size() + package.source.size() + package.source_version.size() +
         package.architecture.size() + package.licence.size() + package.path.size() + package.owner.size();
}

}  // namespace slipway::scan
