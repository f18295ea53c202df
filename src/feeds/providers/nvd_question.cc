#include "feeds/providers/nvd_question.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/number.h"

namespace slipway::feeds {
namespace {

constexpr Duration kLongestWindow = std::chrono::hours(24 * 120);
// Clocks differ, and NVD needs a while to publish: what was modified shortly before the last question is asked again.
constexpr Duration kOverlap = std::chrono::hours(2);

// As NVD wants it: milliseconds, and a zone whose plus sign is encoded.
std::string nvd_time(TimePoint at) {
  const auto text = to_iso8601(at);  // 2025-11-12T12:00:00.000000Z
  return text.substr(0, text.find('.')) + ".000%2B00:00";
}

}  // namespace

NvdQuestion::NvdQuestion(std::string_view source, std::optional<TimePoint> from, TimePoint until)
    : source_(source), from_(from), until_(until) {
  if (!from) {
    windows_.push_back({std::nullopt, until});
    return;
  }
  for (TimePoint begin = *from; begin < until;) {
    const auto end = std::min(until, later(begin, kLongestWindow));
    windows_.push_back({begin, end});
    begin = end;
  }
}

std::optional<NvdQuestion> NvdQuestion::parse(std::string_view tag, std::string_view source) {
  const auto mark = fmt::format("nvd2 {} ", source);
  if (!tag.starts_with(mark)) return std::nullopt;
  tag.remove_prefix(mark.size());
  const auto blank = tag.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  const auto until = parse_number<std::int64_t>(tag.substr(blank + 1));
  if (!until) return std::nullopt;
  if (tag.substr(0, blank) == "all") return NvdQuestion(source, std::nullopt, from_micros(*until));
  const auto from = parse_number<std::int64_t>(tag.substr(0, blank));
  if (!from) return std::nullopt;
  return NvdQuestion(source, from_micros(*from), from_micros(*until));
}

NvdQuestion NvdQuestion::after(std::string_view tag, std::string_view source, TimePoint now) {
  const auto last = parse(tag, source);
  if (!last) return {source, std::nullopt, now};
  return {source, std::min(last->until_, now) - kOverlap, now};
}

std::string NvdQuestion::tag() const {
  return fmt::format("nvd2 {} {} {}", source_, from_ ? std::to_string(to_micros(*from_)) : "all", to_micros(until_));
}

std::string NvdQuestion::query(std::size_t window, std::size_t index, std::size_t page) const {
  std::string text = fmt::format("resultsPerPage={}&startIndex={}", page, index);
  const auto& asked = windows_.at(window);
  if (asked.from) {
    text += fmt::format("&lastModStartDate={}&lastModEndDate={}", nvd_time(*asked.from), nvd_time(asked.until));
  }
  return text;
}

}  // namespace slipway::feeds
