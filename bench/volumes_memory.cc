// The most memory that the program has while it makes volumes, with the children it starts.
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "process_peak.h"
#include "volumes_measures.h"

namespace slipway::bench {
namespace {

double mib_for(const VolumesBench& bench, const std::string& key) {
  const std::string state = bench.file("state-of-memory");
  const Peak peak = peak_of(slipway_words(state, bench.bucket, {"fetch-and-create", key}));
  std::filesystem::remove_all(state);
  fmt::print(stderr, "  {}: itself {:.1f} MiB, its child {:.1f} MiB\n", key, peak.itself_kib / 1024,
             peak.children_kib / 1024);
  return (peak.itself_kib + peak.children_kib) / 1024;
}

}  // namespace

std::vector<Measure> measure_unpacking_memory(const VolumesBench& bench) {
  fmt::print(stderr, "memory...\n");
  return {
      {.name = "volumes.memory_unpacking",
       .value = mib_for(bench, kDebianKey),
       .must = 96,
       .aim = 48,
       .better = Better::kLower,
       .unit = "MiB"},
      {.name = "volumes.memory_unpacking_100000_files",
       .value = mib_for(bench, kFlatKey),
       .must = 96,
       .aim = 48,
       .better = Better::kLower,
       .unit = "MiB"},
  };
}

}  // namespace slipway::bench
