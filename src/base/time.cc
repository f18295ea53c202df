#include "base/time.h"

#include <ctime>

#include <fmt/format.h>

namespace slipway {

std::string to_iso8601(TimePoint at) {
  if (at < TimePoint::min() + std::chrono::seconds(1)) return fmt::format("@{}us", to_micros(at));  // floor overflows
  const auto second = std::chrono::floor<std::chrono::seconds>(at);
  const auto micros = (at - second).count();
  const std::time_t since_epoch = second.time_since_epoch().count();
  std::tm utc{};
  if (gmtime_r(&since_epoch, &utc) == nullptr) return fmt::format("@{}us", to_micros(at));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                     utc.tm_hour, utc.tm_min, utc.tm_sec, micros);
}

std::string to_human(Duration length) {
  const auto micros = length.count();
  if (micros < 1'000) return fmt::format("{}µs", micros);
  if (micros < 1'000'000) return fmt::format("{:.1f}ms", static_cast<double>(micros) / 1e3);
  if (micros < 60'000'000) return fmt::format("{:.1f}s", static_cast<double>(micros) / 1e6);
  const auto seconds = micros / 1'000'000;
  return fmt::format("{}m{:02}s", seconds / 60, seconds % 60);
}

}  // namespace slipway
