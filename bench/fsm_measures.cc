// Throughput: one after another, many at once.
#include "fsm_measures.h"

#include <algorithm>
#include <array>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "fsm_bench_machine.h"
#include "report.h"
#include "store/vfs.h"

namespace slipway::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTransitions = 5;
constexpr std::size_t kStartBatch = 1000;

std::vector<fsm::StartRequest> requests(std::size_t from, std::size_t count) {
  std::vector<fsm::StartRequest> list;
  for (std::size_t i = from; i < from + count; ++i) {
    list.push_back({.id = fmt::format("run-{}", i), .request = R"({"name":"World"})"});
  }
  return list;
}

// Starts all in batches, and waits for all to end. Gives the seconds that took; that all is right is seen to after.
double run_all(Bench& bench, std::size_t from, std::size_t runs) {
  const auto began = Clock::now();
  std::vector<fsm::RunVersion> versions;
  versions.reserve(runs);
  for (std::size_t done = 0; done < runs; done += kStartBatch) {
    for (auto& started : bench.manager->start_all("steps", requests(from + done, std::min(kStartBatch, runs - done)))) {
      versions.push_back(must(std::move(started)).version);
    }
  }
  must(bench.steps->wait(versions.back()));
  while (bench.manager->metrics().value("fsm_active_runs") > 0) std::this_thread::yield();
  const double seconds = seconds_since(began);
  for (const auto& version : versions) {
    if (must(bench.steps->wait(version)).steps != kTransitions) throw std::runtime_error("a run has a wrong response");
  }
  return seconds;
}

}  // namespace

double raw_syncs_per_second(const std::string& folder) {
  const std::string path = folder + "/raw";
  const int fd = open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) throw std::runtime_error("cannot open " + path);
  constexpr int kRounds = 1500;
  const std::array<char, 200> record{};
  const auto began = Clock::now();
  for (int i = 0; i < kRounds; ++i) {
    if (write(fd, record.data(), record.size()) != static_cast<ssize_t>(record.size()) || fdatasync(fd) != 0) {
      throw std::runtime_error("cannot write " + path);
    }
  }
  const double rate = kRounds / seconds_since(began);
  close(fd);
  unlink(path.c_str());
  return rate;
}

OneByOne one_run_after_another(const std::string& folder, std::size_t runs) {
  auto bench = open_bench(folder + "/one.db");
  std::vector<double> syncs;
  const auto began = Clock::now();
  for (std::size_t i = 0; i < runs; ++i) {
    const auto before = store::vfs_stats().syncs;
    const auto run = must(bench.steps->start(fmt::format("run-{}", i), {.name = "World"}));
    if (must(bench.steps->wait(run)).steps != kTransitions) throw std::runtime_error("a run has a wrong response");
    syncs.push_back(static_cast<double>(store::vfs_stats().syncs - before));
  }
  const double seconds = seconds_since(began);
  return {.commits_per_second = static_cast<double>(runs) * (1 + kTransitions) / seconds,
          .syncs_per_run = median(syncs)};
}

double concurrent_transitions_per_second(const std::string& folder, std::size_t runs, bool removing) {
  fsm::ManagerOptions options;
  options.retention = {.max_age = std::nullopt, .max_count = std::nullopt};
  const std::string path = folder + (removing ? "/removing.db" : "/many.db");
  if (removing) {
    {
      auto earlier = open_bench(path, {}, options);
      run_all(earlier, /*from=*/1'000'000, runs);
      earlier.manager->shutdown(std::chrono::hours(1));
    }
    options.retention.max_count = 0;
  }
  auto bench = open_bench(path, {}, options);
  return static_cast<double>(runs) * kTransitions / run_all(bench, /*from=*/0, runs);
}

}  // namespace slipway::bench
