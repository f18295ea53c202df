// Another's scanner as our engine: the installed Trivy is given an SBOM and asked what it knows against it.
//
//   const TrivyEngine trivy;
//   auto answer = trivy.scan_sbom(cyclonedx, {Severity::kHigh, Severity::kCritical}, stop);
//
// Trivy is started in the root folder, with only those of our variables that tell it where things are and how to get
// there: a .trivyignore or a trivy.yaml that lies around, or a TRIVY_ variable that changes what it reports, would
// change the verdict behind our back.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/severity.h"
#include "base/time.h"
#include "scan/finding.h"
#include "scan/trivy/trivy_report.h"
#include "sys/program.h"

namespace slipway::scan {

struct TrivyAnswer {
  std::vector<Finding> findings{};
  JudgedPackages judged{};
  bool release_unsupported = false;     // see TrivyReport
  std::string engine{};                 // "trivy 0.58.0"
  std::optional<TimePoint> database{};  // when its data was made; none: it does not say

  friend bool operator==(const TrivyAnswer&, const TrivyAnswer&) = default;
};

// Plain settings; safe from any thread.
struct TrivyEngine {
  std::string program = "trivy";      // looked for on PATH, unless it has a slash
  std::filesystem::path cache_dir{};  // of its data; empty: where it keeps it by itself
  bool skip_db_update = false;        // else it fetches newer data first when its own is old
  std::chrono::milliseconds timeout = std::chrono::minutes(5);
  std::size_t most_output = 256UL << 20;                          // bytes of a report
  std::vector<std::string> environment = sys::own_environment();  // of which it is given some

  // Asks for these severities; empty: for all. The SBOM is a text, and never a file: Trivy inherits it, so nothing is
  // left of it whatever ends us, and no disk need have room for it.
  // kNotFound: Trivy is not installed. kTimeout, kCancelled: it was ended, with all that it started. kRejected: its
  // report is too large. kUnavailable: it failed, with what it said. kCorrupt: what it answered is no report.
  [[nodiscard]] Result<TrivyAnswer> scan_sbom(std::string_view sbom, const std::vector<Severity>& severities,
                                              const std::stop_token& stop) const;
  // Errors as above.
  [[nodiscard]] Result<TrivyVersion> version(const std::stop_token& stop) const;
};

}  // namespace slipway::scan
