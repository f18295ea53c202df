// CVSS 4.0, as its specification has it (chapter 8): the metrics fall into one of 270 macro vectors, whose score is in
// a table, and from there down towards the scores of the next lower ones by how far the vector is from the worst of
// its own.
#include <algorithm>
#include <iterator>

#include "feeds/cvss/metrics.h"
#include "feeds/cvss/v4_tables.h"

namespace slipway::feeds::cvss {
namespace {

enum Place : std::uint8_t { kAv, kAc, kAt, kPr, kUi, kVc, kVi, kVa, kSc, kSi, kSa, kE, kCr, kIr, kAr, kMav };

constexpr std::size_t kBaseMetrics = 11;  // each has its modified one, from kMav on and in the same order

// The values of the metrics that are scored stand from the worst to the best.
constexpr Metric kMetrics[] = {
    {"AV", "N A L P", true}, {"AC", "L H", true},   {"AT", "N P", true},   {"PR", "N L H", true},
    {"UI", "N P A", true},   {"VC", "H L N", true}, {"VI", "H L N", true}, {"VA", "H L N", true},
    {"SC", "H L N", true},   {"SI", "H L N", true}, {"SA", "H L N", true}, {"E", "X A P U"},
    {"CR", "X H M L"},       {"IR", "X H M L"},     {"AR", "X H M L"},     {"MAV", "X N A L P"},
    {"MAC", "X L H"},        {"MAT", "X N P"},      {"MPR", "X N L H"},    {"MUI", "X N P A"},
    {"MVC", "X H L N"},      {"MVI", "X H L N"},    {"MVA", "X H L N"},    {"MSC", "X H L N"},
    {"MSI", "X S H L N"},    {"MSA", "X S H L N"},  {"S", "X N P"},        {"AU", "X N Y"},
    {"R", "X A U I"},        {"V", "X D C"},        {"RE", "X L M H"},     {"U", "X Clear Green Amber Red"},
};
static_assert(std::size(kMetrics) == kMostMetrics);

// How far each metric is below its worst value, which is 0; by Place. Of SC, SI and SA 0 is Safety, which only the
// modified SI and SA can have.
using Levels = std::array<int, kMav>;

// Of the base metrics alone: the others are at their worst when not defined.
Levels base_levels(const Values& values) {
  Levels levels{};
  for (std::size_t i = 0; i < kBaseMetrics; ++i) levels[i] = values[i] + (i >= kSc ? 1 : 0);
  return levels;
}

Levels levels_of(const Values& values) {
  auto levels = base_levels(values);
  for (std::size_t i = 0; i < kBaseMetrics; ++i) {
    // MSI and MSA have Safety among their values; MSC begins one below it.
    if (values[kMav + i] != 0) levels[i] = values[kMav + i] - 1 + (i == kSc ? 1 : 0);
  }
  for (const auto i : {kE, kCr, kIr, kAr}) levels[i] = std::max(values[i] - 1, 0);
  return levels;
}

MacroVector macro_of(const Levels& at) {
  const int impact_high = (at[kVc] == 0 ? 1 : 0) + (at[kVi] == 0 ? 1 : 0);
  MacroVector macro{};
  if (at[kAv] == 3 || (at[kAv] != 0 && at[kPr] != 0 && at[kUi] != 0)) {
    macro[0] = 2;
  } else {
    macro[0] = at[kAv] + at[kPr] + at[kUi] == 0 ? 0 : 1;
  }
  macro[1] = at[kAc] + at[kAt] == 0 ? 0 : 1;
  if (impact_high == 2) {
    macro[2] = 0;
  } else {
    macro[2] = impact_high == 1 || at[kVa] == 0 ? 1 : 2;
  }
  macro[3] = std::min({at[kSc], at[kSi], at[kSa], 2});
  macro[4] = at[kE];
  const bool high_and_required = at[kVc] + at[kCr] == 0 || at[kVi] + at[kIr] == 0 || at[kVa] + at[kAr] == 0;
  macro[5] = high_and_required ? 0 : 1;
  return macro;
}

// The scores of the next lower macro vectors, by EQ1, EQ2, EQ3 with EQ6, EQ4, EQ5.
std::array<std::optional<int>, 5> next_lower(const MacroVector& macro) {
  const auto lower = [&macro](std::size_t digit) {
    auto next = macro;
    ++next[digit];
    return macro_score(next);
  };
  // Of the pair, EQ6 goes first, unless it is at its end; from the very worst the way to the higher score is taken.
  auto third_and_sixth = lower(macro[5] == 0 ? 5 : 2);
  if (macro[2] == 0 && macro[5] == 0) third_and_sixth = std::max(third_and_sixth, lower(2));
  return {lower(0), lower(1), third_and_sixth, lower(3), lower(4)};
}

std::array<int, 4> sums_of(const Levels& at) {
  return {at[kAv] + at[kPr] + at[kUi], at[kAc] + at[kAt], at[kVc] + at[kVi] + at[kVa] + at[kCr] + at[kIr] + at[kAr],
          at[kSc] + at[kSi] + at[kSa]};
}

// In tenths. Fractions all the way, so that a half is a half when it comes to rounding it up.
int score_of(const Levels& levels) {
  constexpr int kNone = 2;       // of VC, VI and VA
  constexpr int kNoneAfter = 3;  // of SC, SI and SA
  const auto sums = sums_of(levels);
  if (levels[kVc] + levels[kVi] + levels[kVa] == 3 * kNone && sums[3] == 3 * kNoneAfter) return 0;

  const auto macro = macro_of(levels);
  const int worst = macro_score(macro).value_or(0);
  const auto lower = next_lower(macro);
  const auto ranges = ranges_of(macro);
  constexpr int kUnit = 840;  // every depth divides it
  int ways = 0;
  int down = 0;  // of `ways` * kUnit in a tenth
  for (std::size_t i = 0; i < lower.size(); ++i) {
    if (!lower[i]) continue;
    ++ways;
    // Each class of EQ5 has one value: nothing is below its worst.
    if (i < ranges.size()) down += (worst - *lower[i]) * (sums[i] - ranges[i].highest) * (kUnit / ranges[i].depth);
  }
  if (ways == 0) return worst;
  const int whole = ways * kUnit;
  const int exact = std::clamp(worst * whole - down, 0, 100 * whole);
  return (exact + whole / 2) / whole;
}

}  // namespace

std::span<const Metric> v4_metrics() { return kMetrics; }

Tenths score_v4(const Values& values) {
  return {.base = score_of(base_levels(values)), .score = score_of(levels_of(values))};
}

}  // namespace slipway::feeds::cvss
