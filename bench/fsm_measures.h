// What fsm_bench measures. Each function does one measurement in `folder` and throws when something fails: a benchmark
// of a program that does not work says nothing.
#pragma once

#include <cstddef>
#include <string>

namespace slipway::bench {

// The physical limit of this folder: 200 bytes appended and fdatasync, so often a second.
[[nodiscard]] double raw_syncs_per_second(const std::string& folder);

struct OneByOne {
  double commits_per_second = 0;  // durable: a start and five completions a run
  double syncs_per_run = 0;       // as SQLite asked the operating system for; median over the runs
};
[[nodiscard]] OneByOne one_run_after_another(const std::string& folder, std::size_t runs);

// From the first start to the last end. With `removing`, finished runs of an earlier time are removed all the while.
[[nodiscard]] double concurrent_transitions_per_second(const std::string& folder, std::size_t runs, bool removing);

// Resident bytes that a waiting run adds.
[[nodiscard]] double bytes_per_waiting_run(const std::string& folder, std::size_t runs);

// From the start of a process to the last of `runs` interrupted transitions having begun again in it.
[[nodiscard]] double seconds_to_resume(const std::string& folder, std::size_t runs);

// Median time of a start with so many finished runs in the store, divided by that with none.
[[nodiscard]] double start_latency_ratio(const std::string& folder, std::size_t finished_runs);

// The other side of the measurements that need a process of their own: main() calls it first. Never returns when the
// program was started for that.
void run_as_child(int argc, char** argv);

}  // namespace slipway::bench
