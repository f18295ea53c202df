#include "cli/format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

namespace slipway::cli {
namespace {

std::string scaled(double value) {
  static constexpr std::array<std::string_view, 7> kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  // 1023.95 would be shown as 1024.0.
  while (value >= (unit == 0 ? 1023.5 : 1023.95) && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", value) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

}  // namespace

std::string format_bytes(std::uint64_t bytes) { return scaled(static_cast<double>(bytes)); }

std::string format_rate(double bytes_a_second) {
  if (!std::isfinite(bytes_a_second) || bytes_a_second < 0) bytes_a_second = 0;
  return scaled(bytes_a_second) + "/s";
}

std::string format_clock(Duration length) {
  const auto seconds = std::max<std::int64_t>(0, length.count() / 1'000'000);
  const auto minutes = seconds / 60;
  const auto hours = minutes / 60;
  if (hours >= 24) return fmt::format("{}d {:02}:{:02}", hours / 24, hours % 24, minutes % 60);
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes % 60, seconds % 60);
  return fmt::format("{}:{:02}", minutes, seconds % 60);
}

std::string format_local_time(TimePoint at) {
  const std::time_t seconds = std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count();
  std::tm local{};
  if (localtime_r(&seconds, &local) == nullptr) return to_iso8601(at);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", local.tm_year + 1900, local.tm_mon + 1, local.tm_mday,
                     local.tm_hour, local.tm_min, local.tm_sec);
}

std::string short_checksum(std::string_view checksum) {
  constexpr std::size_t kLength = 12;
  return std::string(checksum.substr(0, kLength));
}

}  // namespace slipway::cli
