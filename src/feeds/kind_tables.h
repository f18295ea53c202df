// Internal to feeds/: the columns that each kind has for itself. A new kind is a struct in record.h, a table in
// schema.h and a case in each function here.
#pragma once

#include <cstdint>

#include "base/digest.h"
#include "base/error.h"
#include "feeds/record.h"
#include "store/pool.h"

namespace slipway::feeds {

[[nodiscard]] Result<> put_details(store::Connection& db, std::int64_t node, const Details& details);
void add_details(Hasher& hasher, const Details& details);

}  // namespace slipway::feeds
