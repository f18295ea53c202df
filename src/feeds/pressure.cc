#include "feeds/pressure.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string>

namespace slipway::feeds {
namespace {

Result<double> read_one(const std::filesystem::path& file) {
  std::ifstream in(file);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  if (!in.is_open() || text.empty()) {
    return fail(ErrorKind::kNotFound, "the kernel tells no pressure in {}", file.native());
  }
  const auto value = parse_some_avg10(text);
  if (!value) return fail(ErrorKind::kCorrupt, "{} has no \"some avg10=\"", file.native());
  return *value;
}

bool any_above(const Pressure& sample, const Pressure& limit) {
  return sample.cpu > limit.cpu || sample.io > limit.io || sample.memory > limit.memory;
}

}  // namespace

std::optional<double> parse_some_avg10(std::string_view text) {
  constexpr std::string_view kBefore = "some avg10=";
  const auto at = text.find(kBefore);
  if (at == std::string_view::npos) return std::nullopt;
  const auto number = text.substr(at + kBefore.size());
  double value = 0;
  const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), value);
  const bool per_cent = value >= 0 && value <= 100;  // not a number is not
  if (problem != std::errc{} || !per_cent) return std::nullopt;
  return value;
}

Result<Pressure> read_pressure(const std::filesystem::path& folder) {
  const auto cpu = read_one(folder / "cpu");
  if (!cpu) return fail(cpu.error());
  const auto io = read_one(folder / "io");
  if (!io) return fail(io.error());
  const auto memory = read_one(folder / "memory");
  if (!memory) return fail(memory.error());
  return Pressure{.cpu = *cpu, .io = *io, .memory = *memory};
}

int withheld_after(const Pressure& sample, const PressureLimits& limits, int slots, int withheld) {
  int wanted = withheld;
  if (any_above(sample, limits.high)) {
    wanted += (slots - withheld + 1) / 2;
  } else if (!any_above(sample, limits.low)) {
    wanted -= (slots + 3) / 4;
  }
  return std::clamp(wanted, 0, std::max(slots - 1, 0));
}

}  // namespace slipway::feeds
