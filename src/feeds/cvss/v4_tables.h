// The tables of the CVSS 4.0 specification: what it found by asking people and not by a formula.
//
// A macro vector is six digits, EQ1 to EQ6: in each, 0 is the worst of the classes that a group of metrics falls into.
// EQ3 and EQ6 go together: of their pairs, 2 and 0 does not exist.
#pragma once

#include <array>
#include <optional>

namespace slipway::feeds::cvss {

using MacroVector = std::array<int, 6>;

// The score of the worst vectors in it, in tenths; nothing when there is no such macro vector.
[[nodiscard]] std::optional<int> macro_score(const MacroVector& macro);

// The levels of metrics (0 is the worst value) that one of EQs 1, 2, 3 with 6, and 4 is about, added up.
struct Range {
  int highest;  // in the worst vectors: the same for all of these
  int depth;    // how many steps the specification counts from there to the next class
};
[[nodiscard]] std::array<Range, 4> ranges_of(const MacroVector& macro);

}  // namespace slipway::feeds::cvss
