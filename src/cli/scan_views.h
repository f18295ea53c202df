// A scan's report for people.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/output.h"
#include "scan/finding.h"

namespace slipway::cli {

// What explains a vulnerability, if anything: lines as they are to be printed.
using Explain = std::function<std::vector<std::string>(const scan::Finding&)>;

// Findings in groups (the distribution's packages; each file of other packages), the warnings, and one line that
// counts.
void write_report(Output& output, const scan::Report& report, const Explain& explain);

// "7 vulnerabilities in 120 packages: 1 critical, 2 high, 4 low"; "nothing is known against 120 packages"; "nothing of
// the chosen severities is known against 120 packages; 3 left out".
[[nodiscard]] std::string count_line(const scan::Report& report);

}  // namespace slipway::cli
