// The two programs that crash_child can be.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"

namespace slipway::crash {

struct ChildOrder {
  std::string folder;  // holds store and trace
  std::uint64_t seed = 0;
  int voice = -1;  // a pipe to the parent
};

inline constexpr char kAlive = '.';
inline constexpr char kReady = '!';  // from here on the parent may kill

void tell(const ChildOrder& order, char what);

// Runs what is left of the scenario of the seed. Ready when it has resumed. Returns when all runs have ended.
[[nodiscard]] Result<> run_scenario(const ChildOrder& order);

// Starts `kManyRuns` runs that are active all at once, or resumes what is left of them; see many.h. Ready, and
// waiting to be killed, when so many tries have begun that half of the runs have one transition done, and half two.
[[nodiscard]] Result<> run_many(const ChildOrder& order, bool first_life);

}  // namespace slipway::crash
