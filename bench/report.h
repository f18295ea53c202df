// The table that a benchmark prints, and its JSON: what was measured, what it must reach, what it should.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::bench {

enum class Better : std::uint8_t { kHigher, kLower };

struct Measure {
  std::string name;
  double value = 0;
  std::optional<double> must;  // none: for information
  std::optional<double> aim;
  Better better = Better::kHigher;
  std::string unit{};
  std::string skipped{};  // why there is no value, where there is none; never a miss

  [[nodiscard]] bool reaches(double bound) const { return better == Better::kHigher ? value >= bound : value <= bound; }
  [[nodiscard]] bool ok() const { return !must || !skipped.empty() || reaches(*must); }
};

[[nodiscard]] double median(std::vector<double> values);

void print_table(const std::vector<Measure>& measures);
// A list of {name, value, must, aim, ok}, with `skipped` in place of a value where there is none. False when the file
// cannot be written.
[[nodiscard]] bool write_json(const std::vector<Measure>& measures, const std::string& path);
[[nodiscard]] bool all_ok(const std::vector<Measure>& measures);

// A benchmark program's main(): `program [--json FILE]`. The exit status is 0 when every must is reached.
[[nodiscard]] int bench_main(std::string_view program, int argc, char** argv,
                             const std::function<std::vector<Measure>()>& measure);

}  // namespace slipway::bench
