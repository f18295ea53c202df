#include "scan/finding.h"

#include <array>
#include <utility>

namespace slipway::scan {
namespace {

constexpr std::array<std::string_view, 5> kStatuses{"affected", "fixed", "will_not_fix", "end_of_life",
                                                    "under_investigation"};

}  // namespace

std::string_view to_string(FixStatus status) {
  const auto at = static_cast<std::size_t>(std::to_underlying(status));
  return at < kStatuses.size() ? kStatuses[at] : kStatuses[0];
}

std::optional<FixStatus> parse_fix_status(std::string_view text) {
  for (std::size_t at = 0; at < kStatuses.size(); ++at) {
    if (kStatuses[at] == text) return static_cast<FixStatus>(at);
  }
  return std::nullopt;
}

}  // namespace slipway::scan
