#include "base/error.h"

#include <algorithm>
#include <array>

namespace slipway {
namespace {

struct KindName {
  ErrorKind kind;
  std::string_view name;
};

constexpr std::array kKindNames{
    KindName{ErrorKind::kInvalid, "invalid"},
    KindName{ErrorKind::kNotFound, "not-found"},
    KindName{ErrorKind::kAlreadyExists, "already-exists"},
    KindName{ErrorKind::kAlreadyRunning, "already-running"},
    KindName{ErrorKind::kConflict, "conflict"},
    KindName{ErrorKind::kUnsupported, "unsupported"},
    KindName{ErrorKind::kPermission, "permission"},
    KindName{ErrorKind::kUnavailable, "unavailable"},
    KindName{ErrorKind::kNoSpace, "no-space"},
    KindName{ErrorKind::kIo, "io"},
    KindName{ErrorKind::kTimeout, "timeout"},
    KindName{ErrorKind::kCancelled, "cancelled"},
    KindName{ErrorKind::kCorrupt, "corrupt"},
    KindName{ErrorKind::kRejected, "rejected"},
    KindName{ErrorKind::kVulnerable, "vulnerable"},
    KindName{ErrorKind::kParked, "parked"},
    KindName{ErrorKind::kInternal, "internal"},
};

}  // namespace

std::string_view to_string(ErrorKind kind) {
  const auto* found = std::ranges::find(kKindNames, kind, &KindName::kind);
  return found == kKindNames.end() ? "internal" : found->name;
}

std::optional<ErrorKind> parse_error_kind(std::string_view name) {
  const auto* found = std::ranges::find(kKindNames, name, &KindName::name);
  if (found == kKindNames.end()) return std::nullopt;
  return found->kind;
}

std::string Error::describe() const { return hint_.empty() ? message_ : fmt::format("{} ({})", message_, hint_); }

Error Error::with_hint(std::string hint) && {
  hint_ = std::move(hint);
  return std::move(*this);
}

Error Error::prefixed(std::string_view doing) const {
  Error outer(kind_, fmt::format("{}: {}", doing, message_));
  outer.hint_ = hint_;
  return outer;
}

}  // namespace slipway
