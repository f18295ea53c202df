// What is known against the components of a CycloneDX document.
#pragma once

#include <functional>
#include <string>

#include "scan/finding.h"
#include "scan/reports/report_json.h"

namespace slipway::scan {

// Each vulnerability once, with all that it affects. `ref_of` gives a package's reference in the document.
[[nodiscard]] OrderedJson cyclonedx_vulnerabilities(const Report& report,
                                                    const std::function<std::string(const Package&)>& ref_of);

}  // namespace slipway::scan
