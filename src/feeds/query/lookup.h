// Internal to feeds/query: things by number and by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "feeds/query/views.h"
#include "store/pool.h"

namespace slipway::feeds::lookup {

[[nodiscard]] constexpr std::int64_t raw(NodeId node) { return static_cast<std::int64_t>(node); }

// None: there is no such node.
[[nodiscard]] Result<std::optional<Named>> named(store::Connection& db, NodeId node);
// Those that are there, live ones first, by name.
[[nodiscard]] Result<std::vector<Named>> named_all(store::Connection& db, const std::vector<NodeId>& nodes);

[[nodiscard]] Result<std::vector<Named>> find(store::Connection& db, std::string_view text);

// As people would order them: CWE-79 before CWE-787.
[[nodiscard]] bool name_before(std::string_view a, std::string_view b);

}  // namespace slipway::feeds::lookup
