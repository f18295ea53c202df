#include "service/follow.h"

#include <chrono>
#include <unordered_map>
#include <utility>

namespace slipway::service {
namespace {

// How long a stop, or an event that was dropped for want of room, may go unnoticed.
constexpr auto kLook = std::chrono::milliseconds(100);

// Which runs belong to the one that is followed.
class Family {
 public:
  Family(fsm::Manager& manager, fsm::RunVersion head) : manager_(manager), head_(head) {}

  bool has(fsm::RunVersion run) {
    if (run == head_) return true;
    const auto known = known_.find(run);
    if (known != known_.end()) return known->second;
    const auto record = manager_.run(run);
    const bool child = record && record->spec.parent == head_;
    if (record) known_.emplace(run, child);
    return child;
  }

 private:
  fsm::Manager& manager_;
  const fsm::RunVersion head_;
  std::unordered_map<fsm::RunVersion, bool> known_;
};

}  // namespace

Result<fsm::RunResult> follow(fsm::Manager& manager, fsm::Subscription& events, fsm::RunVersion run,
                              const OnEvent& on_event, std::stop_token stop) {
  Family family(manager, run);
  std::size_t known_missed = 0;
  for (;;) {
    if (stop.stop_requested()) return fail(ErrorKind::kCancelled, "run {} is no longer followed", run);
    const auto event = events.next(manager.clock().now() + kLook);
    if (event && family.has(event->run)) {
      if (on_event) on_event(*event);
    }
    const bool ended = event && event->run == run && event->event.kind == fsm::EventKind::kFinished;
    const bool missed = events.missed() != std::exchange(known_missed, events.missed());
    if (event && !ended && !missed) continue;
    auto result = manager.wait(run, TimePoint{});
    if (result || result.error().kind() != ErrorKind::kTimeout) return result;
  }
}

}  // namespace slipway::service
