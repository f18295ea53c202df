// What a scan is to look for, and what blocks. Part of the request, as ImageRules are; texts of files, not their names:
// the process that does the work may be another user's, or on its way for days.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/severity.h"
#include "scan/scanner.h"

namespace slipway::pipeline {

struct ScanRules {
  std::string engine = "off";                                 // builtin, trivy, off
  std::string block = "HIGH";                                 // the least severity that blocks; "never"
  bool refuse_stale = false;                                  // old or missing advisories are an error, not a warning
  std::int64_t max_age_s = 0;                                 // of advisories; 0: as long as one likes
  std::vector<std::pair<std::string, std::string>> ignore{};  // ignore files: name and text
  std::vector<std::pair<std::string, std::string>> vex{};     // OpenVEX documents: name and text
  std::string allowed_by{};                                   // who lets it pass although it would be blocked
  bool again = false;                                         // also when nothing has changed since the last verdict

  friend bool operator==(const ScanRules&, const ScanRules&) = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ScanRules, engine, block, refuse_stale, max_age_s, ignore, vex,
                                                allowed_by, again)

// kInvalid: what an ignore file or a VEX document has wrong.
[[nodiscard]] Result<scan::Rules> rules_of(const ScanRules& rules);
[[nodiscard]] scan::DataRules data_rules_of(const ScanRules& rules);
// None: nothing blocks.
[[nodiscard]] Result<std::optional<Severity>> block_at(const ScanRules& rules);
// For people, and to tell one verdict's rules from another's: "blocks at HIGH; 2 ignore files". Another one from the
// day on which a rule in an ignore file no longer counts.
[[nodiscard]] std::string describe(const ScanRules& rules, TimePoint now);

}  // namespace slipway::pipeline
