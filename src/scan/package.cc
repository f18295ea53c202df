#include "scan/package.h"

#include <array>
#include <utility>

namespace slipway::scan {
namespace {

constexpr std::array<std::string_view, 11> kTypes{"deb",   "apk", "rpm",   "npm",      "pypi", "golang",
                                                  "maven", "gem", "cargo", "composer", "other"};

}  // namespace

std::string_view to_string(PackageType type) {
  const auto at = static_cast<std::size_t>(std::to_underlying(type));
  return at < kTypes.size() ? kTypes[at] : kTypes.back();
}

std::optional<PackageType> parse_package_type(std::string_view text) {
  for (std::size_t at = 0; at < kTypes.size(); ++at) {
    if (kTypes[at] == text) return static_cast<PackageType>(at);
  }
  return std::nullopt;
}

bool is_of_distribution(PackageType type) {
  return type == PackageType::kDeb || type == PackageType::kApk || type == PackageType::kRpm;
}

}  // namespace slipway::scan
