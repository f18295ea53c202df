// What it costs to keep the feeds' data current, beside what a tool that only reads the same file costs.
// docs/benchmarks.md says how to read it.
#include <cstdlib>
#include <exception>
#include <string_view>

#include <fmt/format.h>

#include "feeds_measures.h"
#include "report.h"

int main(int argc, char** argv) {
  try {
    using namespace slipway::bench;
    if (argc == 5 && std::string_view(argv[1]) == kSyncArgument) return sync_feed(argv[2], argv[3], argv[4]);
    for (const auto* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"}) ::unsetenv(name);
    return bench_main("feeds_bench", argc, argv, measure_feeds);
  } catch (const std::exception& e) {
    fmt::print(stderr, "feeds_bench: {}\n", e.what());
    return 1;
  }
}
