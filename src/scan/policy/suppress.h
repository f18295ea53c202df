// What of a scan's findings counts, and whether that blocks.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/severity.h"
#include "base/time.h"
#include "scan/finding.h"
#include "scan/policy/ignore_file.h"
#include "scan/policy/openvex.h"
#include "scan/policy/vex_match.h"

namespace slipway::scan {

struct Rules {
  std::vector<Severity> severities{};  // those that count; empty: all
  bool only_fixed = false;             // of what nobody has fixed nothing counts
  std::vector<IgnoreFile> ignore{};
  std::vector<VexDocument> vex{};
};

struct Judged {
  std::vector<Finding> findings{};  // those that count, in their order
  // By an ignore file or a VEX document. An ignore file is asked first, since it is of who scans.
  std::vector<Suppressed> suppressed{};
  // How many were left out since nobody asked for them; of these nothing else is kept.
  std::size_t of_other_severity = 0;
  std::size_t unfixed = 0;
  std::vector<std::string> warnings{};  // rules and statements that have no effect
};

// The package URL of a package, as scan/reports/formats.h makes it.
using PurlOf = std::function<std::string(const Package&)>;

// Pure. Only a `purl_of` can tell of which packages VEX documents speak.
[[nodiscard]] Judged apply(std::vector<Finding> findings, const Rules& rules, const ArtifactNames& artifact,
                           const PurlOf& purl_of, TimePoint now);

// Whether one of those that count is as bad as `block_at` or worse. None: nothing blocks. One whose severity nobody
// knows blocks only where that is asked for (kUnknown).
[[nodiscard]] bool blocks(const std::vector<Finding>& findings, std::optional<Severity> block_at);

// "HIGH,critical": a list with commas, in any letters, each once. kInvalid: names what is no severity.
[[nodiscard]] Result<std::vector<Severity>> parse_severities(std::string_view list);

}  // namespace slipway::scan
