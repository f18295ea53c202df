// One vulnerability has many names. Pure.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace slipway::scan {

// Which of these sets of names speak of the same thing: those that share a name, directly or over others. The indexes
// of each group, in order; groups in the order of their first.
[[nodiscard]] std::vector<std::vector<std::size_t>> same_things(const std::vector<std::set<std::string>>& names);

// What to call it: the CVE with the lowest number, else GitHub's id, else the first in the order of bytes.
[[nodiscard]] std::string best_name(const std::set<std::string>& names);

}  // namespace slipway::scan
