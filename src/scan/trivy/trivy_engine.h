// Another's scanner as our engine: the installed Trivy is given an SBOM and asked what it knows against it.
//
//   const TrivyEngine trivy{.severities = {Severity::kHigh, Severity::kCritical}};
//   auto answer = trivy.scan_sbom("image.cdx.json", stop);
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
  std::string engine{};                 // "trivy 0.58.0"
  std::optional<TimePoint> database{};  // when its data was made; none: it does not say

  friend bool operator==(const TrivyAnswer&, const TrivyAnswer&) = default;
};

// Plain settings; safe from any thread.
struct TrivyEngine {
  std::string program = "trivy";       // looked for on PATH, unless it has a slash
  std::vector<Severity> severities{};  // to be asked for; empty: all
  std::filesystem::path cache_dir{};   // of its data; empty: where it keeps it by itself
  bool skip_db_update = false;         // else it fetches newer data first when its own is old
  std::chrono::milliseconds timeout = std::chrono::minutes(5);
  std::size_t most_output = 256UL << 20;                          // bytes of a report
  std::vector<std::string> environment = sys::own_environment();  // of which it is given some

  // kNotFound: Trivy is not installed. kTimeout, kCancelled: it was ended, with all that it started. kRejected: its
  // report is too large. kUnavailable: it failed, with what it said. kCorrupt: what it answered is no report.
  [[nodiscard]] Result<TrivyAnswer> scan_sbom(const std::filesystem::path& sbom, const std::stop_token& stop) const;
  // Errors as above.
  [[nodiscard]] Result<TrivyVersion> version(const std::stop_token& stop) const;
};

}  // namespace slipway::scan
