// What is known against the packages of an image, and the verdict over it. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/severity.h"
#include "base/time.h"
#include "scan/package.h"

namespace slipway::scan {

// What can be done about it. The names are Trivy's, in our own words where it has none.
enum class FixStatus : std::uint8_t { kAffected, kFixed, kWillNotFix, kEndOfLife, kUnderInvestigation };

[[nodiscard]] std::string_view to_string(FixStatus status);  // "affected", "fixed", "will_not_fix", "end_of_life", ...
[[nodiscard]] std::optional<FixStatus> parse_fix_status(std::string_view text);

struct Finding {
  std::string id{};                    // a CVE where there is one, else the advisory's own
  std::vector<std::string> aliases{};  // its other names, sorted
  Package package{};
  std::string fixed_version{};  // empty: none is known
  FixStatus status = FixStatus::kAffected;
  Severity severity = Severity::kUnknown;
  std::string severity_source{};  // who says so: "debian", "osv", "cvss", ...
  std::optional<double> score{};  // CVSS
  std::string vector{};
  std::string score_source{};  // whose these two are: "cve", "osv", "nvd"; empty: the advisory's
  std::string source{};        // the feed whose advisory it is: "debian", "alpine", "osv"; "trivy"
  std::string advisory{};      // its URN; empty where there is none
  std::string title{};
  std::string description{};
  std::vector<std::string> weaknesses{};  // "CWE-79"
  std::vector<std::string> references{};  // URLs
  std::optional<TimePoint> published{};
  std::optional<TimePoint> modified{};

  friend bool operator==(const Finding&, const Finding&) = default;
};

// A finding that does not count, and why.
struct Suppressed {
  Finding finding{};
  std::string reason{};  // as it was given
  std::string by{};      // the ignore file's or the VEX document's name

  friend bool operator==(const Suppressed&, const Suppressed&) = default;
};

// How old the data is that a verdict rests on.
struct DataDate {
  std::string source{};                  // a feed's id, "trivy-db"
  std::optional<TimePoint> loaded_at{};  // none: never

  friend bool operator==(const DataDate&, const DataDate&) = default;
};

// All that a scan has to say.
struct Report {
  std::string artifact{};       // the image's id or the file's name
  std::string artifact_type{};  // "container_image", "filesystem", "cyclonedx", "spdx"
  std::string checksum{};       // SHA-256 of the image's file; empty for an SBOM
  std::uint64_t size = 0;
  TimePoint scanned_at{};
  std::string engine{};  // name and version: "slipway 0.1.0", "trivy 0.50.0"
  std::vector<DataDate> data{};
  std::string policy{};  // "block at HIGH and above", for people
  Inventory inventory{};
  std::vector<Finding> findings{};  // worst first
  std::vector<Suppressed> suppressed{};
  // How many are left out since nobody asked for them.
  std::uint64_t of_other_severity = 0;
  std::uint64_t unfixed = 0;
  std::optional<Severity> asked_from{};  // nothing less was asked for at all; none: everything was
  std::uint64_t unjudged = 0;            // packages that nothing can be said of
  std::vector<std::string> warnings{};   // why this may not be all: old data, files that could not be read

  // Else there may be more than is listed: never say "clean" then.
  [[nodiscard]] bool complete() const { return inventory.complete() && unjudged == 0; }
};

}  // namespace slipway::scan
