// The table that a benchmark prints, and its JSON: what was measured, what it must reach, what it should.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slipway::bench {

enum class Better : std::uint8_t { kHigher, kLower };

struct Measure {
  std::string name;
  double value = 0;
  std::optional<double> must;  // none: for information
  std::optional<double> aim;
  Better better = Better::kHigher;
  std::string unit;

  [[nodiscard]] bool reaches(double bound) const { return better == Better::kHigher ? value >= bound : value <= bound; }
  [[nodiscard]] bool ok() const { return !must || reaches(*must); }
};

[[nodiscard]] double median(std::vector<double> values);

void print_table(const std::vector<Measure>& measures);
// A list of {name, value, must, aim, ok}. False when the file cannot be written.
[[nodiscard]] bool write_json(const std::vector<Measure>& measures, const std::string& path);
[[nodiscard]] bool all_ok(const std::vector<Measure>& measures);

}  // namespace slipway::bench
