#include "scan/reports/sbom_distribution.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "feeds/providers/advisory_record.h"
#include "scan/letters.h"
#include "scan/matching/ecosystem.h"
#include "scan/reports/distribution_names.h"
#include "scan/reports/formats.h"

namespace slipway::scan {
namespace {

// Whether the URL is the one that this program makes of such a package: what was written is read again, however odd a
// distribution's name or version is.
bool is_as_written(const PackageUrl& url, const Package& package, const Distribution& distribution) {
  const auto ours = parse_package_url(package_url(package, distribution));
  return ours && ours->space == url.space && ours->qualifier("distro") == url.qualifier("distro");
}

// With the number of a release of Debian that is told by its name alone.
Distribution numbered(Distribution distribution) {
  constexpr std::string_view kPrefix = "Debian:";
  if (distribution.id != "debian" || !distribution.version.empty()) return distribution;
  auto number = feeds::debian_ecosystem(small_letters(distribution.codename)).substr(kPrefix.size());
  const bool has_one = !number.empty() && number[0] >= '0' && number[0] <= '9';
  if (has_one) distribution.version = std::move(number);
  return distribution;
}

// "12.4" goes on from "12".
bool goes_on_from(std::string_view version, std::string_view beginning) {
  return version.starts_with(beginning) && (version.size() == beginning.size() || version[beginning.size()] == '.');
}

bool may_be_same(const Distribution& a, const Distribution& b) {
  const bool both_numbered = !a.version.empty() && !b.version.empty();
  if (both_numbered) return goes_on_from(a.version, b.version) || goes_on_from(b.version, a.version);
  return a.codename.empty() || b.codename.empty() || same_letters(a.codename, b.codename);
}

bool is_same_vendor(std::string_view a, std::string_view b) {
  return vendor_of(distribution_id(a)) == vendor_of(distribution_id(b));
}

}  // namespace

std::string name_of(const Distribution& distribution) {
  const auto& version = distribution.version.empty() ? distribution.codename : distribution.version;
  return version.empty() ? distribution.id : fmt::format("{} {}", distribution.id, version);
}

std::string distribution_name(const PackageUrl& url) {
  const auto stated = distribution_of(url);
  return stated ? name_of(*stated) : url.space;
}

bool may_be_of(const PackageUrl& url, const Distribution& distribution) {
  const Package package = package_of(url);
  if (!is_of_distribution(package.type) || is_as_written(url, package, distribution)) return true;
  const auto stated = distribution_of(url);
  if (!stated) return url.space.empty() || is_same_vendor(url.space, distribution.id);
  if (!is_same_vendor(stated->id, distribution.id)) return false;
  const auto asked = ecosystems_of(package, stated);
  if (!asked.empty() && asked == ecosystems_of(package, distribution)) return true;
  return may_be_same(numbered(*stated), numbered(distribution));
}

}  // namespace slipway::scan
