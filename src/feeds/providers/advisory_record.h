// Advisories in the shapes that they are published in. Wrong types are faults of the document that a node is of.
#pragma once

#include <string_view>
#include <vector>

#include "base/error.h"
#include "feeds/formats/json_node.h"
#include "feeds/record.h"

namespace slipway::feeds {

// One OSV record.
[[nodiscard]] Result<Record> read_osv(const JsonNode& osv);

// A package of Debian's security tracker: {"CVE-2024-1": {"releases": {"bookworm": {...}}}}. A record for each problem.
[[nodiscard]] Result<std::vector<Record>> read_debian_package(std::string_view package, const JsonNode& problems);

// A package of an Alpine secdb: {"pkg": {"name": ..., "secfixes": {VERSION: [ID...]}}}. `release` is "v3.18", "edge";
// empty: a distribution without releases, which `repository` names then (Wolfi). A record for each problem.
[[nodiscard]] Result<std::vector<Record>> read_alpine_package(const JsonNode& entry, std::string_view ecosystem,
                                                              std::string_view repository);

// "Debian:12" for "bookworm"; with the name for one that has no number yet.
[[nodiscard]] std::string debian_ecosystem(std::string_view release);

// The thing that an id of some publisher names: a CVE, or an advisory.
[[nodiscard]] Result<Urn> vulnerability_urn(std::string_view id);

}  // namespace slipway::feeds
