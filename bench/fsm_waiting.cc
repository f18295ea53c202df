// Runs that wait, runs that are resumed, and a long history.
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <vector>

#include <malloc.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fsm_bench_machine.h"
#include "fsm_measures.h"
#include "report.h"
#include "sys/clock.h"

namespace slipway::bench {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::size_t kBatch = 1000;
constexpr std::string_view kChildMark = "--child";

double resident_bytes() {
  std::ifstream status("/proc/self/statm");
  double total = 0;
  double resident = 0;
  status >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// Runs this program as a child, and gives the number that it prints.
double from_child(const std::string& what, const std::string& folder, std::size_t runs) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  std::string program = "/proc/self/exe";
  std::string mark(kChildMark);
  std::string kind = what;
  std::string where = folder;
  std::string count = std::to_string(runs);
  std::array<char*, 6> args{program.data(), mark.data(), kind.data(), where.data(), count.data(), nullptr};
  pid_t child = 0;
  const int spawned = posix_spawn(&child, program.c_str(), &actions, nullptr, args.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (spawned != 0) throw std::runtime_error("cannot start a child");
  std::string text;
  std::array<char, 64> buffer{};
  for (ssize_t n = 0; (n = read(ends[0], buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0 || text.empty()) throw std::runtime_error("child for " + what + " failed");
  return std::stod(text);
}

void child_memory(const std::string& folder, std::size_t runs) {
  auto bench = open_bench(folder + "/memory.db");
  const auto start = [&](std::size_t from, std::size_t count) {
    std::vector<fsm::StartRequest> list;
    for (std::size_t i = from; i < from + count; ++i) {
      list.push_back({.id = fmt::format("run-{}", i),
                      .request = R"({"name":"World"})",
                      .options = {.not_before = bench.manager->clock().now() + 24h}});
    }
    for (auto& started : bench.manager->start_all("steps", std::move(list))) must(std::move(started));
  };
  start(1'000'000, kBatch * 10);  // SQLite's cache and the threads are there now
  const double before = resident_bytes();
  for (std::size_t done = 0; done < runs; done += kBatch) start(done, kBatch);
  fmt::print("{}\n", (resident_bytes() - before) / static_cast<double>(runs));
}

void child_resume(const std::string& folder, std::size_t runs) {
  std::mutex mutex;
  std::condition_variable all;
  std::atomic<std::size_t> entered = 0;
  auto bench = open_bench(folder + "/resume.db", [&](const StepsContext& run) {
    if (!run.resumed() || ++entered != runs) return;
    const std::scoped_lock lock(mutex);
    all.notify_all();
  });
  std::unique_lock lock(mutex);
  all.wait(lock, [&] { return entered >= runs; });
  const auto now = std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
  fmt::print("{:.6f}\n", now);
  std::fflush(stdout);
  _exit(0);
}

fsm::RunSpec spec_of(std::size_t i, UlidSource& ulids, const std::shared_ptr<const fsm::Plan>& plan) {
  const TimePoint now = sys::system_clock().now();
  return {.version = fsm::RunVersion(ulids.next(now)),
          .machine = "steps",
          .id = fmt::format("stored-{}", i),
          .plan = plan,
          .started_at = now};
}

// Runs as an earlier process left them, written without going through each transition.
void fill(const std::string& path, std::size_t runs, const fsm::Progress& progress,
          const std::vector<fsm::Event>& events) {
  auto store = must(fsm::SqliteRunStore::open(path));
  UlidSource ulids;
  const auto plan = std::make_shared<const fsm::Plan>(
      fsm::Plan{.transitions = {"one", "two", "three", "four", "five"}, .end = "done"});
  const fsm::RunState running = fsm::Running{};
  const std::string request = R"({"name":"World"})";
  const std::string response = R"({"steps":2})";
  for (std::size_t done = 0; done < runs; done += kBatch) {
    std::vector<fsm::RunSpec> specs;
    std::vector<fsm::Write> writes;
    specs.reserve(kBatch);
    writes.reserve(2 * kBatch);
    for (std::size_t i = done; i < done + kBatch; ++i) specs.push_back(spec_of(i, ulids, plan));
    for (const auto& spec : specs) {
      writes.emplace_back(fsm::StartWrite{&spec, &running, &request, {{.kind = fsm::EventKind::kStarted}}});
    }
    for (const auto& spec : specs) writes.emplace_back(fsm::MoveWrite{spec.version, 1, &progress, &response, events});
    must(store->commit(writes));
  }
}

double start_micros(Bench& bench, std::size_t i) {
  const auto began = Clock::now();
  must(bench.steps->start(fmt::format("new-{}", i), {.name = "World"},
                          {.not_before = bench.manager->clock().now() + 24h}));
  return seconds_since(began) * 1e6;
}

}  // namespace

double bytes_per_waiting_run(const std::string& folder, std::size_t runs) { return from_child("memory", folder, runs); }

double seconds_to_resume(const std::string& folder, std::size_t runs) {
  fill(folder + "/resume.db", runs, {.state = fsm::Running{}, .position = 2, .arrival = 2},
       {{.kind = fsm::EventKind::kCompleted, .transition = "two"}});
  const auto began = std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
  return from_child("resume", folder, runs) - began;
}

double start_latency_ratio(const std::string& folder, std::size_t finished_runs) {
  const TimePoint now = sys::system_clock().now();
  fill(folder + "/long.db", finished_runs,
       {.state = fsm::Finished{fsm::Ending::kCompleted, std::nullopt, now}, .position = 5, .arrival = 5},
       {{.kind = fsm::EventKind::kFinished, .at = now, .ending = fsm::Ending::kCompleted}});
  fsm::ManagerOptions keep_all;
  keep_all.retention = {.max_age = std::nullopt, .max_count = std::nullopt};
  auto empty = open_bench(folder + "/short.db", {}, keep_all);
  auto full = open_bench(folder + "/long.db", {}, keep_all);
  std::vector<double> with_none;
  std::vector<double> with_many;
  for (std::size_t i = 0; i < 2000; ++i) {  // turn about, so that the machine's moods meet both alike
    with_none.push_back(start_micros(empty, i));
    with_many.push_back(start_micros(full, i));
  }
  return median(with_many) / median(with_none);
}

void run_as_child(int argc, char** argv) {
  if (argc != 5 || argv[1] != kChildMark) return;
  const std::string what = argv[2];
  const std::size_t runs = std::strtoull(argv[4], nullptr, 10);
  if (what == "memory") child_memory(argv[3], runs);
  if (what == "resume") child_resume(argv[3], runs);
  std::fflush(stdout);
  std::exit(0);
}

}  // namespace slipway::bench
