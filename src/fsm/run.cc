#include "fsm/run.h"

#include <algorithm>
#include <array>

namespace slipway::fsm {
namespace {

// By alternative of RunState.
constexpr std::array<std::string_view, std::variant_size_v<RunState>> kStateNames{
    "following", "delayed", "queued", "running", "backing-off", "parked", "finishing", "finished", "awaiting"};

// By value of Ending.
constexpr std::array<std::string_view, 5> kEndingNames{"completed", "handed-off", "failed", "aborted", "cancelled"};
static_assert(kEndingNames.size() == static_cast<std::size_t>(Ending::kCancelled) + 1);

}  // namespace

std::string_view to_string(Ending ending) { return kEndingNames.at(static_cast<std::size_t>(ending)); }

std::optional<Ending> parse_ending(std::string_view name) {
  const auto* found = std::ranges::find(kEndingNames, name);
  if (found == kEndingNames.end()) return std::nullopt;
  return static_cast<Ending>(found - kEndingNames.begin());
}

std::string_view name_of(const RunState& state) { return kStateNames.at(state.index()); }

bool is_state_name(std::string_view name) { return std::ranges::find(kStateNames, name) != kStateNames.end(); }

}  // namespace slipway::fsm
