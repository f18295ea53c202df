// From a scan's report to what the catalog keeps of it. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalog/types.h"
#include "pipeline/scan_rules.h"
#include "scan/finding.h"
#include "scan/scanner.h"

namespace slipway::pipeline {

// The dates of the feeds that verdicts rest on, as the catalog has them: while these are the same, a scan would say the
// same again.
[[nodiscard]] std::string dates_json(const scan::DataDates& dates);

// `before`: the verdict over the same content. Who has allowed it then has allowed what blocked it then: as long as
// nothing else blocks, that holds, also when it was not needed for a while. `rules` must be good ones (block_at()), and
// the report's policy be what describe() says of them.
[[nodiscard]] catalog::Scan judge(const std::string& image_id, const scan::Report& report, const ScanRules& rules,
                                  const scan::DataDates& dates, const std::optional<catalog::ScanVerdict>& before);

// "2 critical and 5 high vulnerabilities: CVE-2024-1 in openssl, ...".
[[nodiscard]] std::string summary(const catalog::Scan& scan);

}  // namespace slipway::pipeline
