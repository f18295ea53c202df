// Percent-encoding (RFC 3986).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace slipway::scan {

// All but letters, digits, "-._~" and the characters of `kept`.
[[nodiscard]] std::string percent_encode(std::string_view text, std::string_view kept = {});
// Nothing when a % is not followed by two hexadecimal digits. A plus is a plus.
[[nodiscard]] std::optional<std::string> percent_decode(std::string_view text);

}  // namespace slipway::scan
