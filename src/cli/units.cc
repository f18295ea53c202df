#include "cli/units.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>

namespace slipway::cli {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

// Takes digits from the front; nothing when there are none, or when they are more than 2^63 - 1.
struct Digits {
  bool any = false;
  bool overflow = false;
  std::uint64_t value = 0;
};
Digits take_digits(std::string_view& text) {
  Digits read;
  while (!text.empty() && is_digit(text.front())) {
    const auto digit = static_cast<std::uint64_t>(text.front() - '0');
    if (read.value > (kMost - digit) / 10) read.overflow = true;
    if (!read.overflow) read.value = read.value * 10 + digit;
    read.any = true;
    text.remove_prefix(1);
  }
  return read;
}

void skip_spaces(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
}

std::optional<std::uint64_t> size_unit(std::string_view name) {
  const std::string unit = lower(name);
  if (unit.empty() || unit == "b") return 1;
  constexpr std::string_view kLetters = "kmgtp";
  const auto power = kLetters.find(unit.front());
  if (power == std::string_view::npos) return std::nullopt;
  const std::string_view rest = std::string_view(unit).substr(1);
  if (!rest.empty() && rest != "ib" && rest != "b") return std::nullopt;
  std::uint64_t bytes = 1;
  for (std::size_t i = 0; i <= power; ++i) bytes *= rest == "b" ? 1000 : 1024;
  return bytes;
}

constexpr std::string_view kSizeRule = "a size is a number of bytes, or one with a unit such as 512MiB, 10GiB or 1.5GB";
constexpr std::string_view kDurationRule =
    "a duration is a number of seconds, or one with units such as 500ms, 30s, 5m or 1h30m";

std::optional<std::int64_t> duration_unit(std::string_view name) {
  struct Unit {
    std::string_view name;
    std::int64_t millis;
  };
  static constexpr std::array kUnits{Unit{"ms", 1},       Unit{"s", 1'000},     Unit{"sec", 1'000},   Unit{"m", 60'000},
                                     Unit{"min", 60'000}, Unit{"h", 3'600'000}, Unit{"d", 86'400'000}};
  for (const auto& unit : kUnits) {
    if (unit.name == name) return unit.millis;
  }
  return std::nullopt;
}

}  // namespace

Result<std::uint64_t> parse_size(std::string_view text) {
  const auto whole = take_digits(text);
  if (!whole.any) return fail(ErrorKind::kInvalid, "{}", kSizeRule);
  std::uint64_t fraction = 0;
  std::uint64_t scale = 1;
  const bool has_fraction = !text.empty() && text.front() == '.';
  if (has_fraction) {
    text.remove_prefix(1);
    const auto length = text.size();
    const auto digits = take_digits(text);
    if (!digits.any || length - text.size() > 9) return fail(ErrorKind::kInvalid, "{}", kSizeRule);
    fraction = digits.value;
    for (auto i = length - text.size(); i > 0; --i) scale *= 10;
  }
  skip_spaces(text);
  const auto unit = size_unit(text);
  if (!unit || (has_fraction && *unit == 1)) return fail(ErrorKind::kInvalid, "{}", kSizeRule);
  // At most 2^50 · 10^9 in the product below: less than 2^80.
  __extension__ using Wide = unsigned __int128;
  const Wide bytes = static_cast<Wide>(whole.value) * *unit + static_cast<Wide>(fraction) * *unit / scale;
  if (whole.overflow || bytes > kMost) return fail(ErrorKind::kInvalid, "a size is at most 9223372036854775807 bytes");
  return static_cast<std::uint64_t>(bytes);
}

Result<std::uint64_t> parse_count(std::string_view text) {
  const auto digits = take_digits(text);
  if (!digits.any || !text.empty()) return fail(ErrorKind::kInvalid, "a number is written with digits only");
  if (digits.overflow) return fail(ErrorKind::kInvalid, "a number is at most 9223372036854775807");
  return digits.value;
}

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  constexpr std::int64_t kLongest = 1000LL * 365 * 86'400'000;
  std::int64_t total = 0;
  bool first = true;
  while (first || !text.empty()) {
    const auto digits = take_digits(text);
    if (!digits.any) return fail(ErrorKind::kInvalid, "{}", kDurationRule);
    skip_spaces(text);
    const auto length = static_cast<std::size_t>(
        std::ranges::find_if(text, [](char c) { return is_digit(c) || c == ' '; }) - text.begin());
    const auto name = lower(text.substr(0, length));
    text.remove_prefix(length);
    const bool bare = name.empty() && first && text.empty();
    const auto unit = bare ? std::optional<std::int64_t>(1'000) : duration_unit(name);
    if (!unit) return fail(ErrorKind::kInvalid, "{}", kDurationRule);
    if (digits.overflow || digits.value > static_cast<std::uint64_t>(kLongest / *unit)) {
      return fail(ErrorKind::kInvalid, "a duration is at most 1000 years");
    }
    total += static_cast<std::int64_t>(digits.value) * *unit;
    if (total > kLongest) return fail(ErrorKind::kInvalid, "a duration is at most 1000 years");
    skip_spaces(text);
    first = false;
  }
  return std::chrono::milliseconds(total);
}

Result<bool> parse_bool(std::string_view text) {
  const auto word = lower(text);
  if (word == "true" || word == "yes" || word == "on" || word == "1") return true;
  if (word == "false" || word == "no" || word == "off" || word == "0") return false;
  return fail(ErrorKind::kInvalid, "it must be true or false");
}

}  // namespace slipway::cli
