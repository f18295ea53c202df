// A version by PEP 440, taken apart. What it holds points into the text.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace slipway::scan::versions {

enum class Pep440Stage : std::uint8_t { kAlpha, kBeta, kCandidate, kFinal };

struct Pep440 {
  std::string_view epoch{};    // digits; here and in all numbers: nothing is 0
  std::string_view release{};  // "1.2.3"
  Pep440Stage stage = Pep440Stage::kFinal;
  std::string_view stage_number{};
  std::optional<std::string_view> post{};
  std::optional<std::string_view> dev{};
  std::string_view local{};  // empty: there is none

  [[nodiscard]] bool is_prerelease() const { return stage != Pep440Stage::kFinal || dev.has_value(); }
};

[[nodiscard]] std::optional<Pep440> parse_pep440(std::string_view text);

[[nodiscard]] std::strong_ordering compare_pep440_releases(std::string_view a, std::string_view b);
[[nodiscard]] std::strong_ordering compare_pep440_parts(const Pep440& a, const Pep440& b);

}  // namespace slipway::scan::versions
