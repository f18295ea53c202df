// What it costs to know what is in an image, and what is known against it. docs/benchmarks.md says how to read it.
#include <cstdlib>
#include <exception>
#include <string_view>

#include <fmt/format.h>

#include "feeds_measures.h"
#include "report.h"
#include "scan/inventory/inventory_taker.h"
#include "scan_measures.h"

int main(int argc, char** argv) {
  try {
    using namespace slipway::bench;
    const std::string_view word = argc > 1 ? argv[1] : "";
    if (argc == 2 && word == kInventoryArgument) return slipway::scan::inventory_main();
    if (argc == 3 && word == kListArgument) return list_packages(argv[2]);
    if (argc == 5 && word == kSyncArgument) return sync_feed(argv[2], argv[3], argv[4]);
    return bench_main("scan_bench", argc, argv, measure_scan);
  } catch (const std::exception& e) {
    fmt::print(stderr, "scan_bench: {}\n", e.what());
    return 1;
  }
}
