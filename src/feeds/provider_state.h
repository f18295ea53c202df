// The states of a provider: the machine of one data source.
//
//   IDLE             it has not been started
//   ACQUIRING        it waits for permits
//   RUNNING          it has permits, and reads its source
//   WAITING_QUOTA    its permits were revoked
//   WAITING_BACKOFF  its source asked for patience; it goes on at an instant that is on disk
//   PAUSED           until somebody resumes it
//   TERMINATED       with an outcome; a restart is a new instance, with the checkpoint of the last one
//
// The names are on disk.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "states/transition_table.h"

namespace slipway::feeds {

enum class ProviderState : std::uint8_t {
  kIdle,
  kAcquiring,
  kRunning,
  kWaitingQuota,
  kWaitingBackoff,
  kPaused,
  kTerminated,
};

inline constexpr std::array kProviderStates = {
    ProviderState::kIdle,           ProviderState::kAcquiring, ProviderState::kRunning,    ProviderState::kWaitingQuota,
    ProviderState::kWaitingBackoff, ProviderState::kPaused,    ProviderState::kTerminated,
};

[[nodiscard]] std::string_view to_string(ProviderState state);
[[nodiscard]] std::optional<ProviderState> parse_provider_state(std::string_view name);

[[nodiscard]] const states::TransitionTable<ProviderState>& provider_transitions();

// How a provider has terminated.
enum class Outcome : std::uint8_t { kCompleted, kStopped, kFailed };

[[nodiscard]] std::string_view to_string(Outcome outcome);
[[nodiscard]] std::optional<Outcome> parse_outcome(std::string_view name);

}  // namespace slipway::feeds
