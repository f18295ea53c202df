// The parts of feeds_bench.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report.h"

namespace slipway::bench {

inline constexpr std::string_view kSyncArgument = "--sync";

// Loads one provider from `source` (as the setting feed_PROVIDER_source has it) into the database, to the end, and
// prints the most memory that this process has had, in KiB. The exit code.
[[nodiscard]] int sync_feed(const std::string& provider, const std::string& database, const std::string& source);

[[nodiscard]] std::vector<Measure> measure_feeds();

}  // namespace slipway::bench
