#include "fsm/event.h"

namespace slipway::fsm {

std::string_view to_string(EventKind kind) {
  switch (kind) {
    case EventKind::kStarted: return "started";
    case EventKind::kCompleted: return "completed";
    case EventKind::kErrored: return "errored";
    case EventKind::kSkipped: return "skipped";
    case EventKind::kRefused: return "refused";
    case EventKind::kInterrupted: return "interrupted";
    case EventKind::kParked: return "parked";
    case EventKind::kUnparked: return "unparked";
    case EventKind::kCancelRequested: return "cancel-requested";
    case EventKind::kFinalizerFailed: return "finalizer-failed";
    case EventKind::kFinished: return "finished";
    case EventKind::kBegan: return "began";
    case EventKind::kProgress: return "progress";
    case EventKind::kOverdue: return "overdue";
  }
  return "unknown";
}

std::optional<EventKind> parse_event_kind(std::int64_t number) {
  if (number < static_cast<int>(EventKind::kStarted) || number > static_cast<int>(EventKind::kFinished)) {
    return std::nullopt;
  }
  return static_cast<EventKind>(number);
}

}  // namespace slipway::fsm
