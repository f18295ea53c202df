// The metrics of a CVSS version as a table, and a vector read by such a table. For the files of this folder.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/error.h"

namespace slipway::feeds::cvss {

struct Metric {
  std::string_view name;
  std::string_view values;  // with a space between two; an optional metric's first is "not defined"
  bool mandatory = false;
};

inline constexpr std::size_t kMostMetrics = 32;

// For each metric of a table, in its order: the place of the value given among the metric's values. An optional metric
// that was not given has 0, as one that was given as not defined.
using Values = std::array<std::uint8_t, kMostMetrics>;

// Reads `metrics` ("AV:N/AC:L/...") by `table`. `vector` is the whole text, for the errors.
[[nodiscard]] Result<Values> parse_metrics(std::string_view vector, std::string_view metrics,
                                           std::span<const Metric> table);

// Scores in tenths.
struct Tenths {
  int base = 0;
  int score = 0;  // with the optional groups
};

[[nodiscard]] std::span<const Metric> v2_metrics();
[[nodiscard]] Tenths score_v2(const Values& values);

// Versions 3.0 and 3.1 have the same metrics. They differ in what rounding up is, and in the impact of a changed scope
// in the environmental score.
enum class Minor : std::uint8_t { k0, k1 };
[[nodiscard]] std::span<const Metric> v3_metrics();
[[nodiscard]] Tenths score_v3(const Values& values, Minor minor);

[[nodiscard]] std::span<const Metric> v4_metrics();
[[nodiscard]] Tenths score_v4(const Values& values);

}  // namespace slipway::feeds::cvss
