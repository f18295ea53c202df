// All that a run store holds, read while nobody writes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "fsm/event.h"
#include "fsm/run.h"

namespace slipway::crash {

struct StoredRun {
  fsm::RunRecord record;
  std::vector<fsm::RunEvent> history;
};

using Snapshot = std::map<fsm::RunVersion, StoredRun>;

[[nodiscard]] Result<Snapshot> read_snapshot(const std::string& store_path);

}  // namespace slipway::crash
