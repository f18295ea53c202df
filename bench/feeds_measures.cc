#include "feeds_measures.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "feeds/query/feed_reader.h"
#include "feeds_nvd_server.h"
#include "sys/clock.h"
#include "sys/testing/command.h"
#include "sys/testing/temp_dir.h"
#include "timing.h"

namespace slipway::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kTurns = 3;
constexpr std::size_t kManyCves = 300'000;

std::string self() { return fs::read_symlink("/proc/self/exe").string(); }

struct Bench {
  const sys::TempDir& folder;
  std::string file{};   // JSON, unpacked
  std::string query{};  // that takes jq through it

  [[nodiscard]] std::string database(std::string_view name) const { return folder.file(fmt::format("{}.db", name)); }
  void forget(std::string_view name) const {
    for (const auto* end : {"", "-wal", "-shm", ".cache"}) fs::remove_all(database(name) + end);
  }
};

void must_run(const std::vector<std::string>& words) {
  if (const auto code = sys::run_to_end(words, {}).code; code != 0) {
    throw std::runtime_error(fmt::format("{} ended with {}", words.front(), code));
  }
}

std::vector<std::string> sync_words(const Bench& bench, std::string_view name, const std::string& source,
                                    const std::string& provider = "cve") {
  return {self(), std::string(kSyncArgument), provider, bench.database(name), source};
}

double seconds_to_sync(const Bench& bench, std::string_view name, const std::string& source) {
  return seconds_for([&] { must_run(sync_words(bench, name, source)); });
}

// What it says of its own memory when it is done.
double peak_kib_of_sync(const Bench& bench, std::string_view name, const std::string& source) {
  const auto said = sys::run_command(sync_words(bench, name, source));
  return std::stod(said);
}

double seconds_for_jq(const Bench& bench) {
  return seconds_for(
      [&] { must_run({"sh", "-c", fmt::format("jq -c '{}' '{}' > /dev/null", bench.query, bench.file)}); });
}

std::string real_file(std::string_view name) {
  const char* given = std::getenv("SLIPWAY_DATA");
  return fmt::format("{}/{}", given != nullptr ? given : SLIPWAY_BENCH_DATA, name);
}

// The largest CVE file of real data, where there is some; else one of the same shape.
Bench prepare(const sys::TempDir& folder) {
  Bench bench{.folder = folder, .file = folder.file("cves.json")};
  const std::string real = real_file("cve/nvdcve-1.1-2025-partial.json.xz");
  if (fs::exists(real)) {
    fmt::print(stderr, "CVEs are from {}\n", fs::path(real).filename().string());
    must_run({"sh", "-c", fmt::format("xz -dc '{}' > '{}'", real, bench.file)});
    bench.query = ".CVE_Items[]";
    return bench;
  }
  fmt::print(stderr, "there is no real data; CVEs are made up\n");
  std::ofstream(bench.file) << nvd_page(0, 12'000, 12'000);
  bench.query = ".vulnerabilities[]";
  return bench;
}

void measure_ingest(const Bench& bench, std::vector<Measure>& all) {
  fmt::print(stderr, "ingest...\n");
  std::vector<double> ratios;
  std::vector<double> again;
  std::vector<double> resumed;
  for (int turn = 0; turn < kTurns; ++turn) {
    bench.forget("ingest");
    const double jq = seconds_for_jq(bench);
    const double first = seconds_to_sync(bench, "ingest", bench.file);
    const double second = seconds_to_sync(bench, "ingest", bench.file);
    fmt::print(stderr, "  jq {:.2f} s, first {:.2f} s, again {:.3f} s\n", jq, first, second);
    ratios.push_back(jq / first);
    again.push_back(first / second);

    bench.forget("killed");
    const double killed = seconds_for([&] {
      sys::Command child(sync_words(bench, "killed", bench.file));
      std::this_thread::sleep_for(std::chrono::duration<double>(first / 2));
      ::kill(child.pid(), SIGKILL);
      (void)child.wait();
    });
    const double rest = seconds_to_sync(bench, "killed", bench.file);
    fmt::print(stderr, "  killed after {:.2f} s, resumed in {:.2f} s\n", killed, rest);
    resumed.push_back((killed + rest) / first);
  }
  const double mib = static_cast<double>(fs::file_size(bench.file)) / (1024 * 1024);
  all.push_back({.name = "feeds.ingest_vs_jq", .value = median(ratios), .must = 1, .aim = 3, .unit = "x"});
  all.push_back({.name = "feeds.unchanged", .value = median(again), .must = 10, .aim = 100, .unit = "x faster"});
  all.push_back({.name = "feeds.killed_and_resumed",
                 .value = median(resumed),
                 .must = 1.2,
                 .aim = 1.05,
                 .better = Better::kLower,
                 .unit = "x"});
  fmt::print(stderr, "  of {:.1f} MiB\n", mib);
}

