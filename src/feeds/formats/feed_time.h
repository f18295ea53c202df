// Instants as the feeds spell them.
#pragma once

#include <optional>
#include <string_view>

#include "base/time.h"

namespace slipway::feeds {

// "2025-04-03T01:03:51.193", "2004-02-17T05:00Z", "2024-10-24", "2020-05-21T17:43:26.506123+02:00": a date, a time to
// the minute, the second or a fraction of it, and a zone; without a zone it is UTC. Nothing for any other text.
[[nodiscard]] std::optional<TimePoint> parse_feed_time(std::string_view text);

}  // namespace slipway::feeds
