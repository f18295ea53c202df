// What a distribution is called by others. Inside, it has the ID of its /etc/os-release.
#pragma once

#include <string>
#include <string_view>

namespace slipway::scan {

// As Trivy calls it: "redhat" for "rhel". Also what stands before the version in a package URL's "distro".
[[nodiscard]] std::string_view family_of(std::string_view id);
// Whose packages they are in a package URL: "suse" for "sles".
[[nodiscard]] std::string_view vendor_of(std::string_view id);
// The ID of what is called so by anybody: "rhel" for "redhat", "sles" for "SUSE Linux Enterprise Server".
[[nodiscard]] std::string distribution_id(std::string_view name);

}  // namespace slipway::scan
