// CVSS 3.0 and 3.1, as their specifications have it (3.0: chapter 8; 3.1: chapter 7 and appendix A).
#include <algorithm>
#include <iterator>

#include "feeds/cvss/metrics.h"
#include "feeds/cvss/rounding.h"

namespace slipway::feeds::cvss {
namespace {

enum Place : std::uint8_t { kAv, kAc, kPr, kUi, kS, kC, kI, kA, kE, kRl, kRc, kCr, kIr, kAr, kMav };

constexpr std::size_t kBaseMetrics = 8;  // each has its modified one, from kMav on and in the same order

constexpr Metric kMetrics[] = {
    {"AV", "N A L P", true}, {"AC", "L H", true},  {"PR", "N L H", true}, {"UI", "N R", true}, {"S", "U C", true},
    {"C", "N L H", true},    {"I", "N L H", true}, {"A", "N L H", true},  {"E", "X U P F H"},  {"RL", "X O T W U"},
    {"RC", "X U R C"},       {"CR", "X L M H"},    {"IR", "X L M H"},     {"AR", "X L M H"},   {"MAV", "X N A L P"},
    {"MAC", "X L H"},        {"MPR", "X N L H"},   {"MUI", "X N R"},      {"MS", "X U C"},     {"MC", "X N L H"},
    {"MI", "X N L H"},       {"MA", "X N L H"},
};
static_assert(std::size(kMetrics) == kMav + kBaseMetrics);

// Weights, in the order of the values above.
constexpr double kAttackVector[] = {0.85, 0.62, 0.55, 0.2};
constexpr double kAttackComplexity[] = {0.77, 0.44};
constexpr double kPrivileges[2][3] = {{0.85, 0.62, 0.27}, {0.85, 0.68, 0.5}};  // scope unchanged, changed
constexpr double kInteraction[] = {0.85, 0.62};
constexpr double kImpact[] = {0, 0.22, 0.56};
constexpr double kMaturity[] = {1, 0.91, 0.94, 0.97, 1};
constexpr double kRemediation[] = {1, 0.95, 0.96, 0.97, 1};
constexpr double kConfidence[] = {1, 0.92, 0.96, 1};
constexpr double kRequirement[] = {1, 0.5, 1, 1.5};

double power(double base, int exponent) {
  double product = 1;
  for (int i = 0; i < exponent; ++i) product *= base;
  return product;
}

int round_up(Minor minor, double value) {
  return minor == Minor::k0 ? rounded_up(value) : rounded_up_of_five_decimals(value);
}

// What is lost of confidentiality, integrity and availability together, from 0 to 1.
double loss_of(const Values& v, bool with_requirements) {
  double left = 1;
  for (std::uint8_t i = 0; i < 3; ++i) {
    left *= 1 - kImpact[v[kC + i]] * (with_requirements ? kRequirement[v[kCr + i]] : 1.0);
  }
  return std::min(1 - left, 0.915);
}

// The score of the base metrics in `v` whose impact is `impact`.
int score_of(const Values& v, double impact, Minor minor) {
  if (impact <= 0) return 0;
  const auto scope = v[kS];
  const double exploitability =
      8.22 * kAttackVector[v[kAv]] * kAttackComplexity[v[kAc]] * kPrivileges[scope][v[kPr]] * kInteraction[v[kUi]];
  return round_up(minor, std::min((scope != 0 ? 1.08 : 1.0) * (impact + exploitability), 10.0));
}

int base_of(const Values& v, Minor minor) {
  const double loss = loss_of(v, /*with_requirements=*/false);
  const double impact = v[kS] == 0 ? 6.42 * loss : 7.52 * (loss - 0.029) - 3.25 * power(loss - 0.02, 15);
  return score_of(v, impact, minor);
}

// The base score of the modified metrics, with the requirements.
int modified_of(Values v, Minor minor) {
  for (std::size_t i = 0; i < kBaseMetrics; ++i) {
    if (v[kMav + i] != 0) v[i] = static_cast<std::uint8_t>(v[kMav + i] - 1);
  }
  const double loss = loss_of(v, /*with_requirements=*/true);
  const double removed = minor == Minor::k0 ? power(loss - 0.02, 15) : power(loss * 0.9731 - 0.02, 13);
  return score_of(v, v[kS] == 0 ? 6.42 * loss : 7.52 * (loss - 0.029) - 3.25 * removed, minor);
}

}  // namespace

std::span<const Metric> v3_metrics() { return kMetrics; }

Tenths score_v3(const Values& values, Minor minor) {
  const int base = base_of(values, minor);
  const bool environment =
      std::any_of(&values[kCr], &values[kMav] + kBaseMetrics, [](auto value) { return value != 0; });
  const int before = environment ? modified_of(values, minor) : base;
  const double temporal = kMaturity[values[kE]] * kRemediation[values[kRl]] * kConfidence[values[kRc]];
  return {.base = base, .score = round_up(minor, before / 10.0 * temporal)};
}

}  // namespace slipway::feeds::cvss
