// Whether a package of an SBOM is of the distribution that the SBOM is taken as one of.
#pragma once

#include <string>

#include "scan/package.h"
#include "scan/reports/package_url.h"

namespace slipway::scan {

// "debian 12", "debian bookworm": for people.
[[nodiscard]] std::string name_of(const Distribution& distribution);
// The one that a package's URL tells of, in the same way; empty where it tells of none.
[[nodiscard]] std::string distribution_name(const PackageUrl& url);

// Unless the URL tells of another one. "debian-12.4" and "debian-12" are the same: they have the same advisories.
[[nodiscard]] bool may_be_of(const PackageUrl& url, const Distribution& distribution);

}  // namespace slipway::scan
