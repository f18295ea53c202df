// The states of the macro machine, which orchestrates the providers.
//
//   BOOTSTRAPPING  no provider has been started yet
//   ORCHESTRATING  providers are at work, or wait
//   STABILIZING    all have terminated
//   DRAINING       the end: nothing is started any more
//
// The names are on disk.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "states/transition_table.h"

namespace slipway::feeds {

enum class MacroState : std::uint8_t { kBootstrapping, kOrchestrating, kStabilizing, kDraining };

inline constexpr std::array kMacroStates = {MacroState::kBootstrapping, MacroState::kOrchestrating,
                                            MacroState::kStabilizing, MacroState::kDraining};

[[nodiscard]] std::string_view to_string(MacroState state);
[[nodiscard]] std::optional<MacroState> parse_macro_state(std::string_view name);

[[nodiscard]] const states::TransitionTable<MacroState>& macro_transitions();

}  // namespace slipway::feeds
