// From a score as the formulas of versions 2 and 3 give it to tenths.
//
// The formulas are about numbers with few decimals, and are full of results that lie exactly on a tenth or half way
// between two; computed in doubles these come out some 1e-15 off, on either side. A result that is not exactly there is
// at least 1e-7 away, over all vectors there are. So a result is taken to the nearest billionth first, and rounded as
// an integer.
#pragma once

#include <cmath>
#include <cstdint>

namespace slipway::feeds::cvss {

inline std::int64_t billionths(double value) { return std::llround(value * 1e9); }

// To the nearest tenth, a half goes up. `value` is not negative.
inline int rounded(double value) { return static_cast<int>((billionths(value) + 50'000'000) / 100'000'000); }

// The smallest tenth that is not below `value`, which is not negative.
inline int rounded_up(double value) { return static_cast<int>((billionths(value) + 99'999'999) / 100'000'000); }

// The same in the words of version 3.1, which looks at five decimals only.
inline int rounded_up_of_five_decimals(double value) {
  return static_cast<int>((std::llround(value * 1e5) + 9'999) / 10'000);
}

}  // namespace slipway::feeds::cvss
