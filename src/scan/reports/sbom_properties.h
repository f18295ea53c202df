// What an SBOM of ours tells beyond what its form has a place for: names and values, in CycloneDX as properties, in
// SPDX as annotations ("NAME: VALUE"). With them read_sbom gives back what was written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scan/package.h"

namespace slipway::scan {

namespace property {
inline constexpr std::string_view kOurs = "slipway:";
inline constexpr std::string_view kPath = "slipway:path";
inline constexpr std::string_view kSourceName = "slipway:source:name";
inline constexpr std::string_view kSourceVersion = "slipway:source:version";
inline constexpr std::string_view kOwner = "slipway:owner";
inline constexpr std::string_view kLayerIndex = "slipway:layer:index";
// Of the artifact: each layer has one of both, in order. Of a package: its layer's, for people.
inline constexpr std::string_view kLayerDiffId = "slipway:layer:diffId";
inline constexpr std::string_view kLayerDigest = "slipway:layer:digest";
// Only where the package URL tells them otherwise: it is in lower case, and not all that is called so has a type.
inline constexpr std::string_view kName = "slipway:name";
inline constexpr std::string_view kVersion = "slipway:version";
inline constexpr std::string_view kArchitecture = "slipway:architecture";
// Of the distribution.
inline constexpr std::string_view kCodename = "slipway:distribution:codename";
inline constexpr std::string_view kPrettyName = "slipway:distribution:name";
// Of the artifact: each file that was not read has one of both, in order.
inline constexpr std::string_view kUnreadPath = "slipway:unread:path";
inline constexpr std::string_view kUnreadReason = "slipway:unread:reason";
inline constexpr std::string_view kWarning = "slipway:warning";
// The prefix of Trivy's, in CycloneDX; in SPDX they have none.
inline constexpr std::string_view kTrivy = "aquasecurity:trivy:";
}  // namespace property

struct Property {
  std::string name{};
  std::string value{};

  friend bool operator==(const Property&, const Property&) = default;
};

[[nodiscard]] std::vector<Property> properties_of(const Package& package, const Inventory& inventory);
// What of this Trivy must know, as it names it in CycloneDX: it looks a distribution's packages up by their sources,
// and says of others where they are.
[[nodiscard]] std::vector<Property> trivy_properties_of(const Package& package, const Inventory& inventory);
[[nodiscard]] std::vector<Property> properties_of(const Distribution& distribution);
// Of the artifact itself: its layers, and what could not be read of it.
[[nodiscard]] std::vector<Property> properties_of(const Inventory& inventory, const std::vector<std::string>& warnings);

}  // namespace slipway::scan
