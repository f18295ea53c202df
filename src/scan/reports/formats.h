// A report for other programs, in the forms that they read. Pure: one report always makes the same text.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "scan/finding.h"

namespace slipway::scan {

// By a finding's id, what explains it: the chain to weaknesses, attack patterns and techniques, in whatever form.
using Explanations = std::map<std::string, nlohmann::ordered_json>;

// The schema (SchemaVersion 2) that those who read Trivy's JSON know; an explanation is a member "Explanation" of its
// vulnerability.
[[nodiscard]] std::string trivy_json(const Report& report, const Explanations& explanations = {});
// 2.1.0; an explanation is the property "explanation" of its rule.
[[nodiscard]] std::string sarif_json(const Report& report, const Explanations& explanations = {});

enum class Vulnerabilities : std::uint8_t { kLeftOut, kListed };
// CycloneDX 1.5: the inventory, and what is known against it where that is asked for.
[[nodiscard]] std::string cyclonedx_json(const Report& report, Vulnerabilities vulnerabilities);
// SPDX 2.3: the inventory.
[[nodiscard]] std::string spdx_json(const Report& report);

// "pkg:deb/debian/bash@5.2-1?arch=amd64&distro=debian-12", by the package URL specification.
[[nodiscard]] std::string package_url(const Package& package, const std::optional<Distribution>& distribution);

// What an SBOM of anybody's making lists: CycloneDX JSON (1.2 to 1.7), SPDX 2.x as JSON or tag-value, and either as the
// predicate of an in-toto statement, also in a DSSE envelope. What a package URL does not tell is taken from
// properties that this program and Trivy write. Noted in `unread` are: a component without a usable package URL, unless
// it is a file, the operating system or what the document is about; packages of a second distribution, which are left
// out; that there are no packages, unless the document itself says that this is all; and what follows the first of
// several documents. kCorrupt: it is no SBOM that is known. kUnsupported: it is one, of another version or as XML.
// kRejected: it would take too much memory.
[[nodiscard]] Result<Inventory> read_sbom(std::string_view text);
// Whether a text that begins so may be one.
[[nodiscard]] bool looks_like_sbom(std::string_view beginning);

}  // namespace slipway::scan
