// What Trivy says, read into our words. Pure functions over any text.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "scan/finding.h"

namespace slipway::scan {

// The packages that a report's results list: those that Trivy has looked up. What it does not know (a distribution, a
// kind of package) it leaves out without a word.
class JudgedPackages {
 public:
  void add(PackageType type, std::string_view name);
  void add_all(PackageType type);
  // By type and name, which Trivy gives back as they were told: versions it writes in its own way.
  [[nodiscard]] bool has(const Package& package) const;

  friend bool operator==(const JudgedPackages&, const JudgedPackages&) = default;

 private:
  std::set<PackageType> whole_{};
  std::set<std::pair<PackageType, std::string>> names_{};
};

struct TrivyReport {
  std::vector<Finding> findings{};  // in its order
  JudgedPackages judged{};          // a result that lists no packages stands for all of its type
  // The distribution's release is one that nobody keeps data of any more, or that Trivy does not know.
  bool release_unsupported = false;

  friend bool operator==(const TrivyReport&, const TrivyReport&) = default;
};

// A report in JSON (SchemaVersion 2); whatever else it lists (licences, secrets, misconfigurations) is none of ours. In
// which layer a package lies is not known from it.
// kCorrupt: it is no report, something in it is of the wrong type, or a vulnerability has no ID or no package.
// kUnsupported: a report of another schema.
[[nodiscard]] Result<TrivyReport> read_trivy_report(std::string_view json);

struct TrivyVersion {
  std::string version{};                // "0.58.0"; empty where it is not told
  std::optional<TimePoint> database{};  // when its data was made; none: it has no data yet

  friend bool operator==(const TrivyVersion&, const TrivyVersion&) = default;
};

// Of `trivy --version`, in JSON or as plain text.
[[nodiscard]] TrivyVersion read_trivy_version(std::string_view text);

}  // namespace slipway::scan
