#include "feeds/macro_state.h"

#include "feeds/names.h"

namespace slipway::feeds {
namespace {

using enum MacroState;

constexpr std::pair<MacroState, std::string_view> kNames[] = {
    {kBootstrapping, "BOOTSTRAPPING"},
    {kOrchestrating, "ORCHESTRATING"},
    {kStabilizing, "STABILIZING"},
    {kDraining, "DRAINING"},
};

using Table = states::TransitionTable<MacroState>;

constexpr Table::Row kRows[] = {
    {kBootstrapping, kOrchestrating, "the first provider starts"},  {kBootstrapping, kDraining, "emergency shutdown"},
    {kOrchestrating, kStabilizing, "all providers are terminated"}, {kOrchestrating, kDraining, "emergency shutdown"},
    {kStabilizing, kOrchestrating, "a provider is restarted"},      {kStabilizing, kDraining, "final cleanup"},
};

constexpr Table kTable(kRows);

}  // namespace

std::string_view to_string(MacroState state) { return name_of<MacroState>(kNames, state); }
std::optional<MacroState> parse_macro_state(std::string_view name) { return value_of<MacroState>(kNames, name); }

const states::TransitionTable<MacroState>& macro_transitions() { return kTable; }

}  // namespace slipway::feeds
