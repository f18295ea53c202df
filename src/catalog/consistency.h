// Internal to catalog/: the rules that hold in every catalog, as questions to the database.
#pragma once

#include <vector>

#include "catalog/query.h"
#include "catalog/types.h"

namespace slipway::catalog::consistency {

// All that is not as it must be, of one instant. Rules:
//
//   unpacked-needs-download       an unpacked image has a completed download
//   snapshot-needs-volume         a snapshot's image is unpacked, with its layout verified
//   snapshot-origin               a snapshot stands on the volume of its own image
//   active-needs-snapshot         activation_status 'active' only with an active snapshot
//   snapshot-needs-active         and always with one
//   completed-needs-checksum      a completed download has checksum, size and path
//   volume-needs-reservation      a volume holds its device id
//   snapshot-needs-reservation    a snapshot, too
//   ledger                        the steps in schema_migrations are those that the file has taken
//   foreign-key, integrity        SQLite's own
[[nodiscard]] Result<std::vector<Inconsistency>> check(store::Connection& db);

}  // namespace slipway::catalog::consistency
