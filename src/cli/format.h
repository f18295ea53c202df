// Numbers, times and digests for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace slipway::cli {

[[nodiscard]] std::string format_bytes(std::uint64_t bytes);   // "1.5 GiB", "512 B"
[[nodiscard]] std::string format_rate(double bytes_a_second);  // "1.5 MiB/s"
// "0:42", "12:05", "1:02:03", "3d 04:00": counts down evenly, so it does not jump about in a line that is redrawn.
[[nodiscard]] std::string format_clock(Duration length);
// "2026-11-16 01:55:03" in the time zone of the process.
[[nodiscard]] std::string format_local_time(TimePoint at);
// The first twelve characters: enough to tell digests apart by eye.
[[nodiscard]] std::string short_checksum(std::string_view checksum);

}  // namespace slipway::cli
