// One queue: who is in, who waits, who is next. A run's place is its version, so it is the same after a restart; runs
// that were in when the process died come before all others. Not thread-safe: the runtime's lock guards it.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "fsm/version.h"

namespace slipway::fsm {

class RunQueue {
 public:
  struct Place {
    bool was_in = false;  // before the restart
    int priority = 0;
    RunVersion version;

    friend bool operator==(const Place&, const Place&) = default;
    friend std::strong_ordering operator<=>(const Place& a, const Place& b) {
      if (a.was_in != b.was_in) return a.was_in ? std::strong_ordering::less : std::strong_ordering::greater;
      if (a.priority != b.priority) return b.priority <=> a.priority;
      return a.version <=> b.version;
    }
  };

  RunQueue(std::string name, std::size_t limit) : name_(std::move(name)), limit_(limit) {}

  void join(Place place) { waiting_.insert(place); }
  void withdraw(const Place& place) { waiting_.erase(place); }

  // Lets the next one in, when there is one and room for it.
  [[nodiscard]] std::optional<RunVersion> admit() {
    if (inflight_ >= limit_ || waiting_.empty()) return std::nullopt;
    const RunVersion next = waiting_.begin()->version;
    waiting_.erase(waiting_.begin());
    ++inflight_;
    return next;
  }

  void leave() { --inflight_; }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::size_t limit() const { return limit_; }
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  [[nodiscard]] std::size_t inflight() const { return inflight_; }

 private:
  std::string name_;
  std::size_t limit_;
  std::size_t inflight_ = 0;
  std::set<Place> waiting_;
};

}  // namespace slipway::fsm
