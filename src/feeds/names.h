// Enums whose names are on disk: one list of pairs serves both ways.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace slipway::feeds {

template <class Value>
using Names = std::span<const std::pair<Value, std::string_view>>;

template <class Value>
[[nodiscard]] constexpr std::string_view name_of(Names<Value> names, Value value) {
  for (const auto& [known, name] : names) {
    if (known == value) return name;
  }
  return "?";
}

template <class Value>
[[nodiscard]] constexpr std::optional<Value> value_of(Names<Value> names, std::string_view name) {
  for (const auto& [value, known] : names) {
    if (known == name) return value;
  }
  return std::nullopt;
}

}  // namespace slipway::feeds
