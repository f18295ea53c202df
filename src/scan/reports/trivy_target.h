// Under which result Trivy lists a package.
#pragma once

#include <compare>
#include <string>

#include "scan/finding.h"

namespace slipway::scan {

struct TrivyTarget {
  bool of_language = false;  // "lang-pkgs", listed after "os-pkgs"
  std::string type{};        // "debian", "npm", "gobinary"
  std::string target{};  // "NAME (debian 12.5)"; the lock file's path; "Node.js" for all packages that are installed
  bool gathers_files = false;  // then a package's own path is told with it

  friend auto operator<=>(const TrivyTarget&, const TrivyTarget&) = default;
};

[[nodiscard]] TrivyTarget trivy_target(const Report& report, const Package& package);

}  // namespace slipway::scan
