// Internal to feeds/query: shortest chains of links.
#pragma once

#include "base/error.h"
#include "feeds/query/views.h"
#include "store/pool.h"

namespace slipway::feeds {

[[nodiscard]] Result<FoundPath> find_path(store::Connection& db, NodeId from, NodeId to, int most_steps);

}  // namespace slipway::feeds
