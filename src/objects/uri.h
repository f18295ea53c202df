// Percent-encoding as S3 and its signatures want it, and texts from outside made fit for a message.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slipway::objects {

enum class Slash : std::uint8_t { kKeep, kEncode };

// Everything but A-Z a-z 0-9 - . _ ~ (and the slash, when it is kept) becomes %XX, upper case.
[[nodiscard]] std::string percent_encode(std::string_view text, Slash slash);

enum class Plus : std::uint8_t { kAsItIs, kIsSpace };

// Nothing when a % is not followed by two hexadecimal digits.
[[nodiscard]] std::optional<std::string> percent_decode(std::string_view text, Plus plus);

// The text in double quotes, with control bytes as \xNN and at most 200 bytes of it: for messages about what others
// sent.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace slipway::objects
