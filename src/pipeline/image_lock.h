// Inside src/pipeline: the lock by which one run at a time makes or removes what belongs to an image.
#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "catalog/catalog.h"
#include "fsm/manager.h"

namespace slipway::pipeline {

// For `run`; no effect when it has it. What a run has left that ended, or that nobody knows, is taken over. The run
// that holds it and is still under way, when there is one: it has to be awaited.
[[nodiscard]] Result<std::optional<fsm::RunVersion>> take_lock(catalog::Catalog& catalog, const fsm::Manager& manager,
                                                               const std::string& image_id, fsm::RunVersion run);

[[nodiscard]] Result<bool> has_lock(catalog::Catalog& catalog, const std::string& image_id, fsm::RunVersion run);

}  // namespace slipway::pipeline
