// The source package that a component of an SBOM was built from, as different makers of SBOMs tell of it.
#pragma once

#include "scan/package.h"

namespace slipway::scan {

struct SbomComponent;

// From Trivy's properties, from what SPDX says of its origin, or from the URL's "upstream", in this order. A source
// that is called like the package is left out, and a version likewise: Package has it so.
void set_source(const SbomComponent& component, Package& package);

}  // namespace slipway::scan
