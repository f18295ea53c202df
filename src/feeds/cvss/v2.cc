// CVSS 2.0, as "A Complete Guide to the Common Vulnerability Scoring System Version 2.0" has it (section 3.2).
#include <algorithm>
#include <iterator>

#include "feeds/cvss/metrics.h"
#include "feeds/cvss/rounding.h"

namespace slipway::feeds::cvss {
namespace {

enum Place : std::uint8_t { kAv, kAc, kAu, kC, kI, kA, kE, kRl, kRc, kCdp, kTd, kCr, kIr, kAr };

constexpr Metric kMetrics[] = {
    {"AV", "L A N", true}, {"AC", "H M L", true},     {"Au", "M S N", true}, {"C", "N P C", true},
    {"I", "N P C", true},  {"A", "N P C", true},      {"E", "ND U POC F H"}, {"RL", "ND OF TF W U"},
    {"RC", "ND UC UR C"},  {"CDP", "ND N L LM MH H"}, {"TD", "ND N L M H"},  {"CR", "ND L M H"},
    {"IR", "ND L M H"},    {"AR", "ND L M H"},
};

// Weights, in the order of the values above.
constexpr double kAccessVector[] = {0.395, 0.646, 1.0};
constexpr double kAccessComplexity[] = {0.35, 0.61, 0.71};
constexpr double kAuthentication[] = {0.45, 0.56, 0.704};
constexpr double kImpact[] = {0, 0.275, 0.660};
constexpr double kExploitability[] = {1, 0.85, 0.9, 0.95, 1};
constexpr double kRemediation[] = {1, 0.87, 0.90, 0.95, 1};
constexpr double kConfidence[] = {1, 0.90, 0.95, 1};
constexpr double kCollateralDamage[] = {0, 0, 0.1, 0.3, 0.4, 0.5};
constexpr double kTargets[] = {1, 0, 0.25, 0.75, 1};
constexpr double kRequirement[] = {1, 0.5, 1, 1.51};

// How much of each of the three is left, with the requirements of the environment or without.
double impact_of(const Values& v, bool with_requirements) {
  double left = 1;
  for (std::uint8_t i = 0; i < 3; ++i) {
    left *= 1 - kImpact[v[kC + i]] * (with_requirements ? kRequirement[v[kCr + i]] : 1.0);
  }
  const double impact = 10.41 * (1 - left);
  return with_requirements ? std::min(10.0, impact) : impact;  // a complete impact without them is 10.0008
}

// A weak impact with low requirements would give less than nothing: that is 0, as no score is below it.
int base_of(const Values& v, double impact) {
  if (impact == 0) return 0;
  const double exploitability = 20 * kAccessVector[v[kAv]] * kAccessComplexity[v[kAc]] * kAuthentication[v[kAu]];
  return rounded(std::max(0.0, (0.6 * impact + 0.4 * exploitability - 1.5) * 1.176));
}

int temporal_of(const Values& v, int base) {
  return rounded(base / 10.0 * kExploitability[v[kE]] * kRemediation[v[kRl]] * kConfidence[v[kRc]]);
}

int environmental_of(const Values& v) {
  const double adjusted = temporal_of(v, base_of(v, impact_of(v, /*with_requirements=*/true))) / 10.0;
  return rounded((adjusted + (10 - adjusted) * kCollateralDamage[v[kCdp]]) * kTargets[v[kTd]]);
}

}  // namespace

std::span<const Metric> v2_metrics() { return kMetrics; }

Tenths score_v2(const Values& values) {
  const int base = base_of(values, impact_of(values, /*with_requirements=*/false));
  const bool environment = std::any_of(&values[kCdp], &values[kAr] + 1, [](auto value) { return value != 0; });
  return {.base = base, .score = environment ? environmental_of(values) : temporal_of(values, base)};
}

}  // namespace slipway::feeds::cvss
