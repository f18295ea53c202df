// What a CVSS vector is worth: the scores of versions 2.0, 3.0, 3.1 and 4.0, computed from the vector alone.
//
//   const auto cvss = score_cvss("CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H");  // 9.8, CRITICAL
//
// A vector names metrics and their values. Versions 3 and 4 say which they are in front; a vector of version 2 is bare
// or stands in parentheses. The metrics may come in any order (version 4 asks for one, but a publisher's slip does not
// change what the vector says). Nothing else is mended: a metric of the base group that is missing, one that is given
// twice, an unknown metric or value, or an empty part is an error. An optional metric that is not given is the same
// as one "not defined" (X, in version 2 ND).
//
// Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"

namespace slipway::feeds {

enum class CvssVersion : std::uint8_t { k2, k30, k31, k4 };

// The qualitative scale. Version 2 knows only LOW, MEDIUM and HIGH.
enum class Severity : std::uint8_t { kNone, kLow, kMedium, kHigh, kCritical };

struct Cvss {
  CvssVersion version = CvssVersion::k31;
  // Of all metrics given: the base score, and where the vector defines metrics of the other groups (temporal and
  // environmental; in version 4 threat and environmental) the score with these. Supplemental metrics of version 4
  // change no score. From 0.0 to 10.0, the double nearest to a number with one decimal: it compares equal to a literal.
  double score = 0;
  double base = 0;                      // of the base metrics alone: what most publishers give beside the vector
  Severity severity = Severity::kNone;  // of `score`

  friend bool operator==(const Cvss&, const Cvss&) = default;
};

// No vector with each metric given once is longer, in bytes.
inline constexpr std::size_t kLongestCvssVector = 256;

// kInvalid: names the vector, the metric and the rule that is broken.
[[nodiscard]] Result<Cvss> score_cvss(std::string_view vector);

// The band of `score` on the version's scale. Version 2 has no scale of its own: these are the bands of the NVD.
[[nodiscard]] Severity severity_of(CvssVersion version, double score);

[[nodiscard]] std::string_view to_string(CvssVersion version);  // "2.0", "3.0", "3.1", "4.0"
[[nodiscard]] std::string_view to_string(Severity severity);    // "NONE", "LOW", "MEDIUM", "HIGH", "CRITICAL"

}  // namespace slipway::feeds
