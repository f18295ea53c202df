#include "base/severity.h"

#include <array>
#include <utility>

namespace slipway {
namespace {

constexpr std::array<std::string_view, 6> kNames{"unknown", "negligible", "low", "medium", "high", "critical"};

}  // namespace

std::string_view to_string(Severity severity) {
  const auto at = static_cast<std::size_t>(std::to_underlying(severity));
  return at < kNames.size() ? kNames[at] : kNames[0];
}

std::optional<Severity> parse_severity(std::string_view text) {
  for (std::size_t at = 0; at < kNames.size(); ++at) {
    if (kNames[at] == text) return static_cast<Severity>(at);
  }
  return std::nullopt;
}

}  // namespace slipway
