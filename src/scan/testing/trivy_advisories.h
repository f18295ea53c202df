// The advisories that Trivy's own tests rest on (its db-fixtures: YAML, one bucket a source), as records of our feeds.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "feeds/record.h"

namespace slipway::scan {

struct TrivyAdvisories {
  std::map<std::string, std::vector<feeds::Record>> records{};  // by provider: "debian", "alpine", "osv", "cve"
  std::vector<std::string> without{};  // buckets of which our feeds have no counterpart, sorted
};

// Of every *.yaml in the folder. Throws what goes wrong.
[[nodiscard]] TrivyAdvisories read_trivy_advisories(const std::filesystem::path& folder);

}  // namespace slipway::scan
