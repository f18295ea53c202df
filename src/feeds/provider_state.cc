#include "feeds/provider_state.h"

#include "feeds/names.h"

namespace slipway::feeds {
namespace {

using enum ProviderState;

constexpr std::pair<ProviderState, std::string_view> kNames[] = {
    {kIdle, "IDLE"},
    {kAcquiring, "ACQUIRING"},
    {kRunning, "RUNNING"},
    {kWaitingQuota, "WAITING_QUOTA"},
    {kWaitingBackoff, "WAITING_BACKOFF"},
    {kPaused, "PAUSED"},
    {kTerminated, "TERMINATED"},
};

constexpr std::pair<Outcome, std::string_view> kOutcomes[] = {
    {Outcome::kCompleted, "completed"},
    {Outcome::kStopped, "stopped"},
    {Outcome::kFailed, "failed"},
};

using Table = states::TransitionTable<ProviderState>;

constexpr Table::Row kRows[] = {
    {kIdle, kAcquiring, "start"},
    {kAcquiring, kRunning, "permits granted"},
    {kAcquiring, kPaused, "pause"},
    {kAcquiring, kTerminated, "stop"},
    {kRunning, kWaitingQuota, "the broker revoked its permits"},
    {kRunning, kWaitingBackoff, "the source answered 429"},
    {kRunning, kPaused, "pause"},
    {kRunning, kTerminated, "stop, completion, or retries used up"},
    {kWaitingQuota, kAcquiring, "retry"},
    {kWaitingQuota, kTerminated, "stop"},
    {kWaitingBackoff, kAcquiring, "the timer ran out"},
    {kWaitingBackoff, kTerminated, "stop"},
    {kPaused, kAcquiring, "resume"},
    {kPaused, kTerminated, "stop"},
};

constexpr Table kTable(kRows);

}  // namespace

std::string_view to_string(ProviderState state) { return name_of<ProviderState>(kNames, state); }
std::optional<ProviderState> parse_provider_state(std::string_view name) {
  return value_of<ProviderState>(kNames, name);
}

const states::TransitionTable<ProviderState>& provider_transitions() { return kTable; }

std::string_view to_string(Outcome outcome) { return name_of<Outcome>(kOutcomes, outcome); }
std::optional<Outcome> parse_outcome(std::string_view name) { return value_of<Outcome>(kOutcomes, name); }

}  // namespace slipway::feeds
