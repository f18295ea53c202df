// What rises from the providers to the macro machine, and from there to whoever looks on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"

namespace slipway::feeds {

enum class EventKind : std::uint8_t {
  kProviderStarted,
  kProviderCompleted,
  kProviderFailed,  // stopped by somebody counts as failed here: what waits for it waits in vain
  kProviderPaused,
  kProviderResumed,
  kQuotaRevoked,
  kQuotaGranted,
  kRateLimited,
  kCheckpoint,  // each 100 items
};

[[nodiscard]] std::string_view to_string(EventKind kind);  // "PROVIDER_STARTED", ...

struct Event {
  EventKind kind = EventKind::kCheckpoint;
  std::string provider{};
  TimePoint at{};
  std::int64_t processed = 0;  // so far in this sync
  std::string detail{};        // for people: an error, how many permits, until when
};

}  // namespace slipway::feeds
