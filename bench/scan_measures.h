// The parts of scan_bench.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report.h"

namespace slipway::bench {

inline constexpr std::string_view kInventoryArgument = "--inventory";  // the child that reads the archive
inline constexpr std::string_view kListArgument = "--list";

// Lists the packages of an archive as the program does it, with a child, and prints how many there are. The exit code.
[[nodiscard]] int list_packages(const std::string& tar);

[[nodiscard]] std::vector<Measure> measure_scan();

}  // namespace slipway::bench
