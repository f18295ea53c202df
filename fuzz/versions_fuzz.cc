// Whatever the bytes: versions compare the same from both sides and in a row of three, in every scheme, and what is in
// a range of one version is what equals it. Up to three versions, each on a line.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "scan/versions/order.h"
#include "scan/versions/ranges.h"

namespace {

using namespace slipway::scan;

constexpr VersionScheme kSchemes[] = {VersionScheme::kDpkg,   VersionScheme::kApk,      VersionScheme::kRpm,
                                      VersionScheme::kSemver, VersionScheme::kPep440,   VersionScheme::kMaven,
                                      VersionScheme::kGo,     VersionScheme::kRubyGems, VersionScheme::kPackagist};

using Texts = std::array<std::string_view, 3>;

Texts split(std::string_view text) {
  Texts texts;
  for (auto& one : texts) {
    const auto end = text.find('\n');
    one = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return texts;
}

void require(bool holds) {
  if (!holds) std::abort();
}

void check_order(VersionScheme scheme, const Texts& texts) {
  const auto& [a, b, c] = texts;
  const auto ab = compare_versions(scheme, a, b);
  const auto ba = compare_versions(scheme, b, a);
  require(ab.has_value() == ba.has_value());
  const auto aa = compare_versions(scheme, a, a);
  require(aa.value_or(std::strong_ordering::equal) == 0);
  require(aa || !is_version(scheme, a));
  if (!ab) return;
  require(*ab == (0 <=> *ba));
  const auto bc = compare_versions(scheme, b, c);
  if (!bc) return;
  const auto ac = compare_versions(scheme, a, c);
  require(ac.has_value());
  if (*ab == 0) require(*ac == *bc);
  if (*bc == 0) require(*ac == *ab);
  if (*ab == *bc) require(*ac == *ab);
}

void check_ranges(const Texts& texts) {
  const auto& [a, b, c] = texts;
  for (const bool loose : {false, true}) {
    for (const bool prereleases : {false, true}) {
      (void)npm_range_contains(a, b, {.loose = loose, .include_prerelease = prereleases});
    }
  }
  const auto in = pep440_contains(a, b);
  const auto among_releases = pep440_contains(a, b, /*prereleases=*/false);
  require(in.has_value() == among_releases.has_value());
  require(in.value_or(false) || !among_releases.value_or(false));
  for (const auto scheme : kSchemes) {
    (void)constraint_contains(scheme, a, b);
    const auto equal = constraint_contains(scheme, "=" + std::string(c), b);
    const auto order = compare_versions(scheme, b, c);
    constexpr std::string_view kSyntax = " \t\v\f\r,|<>=";
    if (equal && c.find_first_of(kSyntax) == std::string_view::npos) require(order && *equal == (*order == 0));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto texts = split({reinterpret_cast<const char*>(data), size});
  for (const auto scheme : kSchemes) check_order(scheme, texts);
  check_ranges(texts);
  return 0;
}
