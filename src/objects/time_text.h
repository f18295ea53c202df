// Instants as S3 and HTTP spell them. Nothing for a text that is not of the form, or not a time that exists.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace slipway::objects {

// "Sun, 06 Nov 1994 08:49:37 GMT", and the two older forms that RFC 9110 (5.6.7) wants understood.
[[nodiscard]] std::optional<TimePoint> parse_http_date(std::string_view text);
// "2026-11-15T20:41:24Z", with or without a fraction.
[[nodiscard]] std::optional<TimePoint> parse_iso8601(std::string_view text);

// "20130524T000000Z", as signatures want it.
[[nodiscard]] std::string to_amz_date(TimePoint at);

}  // namespace slipway::objects
