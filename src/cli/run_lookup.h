// Runs as a person names them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cli/settings.h"
#include "fsm/run_store.h"

namespace slipway::cli {

// The store of runs, for looking. Null when there is none yet.
[[nodiscard]] Result<std::unique_ptr<fsm::RunReader>> open_runs(const Settings& settings);

// The runs whose version begins with `prefix` (either case), newest first, at most `limit`. kInvalid when no version
// can begin so.
[[nodiscard]] Result<std::vector<fsm::RunRecord>> runs_beginning_with(fsm::RunReader& runs, std::string_view prefix,
                                                                      std::size_t limit);

// The one run whose version is, or begins with, `text`. kNotFound when there is none, kConflict when there are several.
[[nodiscard]] Result<fsm::RunRecord> resolve_run(fsm::RunReader& runs, std::string_view text);

}  // namespace slipway::cli
