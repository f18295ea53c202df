// Internal to feeds/query: the tree of what bears on a thing.
#pragma once

#include "base/error.h"
#include "feeds/query/feed_reader.h"
#include "feeds/query/views.h"
#include "store/pool.h"

namespace slipway::feeds {

[[nodiscard]] Result<ChainNode> read_chain(store::Connection& db, NodeId root, const ChainOptions& options);

}  // namespace slipway::feeds
