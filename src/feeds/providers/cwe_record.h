// CWE's entries as MITRE's XML catalog (cwec) has them.
#pragma once

#include "base/error.h"
#include "feeds/formats/xml_node.h"
#include "feeds/record.h"

namespace slipway::feeds {

// Of a Weakness, a Category or a View. kCorrupt: it is none of these, or its number or a number in it is none.
[[nodiscard]] Result<Record> read_cwe(const XmlNode& node);

}  // namespace slipway::feeds
