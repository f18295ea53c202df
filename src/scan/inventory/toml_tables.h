// TOML lock files, table by table, as JSON: one reader serves all forms, and memory is that of one table.
#pragma once

#include <functional>
#include <string_view>

#include "archive/byte_source.h"
#include "base/error.h"
#include "feeds/formats/json_node.h"
#include "scan/inventory/finds.h"

namespace slipway::scan {

// What stands before the first table of the file (`in_list` is false), and each table [[list]] with its subtables.
// Other tables are passed over unchecked. One of which a field is read as another type than it has is noted as unread.
// kCorrupt: no TOML, or nested too deeply. kRejected: larger than kLargestLockFile, or a table of more than 1 MiB.
using SeeTable = std::function<void(const feeds::JsonNode& table, bool in_list)>;
[[nodiscard]] Result<> each_toml_table(archive::ByteSource& content, std::string_view list, Finds& finds,
                                       const SeeTable& see);

}  // namespace slipway::scan
