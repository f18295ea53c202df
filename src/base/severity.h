// How bad a vulnerability is. The numbers and the names are on disk: they may be added to, never changed.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace slipway {

enum class Severity : std::uint8_t { kUnknown, kNegligible, kLow, kMedium, kHigh, kCritical };

[[nodiscard]] std::string_view to_string(Severity severity);  // "critical"
[[nodiscard]] std::optional<Severity> parse_severity(std::string_view text);

}  // namespace slipway
