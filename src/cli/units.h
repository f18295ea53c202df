// Values as people write them. What is not exactly of the form is an error (kInvalid) that states the rule; nothing is
// guessed. The message does not name the value or its key: the caller knows where it came from.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "base/error.h"

namespace slipway::cli {

// A size in bytes. Digits, then perhaps a unit, either case, with or without a space between:
//   none, B             bytes
//   K M G T P, KiB ...  1024, 1024², ...
//   KB MB GB TB PB      1000, 1000², ...
// A number with a unit may have a fraction ("1.5GB"); what is below a byte is cut off. At most 2^63 - 1.
[[nodiscard]] Result<std::uint64_t> parse_size(std::string_view text);

// Digits only; at most 2^63 - 1.
[[nodiscard]] Result<std::uint64_t> parse_count(std::string_view text);

// "30" (seconds), "30s", "500ms", "5 min", "1h30m", "2d". Units: ms, s (sec), m (min), h, d.
[[nodiscard]] Result<std::chrono::milliseconds> parse_duration(std::string_view text);

// true, yes, on, 1; false, no, off, 0; either case.
[[nodiscard]] Result<bool> parse_bool(std::string_view text);

}  // namespace slipway::cli
