// What the schemes have in common: bytes by class, and numbers of any length. ASCII only, whatever the locale says.
#pragma once

#include <compare>
#include <cstddef>
#include <string_view>

namespace slipway::scan::versions {

using Order = std::strong_ordering;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr bool is_letter(char c) { return is_lower(to_lower(c)); }
constexpr bool is_word(char c) { return is_digit(c) || is_letter(c); }
constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Takes from the front of `text` what fits, which may be nothing.
template <class Fits>
constexpr std::string_view take_while(std::string_view& text, Fits fits) {
  std::size_t end = 0;
  while (end < text.size() && fits(text[end])) ++end;
  const auto taken = text.substr(0, end);
  text.remove_prefix(end);
  return taken;
}

constexpr std::string_view take_digits(std::string_view& text) { return take_while(text, is_digit); }

constexpr bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

constexpr bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

template <class Fits>
constexpr bool all_of(std::string_view text, Fits fits) {
  take_while(text, fits);
  return text.empty();
}

constexpr std::string_view trimmed(std::string_view text) {
  take_while(text, is_blank);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

constexpr std::string_view without_zeros(std::string_view digits) {
  take_while(digits, [](char c) { return c == '0'; });
  return digits;
}

constexpr bool is_zero(std::string_view digits) { return without_zeros(digits).empty(); }

// Of two runs of digits, as numbers; none at all is 0.
constexpr Order compare_numbers(std::string_view a, std::string_view b) {
  a = without_zeros(a);
  b = without_zeros(b);
  if (a.size() != b.size()) return a.size() <=> b.size();
  return a <=> b;
}

// Bytes, but for the case of letters.
constexpr Order compare_lower(std::string_view a, std::string_view b) {
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    const auto order = static_cast<unsigned char>(to_lower(a[i])) <=> static_cast<unsigned char>(to_lower(b[i]));
    if (order != Order::equal) return order;
  }
  return a.size() <=> b.size();
}

constexpr bool equals_lower(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() && compare_lower(text, lower) == Order::equal;
}

}  // namespace slipway::scan::versions
