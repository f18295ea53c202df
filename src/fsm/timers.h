// What is to happen when. Ordered by time, then by arrival. Not thread-safe: the runtime's lock guards it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/time.h"
#include "fsm/version.h"

namespace slipway::fsm {

enum class TimerKind : std::uint8_t {
  kDue,        // a delayed or backing-off run's time has come
  kTimeout,    // a handler's time is up
  kRecheck,    // something outside this process may have changed
  kRetry,      // try again to write what the disk did not take
  kNotes,      // write down states that nobody waits for
  kRetention,  // look for finished runs to remove
};

class Timers {
 public:
  using Id = std::pair<TimePoint, std::uint64_t>;

  struct Fired {
    TimerKind kind;
    RunVersion run;
  };

  Id add(TimePoint due, TimerKind kind, RunVersion run = {}) {
    const Id id{due, ++last_};
    entries_.emplace(id, Fired{kind, run});
    return id;
  }

  void cancel(Id id) { entries_.erase(id); }

  [[nodiscard]] std::optional<TimePoint> next_due() const {
    if (entries_.empty()) return std::nullopt;
    return entries_.begin()->first.first;
  }

  // Takes out the earliest one that is due.
  [[nodiscard]] std::optional<Fired> take_due(TimePoint now) {
    if (entries_.empty() || entries_.begin()->first.first > now) return std::nullopt;
    const Fired fired = entries_.begin()->second;
    entries_.erase(entries_.begin());
    return fired;
  }

 private:
  std::map<Id, Fired> entries_;
  std::uint64_t last_ = 0;
};

}  // namespace slipway::fsm
