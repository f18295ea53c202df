// "Did you mean": the known name that is nearest to a misspelt one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace slipway::cli {

// Insertions, removals, replacements and swaps of neighbours that lead from one to the other.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// The nearest of `known`, when it is near enough that it may have been meant. The first of equals.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word, std::span<const std::string> known);

}  // namespace slipway::cli
