// Reports for tests: of several distributions and languages, with all that a finding may have and may lack.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scan/finding.h"

namespace slipway::scan {

// A Debian image with packages of every language.
[[nodiscard]] Report debian_report();
// RPM packages with epochs, of a distribution that others call otherwise.
[[nodiscard]] Report alma_report();
[[nodiscard]] Report alpine_report();
// Names, versions, paths and texts that are anything but plain: blanks, quotes, slashes, control characters, all of
// Unicode. All of it is UTF-8.
[[nodiscard]] Report odd_report();
[[nodiscard]] Report empty_report();
// All of the above, with a name for each.
[[nodiscard]] std::vector<std::pair<std::string, Report>> sample_reports();

}  // namespace slipway::scan
