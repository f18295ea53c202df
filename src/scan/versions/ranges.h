// Sets of versions, in the notations that advisories and manifests use. Pure; any bytes may be given.
#pragma once

#include <optional>
#include <string_view>

#include "scan/versions/order.h"

namespace slipway::scan {

struct NpmRangeOptions {
  bool loose = false;
  bool include_prerelease = false;
};

// Whether a range as npm has them ("^1.2.3 || >=2 <3.x", "1.2 - 2") holds the version. None: one of them is none.
[[nodiscard]] std::optional<bool> npm_range_contains(std::string_view range, std::string_view version,
                                                     NpmRangeOptions options = {});

// A set of specifiers as PEP 440 has them (">=1.2,!=1.3.*,<2", "~=1.4", "===foo"). `prereleases`: false leaves those
// out. None: one of them is none; only "===" may be asked of what is no version.
[[nodiscard]] std::optional<bool> pep440_contains(std::string_view specifiers, std::string_view version,
                                                  bool prereleases = true);

// Comparisons joined by commas or blanks, alternatives by "||" or "|", as advisory databases write them for any scheme:
// ">= 2.0.0, < 2.9.10.4 || = 3.0", "*", Maven's intervals "[2.9.0,2.9.10.7)", "(,1.0],[1.2,)", and of kRubyGems also
// "~> 2.3.1". None: one of them is none.
[[nodiscard]] std::optional<bool> constraint_contains(VersionScheme scheme, std::string_view constraint,
                                                      std::string_view version);

}  // namespace slipway::scan
