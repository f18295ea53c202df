// Numbers out of text from outside.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>

namespace slipway {

// The number that `text` is, from its first character to its last: no blanks, no plus sign, nothing after it. Nothing
// when it is none, or does not fit.
template <std::integral Number>
[[nodiscard]] std::optional<Number> parse_number(std::string_view text, int base = 10) {
  Number number = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [stopped, error] = std::from_chars(begin, end, number, base);
  if (error != std::errc{} || stopped != end) return std::nullopt;
  return number;
}

}  // namespace slipway
