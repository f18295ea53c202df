// From a tar to a filled, synced volume.
#include <filesystem>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "archive/policy.h"
#include "pipeline/extraction.h"
#include "sys/clock.h"
#include "sys/testing/command.h"
#include "timing.h"
#include "volumes/ext4/extractor.h"
#include "volumes/file/file_pool.h"
#include "volumes_measures.h"

namespace slipway::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kRounds = 3;

template <class T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().describe());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// As the machine unpack-image does it: the volume made and activated, then hashed and filled in one go, and synced.
double fill(const VolumesBench& bench, const std::string& tar, const std::string& sha256) {
  const auto folder = bench.file("pool");
  const volumes::ext4::Extractor extractor({.executable = "/proc/self/exe", .arguments = {kFillArgument}});
  archive::Policy policy = archive::standard_policy();
  policy.limits.max_files = 200'000;
  const double seconds = seconds_for([&] {
    const auto pool = value_of(volumes::FilePool::open({.folder = folder}));
    const volumes::DeviceSpec device{{1}, "bench", kVolumeSize};
    value_of(pool->create(device));
    const pipeline::ExtractionRequest request{.image = tar,
                                              .sha256 = sha256,
                                              .device = value_of(pool->activate(device)),
                                              .size = kVolumeSize,
                                              .policy = policy,
                                              .label = "bench",
                                              .made_at = sys::system_clock().now()};
    (void)value_of(pipeline::extract(extractor, request, {}));
  });
  fs::remove_all(folder);
  return seconds;
}

double by_loop_mount(const VolumesBench& bench, const std::string& tar) {
  const std::string volume = bench.file("volume");
  const double seconds = seconds_for([&] { loop_mount_commands(bench, tar, volume); });
  fs::remove(volume);
  return seconds;
}

// What an ordinary user can do.
double by_mke2fs(const VolumesBench& bench, const std::string& tar) {
  const std::string volume = bench.file("volume");
  const std::string tree = bench.file("tree");
  fs::create_directories(tree);
  const double seconds = seconds_for([&] {
    (void)sys::run_command({"tar", "-xf", tar, "-C", tree});
    (void)sys::run_command({"mke2fs", "-q", "-t", "ext4", "-d", tree, volume, fmt::format("{}k", kVolumeSize / 1024)});
    (void)sys::run_command({"sync"});
  });
  fs::remove_all(tree);
  fs::remove(volume);
  return seconds;
}

std::string sha256_of(const std::string& file) { return sys::run_command({"sha256sum", file}).substr(0, 64); }

Measure against(std::string name, const Contestant& peer, const Contestant& ours, double must, double aim,
                const std::string& skipped) {
  const double value = skipped.empty() ? peer.median_seconds() / ours.median_seconds() : 0;
  return {.name = std::move(name), .value = value, .must = must, .aim = aim, .skipped = skipped};
}

}  // namespace

std::vector<Measure> measure_filling(const VolumesBench& bench) {
  const bool mounting = bench.no_mounting.empty();
  const auto contestants = [&](const std::string& tar) {
    const std::string sha256 = sha256_of(tar);
    std::vector<Contestant> all{{"ours", [&bench, tar, sha256] { return fill(bench, tar, sha256); }}};
    if (mounting) all.push_back({"loop mount", [&bench, tar] { return by_loop_mount(bench, tar); }});
    return all;
  };
  fmt::print(stderr, "filling a volume from the image of 1 GiB...\n");
  auto big = contestants(bench.debian);
  take_turns("1 GiB", bench.debian, kRounds, big);
  // Once: removing its folder can take minutes where a file system discards blocks as it frees them.
  std::vector<Contestant> slow{{"mke2fs -d", [&bench] { return by_mke2fs(bench, bench.debian); }}};
  take_turns("1 GiB", bench.debian, 1, slow);
  fmt::print(stderr, "filling a volume with 100,000 files in one folder...\n");
  auto flat = contestants(bench.flat);
  take_turns("100,000 files", bench.flat, kRounds, flat);

  return {
      {.name = "volumes.fill_1gib", .value = big[0].median_seconds(), .unit = "s"},
      against("volumes.fill_1gib_vs_loop_mount", big.back(), big[0], 0.95, 1.1, bench.no_mounting),
      against("volumes.fill_1gib_vs_mke2fs", slow[0], big[0], 1.5, 3, ""),
      {.name = "volumes.fill_100000_files", .value = flat[0].median_seconds(), .unit = "s"},
      against("volumes.fill_100000_files_vs_loop_mount", flat.back(), flat[0], 0.7, 1.2, bench.no_mounting),
  };
}

}  // namespace slipway::bench
