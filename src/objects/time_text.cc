#include "objects/time_text.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <ctime>

#include <fmt/format.h>

namespace slipway::objects {
namespace {

// Nothing unless the broken-down time is one that the calendar has: timegm() would carry the 31st of April over.
std::optional<TimePoint> to_instant(std::tm parts) {
  if (parts.tm_sec > 59 || parts.tm_min > 59 || parts.tm_hour > 23) return std::nullopt;
  const std::tm asked = parts;
  const std::time_t seconds = timegm(&parts);
  if (parts.tm_mday != asked.tm_mday || parts.tm_mon != asked.tm_mon || parts.tm_year != asked.tm_year) {
    return std::nullopt;
  }
  return TimePoint(std::chrono::seconds(seconds));
}

// The end of what strptime took, as an index; nothing when it did not match.
std::optional<std::size_t> scan(const std::string& text, const char* form, std::tm& parts) {
  parts = {};
  const char* end = ::strptime(text.c_str(), form, &parts);
  if (end == nullptr) return std::nullopt;
  return static_cast<std::size_t>(end - text.c_str());
}

}  // namespace

std::optional<TimePoint> parse_http_date(std::string_view text) {
  constexpr std::array<const char*, 3> kForms = {"%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT",
                                                 "%a %b %e %H:%M:%S %Y"};
  const std::string copy(text);
  for (const char* form : kForms) {
    std::tm parts{};
    if (scan(copy, form, parts) == copy.size()) return to_instant(parts);
  }
  return std::nullopt;
}

std::optional<TimePoint> parse_iso8601(std::string_view text) {
  const std::string copy(text);
  std::tm parts{};
  const auto end = scan(copy, "%Y-%m-%dT%H:%M:%S", parts);
  if (!end) return std::nullopt;
  std::string_view rest = std::string_view(copy).substr(*end);
  std::int64_t micros = 0;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    std::int64_t weight = 100'000;
    std::size_t digits = 0;
    while (digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9') {
      micros += (rest[digits++] - '0') * weight;
      weight /= 10;
    }
    if (digits == 0 || digits > 12) return std::nullopt;
    rest.remove_prefix(digits);
  }
  if (rest != "Z" && rest != "+00:00") return std::nullopt;
  const auto at = to_instant(parts);
  if (!at) return std::nullopt;
  return *at + Duration(micros);
}

std::string to_amz_date(TimePoint at) {
  const std::time_t seconds = std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count();
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour,
                     utc.tm_min, utc.tm_sec);
}

}  // namespace slipway::objects
