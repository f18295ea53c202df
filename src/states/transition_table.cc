#include "states/transition_table.h"

#include <fmt/ranges.h>

namespace slipway::states {

Error refused(std::string_view subject, std::string_view from, std::string_view to,
              std::span<const std::string_view> possible) {
  const auto message = fmt::format("{} cannot go from {} to {}", subject, from, to);
  if (possible.empty()) return Error(ErrorKind::kConflict, fmt::format("{}: {} is final", message, from));
  return Error(ErrorKind::kConflict, fmt::format("{}: from there it can go to {}", message, fmt::join(possible, ", ")));
}

}  // namespace slipway::states
