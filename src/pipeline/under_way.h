// Inside src/pipeline: what keeps the machines out of each other's way.
//
// Runs that want the same thing: the later one awaits the earlier one, or refuses. So there is no circle.
//
//   process-image, activate-image    await an earlier removal of their image
//   activate-image                   awaits an earlier deactivation of its snapshot, and that an earlier activation
//   unpack-image                     awaits earlier activations of its image before it makes the volume anew
//   remove-image                     refuses while anything earlier is under way for its image
//
// The doctor: while it looks and heals, no transition begins that makes, activates or removes devices (operation_gate).
// What was under way before is known to it by its run, and left alone.
#pragma once

#include <optional>
#include <shared_mutex>
#include <string>
#include <utility>

#include "base/error.h"
#include "fsm/manager.h"
#include "fsm/run.h"

namespace slipway::pipeline {

// Not over, of that machine and id, and begun before `run`.
[[nodiscard]] Result<std::optional<fsm::RunVersion>> earlier_run(const fsm::Manager& manager, fsm::RunVersion run,
                                                                 const std::string& machine, const std::string& id);
// The same, of activate-image and whatever snapshot of the image.
[[nodiscard]] Result<std::optional<fsm::RunRecord>> earlier_activation(const fsm::Manager& manager, fsm::RunVersion run,
                                                                       const std::string& image_id);

// Held shared by transitions, and exclusively by the doctor. One in a process: it has one pool.
[[nodiscard]] std::shared_mutex& operation_gate();

// `transition`, which waits until the doctor is through.
template <class Transition>
[[nodiscard]] auto gated(Transition transition) {
  return [transition = std::move(transition)](const auto& run) {
    const std::shared_lock lock(operation_gate());
    return transition(run);
  };
}

}  // namespace slipway::pipeline