void measure_memory(const Bench& bench, std::vector<Measure>& all) {
  fmt::print(stderr, "memory...\n");
  // The same records four times over: memory must not follow the size.
  const std::string big = bench.folder.file("big.json");
  std::ofstream(big) << nvd_page(0, 40'000, 40'000);
  double most = 0;
  for (const auto& source : {bench.file, big}) {
    bench.forget("memory");
    const double mib = peak_kib_of_sync(bench, "memory", source) / 1024;
    fmt::print(stderr, "  {:.0f} MiB of JSON: {:.1f} MiB\n", static_cast<double>(fs::file_size(source)) / (1 << 20),
               mib);
    most = std::max(most, mib);
  }
  all.push_back(
      {.name = "feeds.memory", .value = most, .must = 256, .aim = 96, .better = Better::kLower, .unit = "MiB"});
  fs::remove(big);
}

double milliseconds_for(const std::function<void()>& work) {
  std::vector<double> times;
  for (int turn = 0; turn < 20; ++turn) times.push_back(seconds_for(work) * 1000);
  return median(times);
}

void measure_queries(const std::string& database, std::vector<Measure>& all) {
  fmt::print(stderr, "queries...\n");
  auto reader = feeds::FeedReader::open(database, sys::system_clock());
  if (!reader) throw std::runtime_error(reader.error().describe());
  const auto node_of = [&](std::string_view name) {
    auto found = (*reader)->find(name);
    if (!found) throw std::runtime_error(found.error().describe());
    return found->front().node;
  };
  const auto first = made_up_id(7);
  const auto last = made_up_id(kManyCves - 7);
  const auto check = [](const auto& result) {
    if (!result) throw std::runtime_error(result.error().describe());
  };
  const double show = milliseconds_for([&] {
    const auto node = node_of(first);
    check((*reader)->entry(node));
    check((*reader)->chain(node));
  });
  const double path = milliseconds_for([&] { check((*reader)->path(node_of(first), node_of(last))); });
  all.push_back({.name = "feeds.show", .value = show, .must = 50, .aim = 5, .better = Better::kLower, .unit = "ms"});
  all.push_back({.name = "feeds.path", .value = path, .must = 50, .aim = 5, .better = Better::kLower, .unit = "ms"});
}

void measure_api(const Bench& bench, std::vector<Measure>& all) {
  fmt::print(stderr, "{} CVEs through a server that speaks NVD's API...\n", kManyCves);
  const NvdServer server(kManyCves);
  const double seconds = seconds_to_sync(bench, "api", server.url());
  all.push_back({.name = "feeds.api_300000_cves",
                 .value = seconds / 60,
                 .must = 10,
                 .aim = 2,
                 .better = Better::kLower,
                 .unit = "min"});
  // Weaknesses that are linked with each other make chains between CVEs that are long enough to be worth looking for.
  const std::string weaknesses = real_file("cwe/cwec_v4.15.xml.xz");
  if (fs::exists(weaknesses)) must_run(sync_words(bench, "api", weaknesses, "cwe"));
  measure_queries(bench.database("api"), all);
}

}  // namespace

std::vector<Measure> measure_feeds() {
  const sys::TempDir folder;
  const Bench bench = prepare(folder);
  std::vector<Measure> all;
  measure_ingest(bench, all);
  measure_memory(bench, all);
  measure_api(bench, all);
  return all;
}

}  // namespace slipway::bench
