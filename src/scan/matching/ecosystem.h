// Under which names the feeds know a package. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scan/package.h"
#include "scan/versions/order.h"

namespace slipway::scan {

// The ecosystems, as OSV calls them, whose advisories are of this package: "PyPI"; "Debian:12" and, of all releases,
// "Debian". None: nothing that the feeds may have is about it, also since it is of another kind than the
// distribution's.
[[nodiscard]] std::vector<std::string> ecosystems_of(const Package& package,
                                                     const std::optional<Distribution>& distribution);

// What advisories call it, and the version that they speak of then.
struct Called {
  std::string name{};
  std::string version{};

  friend bool operator==(const Called&, const Called&) = default;
};

// The source package for Debian, Ubuntu and Alpine; both for RPM, where publishers differ; a Python name as PEP 503
// normalises it.
[[nodiscard]] std::vector<Called> names_of(const Package& package);

[[nodiscard]] VersionScheme scheme_of(PackageType type);  // of any but kOther

// The feed that speaks for the distribution itself: "debian", "alpine"; empty: OSV's advisories do.
[[nodiscard]] std::string_view distribution_feed(const std::optional<Distribution>& distribution);

// "PyPI" for kPypi; empty for distributions' packages and kOther.
[[nodiscard]] std::string_view language_ecosystem(PackageType type);

}  // namespace slipway::scan
