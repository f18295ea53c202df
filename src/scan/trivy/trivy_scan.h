// An inventory judged by Trivy instead of by the feeds. What is in the image was found by our own readers, in their
// sandbox: Trivy is given an SBOM, and never the archive.
#pragma once

#include <stop_token>

#include "base/error.h"
#include "base/time.h"
#include "scan/scanner.h"
#include "scan/trivy/trivy_engine.h"

namespace slipway::scan {

// The errors of TrivyEngine::scan_sbom(). kUnavailable, too: its data is older than it may be (StaleData::kRefuse).
[[nodiscard]] Result<Report> judge_with_trivy(Artifact artifact, const TrivyEngine& trivy, const Rules& rules,
                                              const DataRules& data, TimePoint now, const std::stop_token& stop);

}  // namespace slipway::scan
