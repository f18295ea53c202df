#include "feeds/event.h"

#include "feeds/names.h"

namespace slipway::feeds {
namespace {

constexpr std::pair<EventKind, std::string_view> kNames[] = {
    {EventKind::kProviderStarted, "PROVIDER_STARTED"},
    {EventKind::kProviderCompleted, "PROVIDER_COMPLETED"},
    {EventKind::kProviderFailed, "PROVIDER_FAILED"},
    {EventKind::kProviderPaused, "PROVIDER_PAUSED"},
    {EventKind::kProviderResumed, "PROVIDER_RESUMED"},
    {EventKind::kQuotaRevoked, "QUOTA_REVOKED"},
    {EventKind::kQuotaGranted, "QUOTA_GRANTED"},
    {EventKind::kRateLimited, "RATE_LIMITED"},
    {EventKind::kCheckpoint, "CHECKPOINT"},
};

}  // namespace

std::string_view to_string(EventKind kind) { return name_of<EventKind>(kNames, kind); }

}  // namespace slipway::feeds
