// CAPEC's entries as MITRE's XML catalog has them.
#pragma once

#include "base/error.h"
#include "feeds/formats/xml_node.h"
#include "feeds/record.h"

namespace slipway::feeds {

// Of an Attack_Pattern, a Category or a View. kCorrupt: it is none of these, or its number or a number in it is none.
[[nodiscard]] Result<Record> read_capec(const XmlNode& node);

}  // namespace slipway::feeds
