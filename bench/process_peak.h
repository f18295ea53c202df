// The most memory that a program and what it starts have had.
#pragma once

#include <string>
#include <vector>

namespace slipway::bench {

struct Peak {
  double itself_kib = 0;    // of its resident memory
  double children_kib = 0;  // of those that run at one time, their peaks added up
};

// Of this process.
[[nodiscard]] double own_peak_kib();

// Runs a program to its end. It and its descendants are looked at every few milliseconds: peaks only grow, so what is
// missed is what the last few add. Throws when it fails, or when it was never seen with a child. `out` takes what it
// printed.
[[nodiscard]] Peak peak_of(const std::vector<std::string>& words, std::string* out = nullptr);

}  // namespace slipway::bench
