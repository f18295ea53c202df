// Internal to feeds/query: full-text search.
#pragma once

#include <string_view>
#include <vector>

#include "base/error.h"
#include "feeds/query/feed_reader.h"
#include "feeds/query/views.h"
#include "store/pool.h"

namespace slipway::feeds {

[[nodiscard]] Result<std::vector<SearchHit>> search_records(store::Connection& db, std::string_view text,
                                                            const SearchOptions& options);

}  // namespace slipway::feeds
