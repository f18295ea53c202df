#include "pipeline/under_way.h"

#include "base/json.h"
#include "pipeline/activate_image.h"

namespace slipway::pipeline {

Result<std::optional<fsm::RunVersion>> earlier_run(const fsm::Manager& manager, fsm::RunVersion run,
                                                   const std::string& machine, const std::string& id) {
  fsm::RunFilter filter;
  filter.machine = machine;
  filter.id = id;
  filter.phase = fsm::RunFilter::Phase::kActive;
  const auto active = manager.runs(filter);
  if (!active) return active.error().during("look for runs of {} for {}", machine, id);
  for (const auto& other : *active) {
    if (other.spec.version < run) return other.spec.version;
  }
  return std::nullopt;
}

Result<std::optional<fsm::RunRecord>> earlier_activation(const fsm::Manager& manager, fsm::RunVersion run,
                                                         const std::string& image_id) {
  fsm::RunFilter filter;
  filter.machine = "activate-image";
  filter.phase = fsm::RunFilter::Phase::kActive;
  for (;;) {
    auto active = manager.runs(filter);
    if (!active) return active.error().during("look for activations of {}", image_id);
    if (active->empty()) return std::nullopt;
    filter.older_than = active->back().spec.version;
    for (const auto& other : *active) {
      if (other.spec.version >= run) continue;
      auto whole = manager.run(other.spec.version);  // a list is without the requests
      if (!whole) return whole.error().during("look at run {}", other.spec.version);
      const auto request = decode_json<ActivateImageRequest>(whole->request);
      if (request && request->image_id == image_id) return std::move(*whole);
    }
  }
}

std::shared_mutex& operation_gate() {
  static std::shared_mutex gate;
  return gate;
}

}  // namespace slipway::pipeline
