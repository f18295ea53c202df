// How hard the machine is pressed, as the kernel says (/proc/pressure), and how many permits to withhold for it.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "base/error.h"

namespace slipway::feeds {

// Of the last ten seconds, the per cent in which something waited for it ("some avg10").
struct Pressure {
  double cpu = 0;
  double io = 0;
  double memory = 0;
};

// kNotFound where the kernel does not tell (PSI is off); kCorrupt when it says something else.
[[nodiscard]] Result<Pressure> read_pressure(const std::filesystem::path& folder = "/proc/pressure");
// "some avg10=1.50 avg60=...": the first number.
[[nodiscard]] std::optional<double> parse_some_avg10(std::string_view text);

struct PressureLimits {
  // Above one of these, permits are withheld; below all of the other three, they are given out again. In between
  // nothing changes: without that gap the work that starts again would raise the pressure that stops it.
  Pressure high{.cpu = 80, .io = 60, .memory = 20};
  Pressure low{.cpu = 40, .io = 30, .memory = 10};
};

// How many of `slots` to withhold from now on: half of what is still given out at each sample above, and a quarter of
// all given out again at each sample below. One is never withheld: somebody must get on.
[[nodiscard]] int withheld_after(const Pressure& sample, const PressureLimits& limits, int slots, int withheld);

}  // namespace slipway::feeds
