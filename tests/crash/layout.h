// Where things are in the folder of a crash test, for both sides.
#pragma once

#include <string>

namespace slipway::crash {

[[nodiscard]] inline std::string store_path(const std::string& folder) { return folder + "/runs.db"; }
[[nodiscard]] inline std::string trace_path(const std::string& folder) { return folder + "/trace"; }
// Of the mode "record": the fault points that were reached, one a line.
[[nodiscard]] inline std::string points_path(const std::string& folder) { return folder + "/points"; }

}  // namespace slipway::crash
