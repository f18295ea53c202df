// Whatever the bytes: read_sbom and parse_package_url answer. A package URL that is understood is understood again from
// what is made of it; what was read of an SBOM can be written as one, and is the same when that is read.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "scan/reports/formats.h"
#include "scan/reports/package_url.h"

namespace {

using namespace slipway::scan;

void try_url(std::string_view text) {
  const auto url = parse_package_url(text);
  if (!url) return;
  if (url->name.empty() || url->type.empty()) std::abort();
  const auto again = parse_package_url(package_url(package_of(*url), distribution_of(*url)));
  if (!again && again.error().message().find("longer") == std::string::npos) std::abort();
}

void try_sbom(std::string_view text) {
  const auto inventory = read_sbom(text);
  if (!inventory) return;
  Report report;
  report.inventory = *inventory;
  const auto again = read_sbom(cyclonedx_json(report, Vulnerabilities::kLeftOut));
  if (!again || again->packages.size() != inventory->packages.size() || again->layers != inventory->layers)
    std::abort();
  if (!read_sbom(spdx_json(report))) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try_url(bytes);
  (void)looks_like_sbom(bytes);
  try_sbom(bytes);
  return 0;
}
