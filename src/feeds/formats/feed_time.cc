#include "feeds/formats/feed_time.h"

#include <algorithm>
#include <chrono>

#include "base/number.h"

namespace slipway::feeds {
namespace {

using namespace std::chrono;

// Takes things off the front of a text.
struct Scanner {
  std::string_view rest;

  std::optional<int> digits(std::size_t count) {
    const auto part = rest.substr(0, count);
    if (part.size() != count || !std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; })) {
      return std::nullopt;
    }
    rest.remove_prefix(count);
    return parse_number<int>(part);
  }
  bool mark(char c) {
    if (!rest.starts_with(c)) return false;
    rest.remove_prefix(1);
    return true;
  }
};

// Of a second; digits beyond microseconds are cut off.
std::optional<microseconds> parse_fraction(Scanner& text) {
  int value = 0;
  int places = 0;
  for (; !text.rest.empty() && text.rest.front() >= '0' && text.rest.front() <= '9'; text.rest.remove_prefix(1)) {
    if (places == 6) continue;
    value = value * 10 + (text.rest.front() - '0');
    ++places;
  }
  if (places == 0) return std::nullopt;
  for (; places < 6; ++places) value *= 10;
  return microseconds(value);
}

std::optional<microseconds> parse_clock(Scanner& text) {
  const auto hour = text.digits(2);
  if (!hour || *hour > 23 || !text.mark(':')) return std::nullopt;
  const auto minute = text.digits(2);
  if (!minute || *minute > 59) return std::nullopt;
  microseconds time = hours(*hour) + minutes(*minute);
  if (!text.mark(':')) return time;
  const auto second = text.digits(2);
  if (!second || *second > 60) return std::nullopt;
  time += seconds(*second);
  if (!text.mark('.')) return time;
  const auto fraction = parse_fraction(text);
  if (!fraction) return std::nullopt;
  return time + *fraction;
}

std::optional<minutes> parse_zone(Scanner& text) {
  if (text.rest.empty() || text.rest == "Z") return minutes(0);
  const bool east = text.rest.front() == '+';
  if (!east && text.rest.front() != '-') return std::nullopt;
  text.rest.remove_prefix(1);
  const auto hour = text.digits(2);
  (void)text.mark(':');
  const auto minute = text.digits(2);
  if (!hour || !minute || *hour > 23 || *minute > 59 || !text.rest.empty()) return std::nullopt;
  const minutes offset = hours(*hour) + minutes(*minute);
  return east ? offset : -offset;
}

}  // namespace

std::optional<TimePoint> parse_feed_time(std::string_view text) {
  Scanner scan{text};
  const auto y = scan.digits(4);
  if (!y || !scan.mark('-')) return std::nullopt;
  const auto m = scan.digits(2);
  if (!m || !scan.mark('-')) return std::nullopt;
  const auto d = scan.digits(2);
  if (!d) return std::nullopt;
  const year_month_day date{year(*y), month(static_cast<unsigned>(*m)), day(static_cast<unsigned>(*d))};
  if (!date.ok()) return std::nullopt;
  microseconds time = sys_days(date).time_since_epoch();
  if (!scan.rest.empty()) {
    if (!scan.mark('T') && !scan.mark(' ')) return std::nullopt;
    const auto clock = parse_clock(scan);
    if (!clock) return std::nullopt;
    const auto zone = parse_zone(scan);
    if (!zone) return std::nullopt;
    time += *clock - *zone;
  }
  return from_micros(time.count());
}

}  // namespace slipway::feeds
