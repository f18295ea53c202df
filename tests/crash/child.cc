// crash_child FOLDER SEED MODE FD: the program that crash tests kill. MODE is
//   mix         run the scenario of SEED
//   record      the same, and write down which fault points were reached
//   many-first  start many runs at once
//   many-again  resume them, with a clock that is an hour behind
// FD is the pipe to the parent. The environment may arm a fault point (SLIPWAY_FAULT).
#include "child.h"

#include <cstdio>
#include <fstream>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include "base/number.h"
#include "layout.h"
#include "sys/fault.h"

namespace slipway::crash {

void tell(const ChildOrder& order, char what) {
  // A parent that does not listen any more is about to kill this process.
  [[maybe_unused]] const auto written = ::write(order.voice, &what, 1);
}

namespace {

Result<> record_points(const ChildOrder& order) {
  fault::record(true);
  auto done = run_scenario(order);
  std::ofstream out(points_path(order.folder));
  for (const auto& point : fault::reached()) out << point << '\n';
  out.close();
  if (!out) return fail(ErrorKind::kIo, "the fault points cannot be written");
  return done;
}

Result<> obey(const ChildOrder& order, std::string_view mode) {
  if (auto armed = fault::arm_from_environment(); !armed) return armed;
  if (mode == "mix") return run_scenario(order);
  if (mode == "record") return record_points(order);
  if (mode == "many-first") return run_many(order, /*first_life=*/true);
  if (mode == "many-again") return run_many(order, /*first_life=*/false);
  return fail(ErrorKind::kInvalid, "there is no mode {}", mode);
}

template <class Number>
bool parse(std::string_view text, Number& number) {
  const auto parsed = parse_number<Number>(text);
  number = parsed.value_or(0);
  return parsed.has_value();
}

}  // namespace
}  // namespace slipway::crash

int main(int argc, char** argv) {
  using namespace slipway::crash;
  ChildOrder order;
  if (argc != 5 || !parse(argv[2], order.seed) || !parse(argv[4], order.voice)) {
    fmt::print(stderr, "usage: crash_child FOLDER SEED MODE FD\n");
    return 2;
  }
  order.folder = argv[1];
  const auto done = obey(order, argv[3]);
  if (!done) fmt::print(stderr, "crash_child: {}\n", done.error().describe());
  return done ? 0 : 1;
}
