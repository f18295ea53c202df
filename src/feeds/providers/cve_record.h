// CVE records in the shapes that they are published in. Each function reads one record, or says why it cannot; wrong
// types are faults of the document that the node is of.
#pragma once

#include <vector>

#include "base/error.h"
#include "feeds/formats/json_node.h"
#include "feeds/record.h"

namespace slipway::feeds {

// NVD's API 2.0 and its feeds: {"id": "CVE-...", "descriptions": ...}.
[[nodiscard]] Result<Record> read_nvd2(const JsonNode& cve);
// NVD's feeds 1.1: {"cve": {"CVE_data_meta": ...}, "configurations": ..., "impact": ...}.
[[nodiscard]] Result<Record> read_nvd1(const JsonNode& item);
// The CVE list's own: {"cveMetadata": ..., "containers": ...}.
[[nodiscard]] Result<Record> read_cve5(const JsonNode& record);

// Whichever of these it is, also wrapped as {"cve": {...}}. kCorrupt: none of them.
[[nodiscard]] Result<Record> read_cve(const JsonNode& root);

}  // namespace slipway::feeds
