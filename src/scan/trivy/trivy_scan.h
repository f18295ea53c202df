// An inventory judged by Trivy instead of by the feeds. What is in the image was found by our own readers, in their
// sandbox: Trivy is given an SBOM, and never the archive.
#pragma once

#include <optional>
#include <stop_token>

#include "base/error.h"
#include "base/severity.h"
#include "base/time.h"
#include "scan/scanner.h"
#include "scan/trivy/trivy_engine.h"

namespace slipway::scan {

// Asks for all that is as bad as HIGH, as what blocks (none: nothing does) or as the least of the rules' severities.
// Packages that Trivy gives no answer about are not judged: the report is not complete then.
// The errors of TrivyEngine::scan_sbom(). kUnavailable, too: its data is older than it may be (StaleData::kRefuse).
[[nodiscard]] Result<Report> judge_with_trivy(Artifact artifact, const TrivyEngine& trivy, const Rules& rules,
                                              std::optional<Severity> block_at, const DataRules& data, TimePoint now,
                                              const std::stop_token& stop);

}  // namespace slipway::scan
