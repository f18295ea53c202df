// Internal to feeds/query: all about one thing.
#pragma once

#include <cstddef>

#include "base/error.h"
#include "feeds/query/views.h"
#include "store/pool.h"

namespace slipway::feeds {

[[nodiscard]] Result<Entry> read_entry(store::Connection& db, NodeId node, std::size_t links_shown);

}  // namespace slipway::feeds
