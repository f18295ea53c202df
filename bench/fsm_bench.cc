// How fast the runtime is, as ratios against what the disk can do in the same folder in the same run.
// docs/benchmarks.md says how to read it.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "fsm_measures.h"
#include "report.h"
#include "sys/testing/temp_dir.h"

namespace slipway::bench {
namespace {

constexpr std::size_t kConcurrent = 20'000;
constexpr std::size_t kWaiting = 100'000;
constexpr std::size_t kHistory = 1'000'000;

void progress(std::string_view what) {
  fmt::print(stderr, "measuring {}...\n", what);
  std::fflush(stderr);
}

std::vector<Measure> measure_throughput() {
  constexpr int kRounds = 7;
  std::vector<double> raw;
  std::vector<double> one_by_one;
  std::vector<double> syncs;
  std::vector<double> concurrent;
  std::vector<double> removing;
  for (int round = 1; round <= kRounds; ++round) {
    progress(fmt::format("throughput, round {} of {}", round, kRounds));
    const sys::TempDir folder;
    const double raw_before = raw_syncs_per_second(folder.path());
    const auto alone = one_run_after_another(folder.path(), 400);
    const double raw_between = raw_syncs_per_second(folder.path());
    const double many = concurrent_transitions_per_second(folder.path(), kConcurrent, /*removing=*/false);
    const double raw_after = raw_syncs_per_second(folder.path());
    one_by_one.push_back(alone.commits_per_second / ((raw_before + raw_between) / 2));
    syncs.push_back(alone.syncs_per_run);
    concurrent.push_back(many / ((raw_between + raw_after) / 2));
    removing.push_back(concurrent_transitions_per_second(folder.path(), kConcurrent, /*removing=*/true) / many);
    raw.push_back(raw_before);
    fmt::print(stderr, "  raw {:.0f}/s, one by one {:.0f} commits/s, concurrent {:.0f} transitions/s\n", raw_before,
               alone.commits_per_second, many);
  }
  return {
      {.name = "raw append + fdatasync", .value = median(raw), .unit = "per second"},
      {.name = "one run after another: commits/s ÷ raw", .value = median(one_by_one), .must = 0.8, .aim = 1.05},
      {.name = "syncs for a run of 5 transitions, alone",
       .value = median(syncs),
       .must = 7,
       .aim = 6,
       .better = Better::kLower},
      {.name = "20,000 concurrent runs: transitions/s ÷ raw", .value = median(concurrent), .must = 15, .aim = 50},
      {.name = "the same while history is removed ÷ without", .value = median(removing), .must = 0.6, .aim = 0.9},
  };
}

std::vector<Measure> measure_size() {
  constexpr int kRounds = 3;
  std::vector<double> bytes;
  std::vector<double> resume;
  for (int round = 1; round <= kRounds; ++round) {
    progress(fmt::format("100,000 runs, round {} of {}", round, kRounds));
    const sys::TempDir folder;
    bytes.push_back(bytes_per_waiting_run(folder.path(), kWaiting));
    resume.push_back(seconds_to_resume(folder.path(), kWaiting));
  }
  progress("starts with a history of 1,000,000 runs");
  const sys::TempDir folder;
  return {
      {.name = "memory a waiting run adds",
       .value = median(bytes) / 1024,
       .must = 2,
       .aim = 1,
       .better = Better::kLower,
       .unit = "KiB"},
      {.name = "100,000 active runs: process start to all resumed",
       .value = median(resume),
       .must = 3,
       .aim = 1,
       .better = Better::kLower,
       .unit = "s"},
      {.name = "start with 1,000,000 finished runs ÷ with none",
       .value = start_latency_ratio(folder.path(), kHistory),
       .must = 1.3,
       .aim = 1.05,
       .better = Better::kLower},
  };
}

std::vector<Measure> measure_all() {
  auto measures = measure_throughput();
  const auto sizes = measure_size();
  measures.insert(measures.end(), sizes.begin(), sizes.end());
  return measures;
}

}  // namespace
}  // namespace slipway::bench

int main(int argc, char** argv) {
  try {
    slipway::bench::run_as_child(argc, argv);
    return slipway::bench::bench_main("fsm_bench", argc, argv, slipway::bench::measure_all);
  } catch (const std::exception& e) {
    fmt::print(stderr, "fsm_bench: {}\n", e.what());
    return 1;
  }
}
