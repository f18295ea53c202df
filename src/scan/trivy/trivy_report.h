// What Trivy says, read into our words. Pure functions over any text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "scan/finding.h"

namespace slipway::scan {

// The vulnerabilities of a report in JSON (SchemaVersion 2), in its order; whatever else it lists (licences, secrets,
// misconfigurations) is none of ours. In which layer a package lies is not known from it.
// kCorrupt: it is no report, something in it is of the wrong type, or a vulnerability has no ID or no package.
// kUnsupported: a report of another schema.
[[nodiscard]] Result<std::vector<Finding>> read_trivy_report(std::string_view json);

struct TrivyVersion {
  std::string version{};                // "0.58.0"; empty where it is not told
  std::optional<TimePoint> database{};  // when its data was made; none: it has no data yet

  friend bool operator==(const TrivyVersion&, const TrivyVersion&) = default;
};

// Of `trivy --version`, in JSON or as plain text.
[[nodiscard]] TrivyVersion read_trivy_version(std::string_view text);

}  // namespace slipway::scan
