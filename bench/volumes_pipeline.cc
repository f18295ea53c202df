// From an object in a bucket to an activated snapshot.
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "nginx.h"
#include "sys/testing/command.h"
#include "timing.h"
#include "volumes_measures.h"

namespace slipway::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kRounds = 3;
constexpr int kWarmRounds = 21;

std::vector<std::string> fetch_words(const std::string& state, const std::string& endpoint) {
  return slipway_words(
      state, kImagesBucket,
      {"--s3-endpoint", endpoint, "--s3-path-style", "true", "--s3-anonymous", "true", "fetch-and-create", kDebianKey});
}

double by_hand(const VolumesBench& bench, const std::string& endpoint) {
  const std::string tar = bench.file("downloaded");
  const std::string volume = bench.file("volume");
  const double seconds = seconds_for([&] {
    (void)sys::run_command({"curl", "-q", "--silent", "--show-error", "--fail", "--noproxy", "*", "-o", tar,
                            fmt::format("{}/{}/images/{}", endpoint, kImagesBucket, kDebianKey)});
    (void)sys::run_command({"openssl", "dgst", "-sha256", tar});
    loop_mount_commands(bench, tar, volume);
  });
  fs::remove(tar);
  fs::remove(volume);
  return seconds;
}

}  // namespace

std::vector<Measure> measure_pipeline(const VolumesBench& bench) {
  const std::string work = bench.file("nginx");
  fs::create_directories(work);
  const Nginx nginx(bench.www, work);
  const std::string state = bench.file("state");
  const auto fetch = fetch_words(state, nginx.url());

  fmt::print(stderr, "the whole pipeline, from a bucket to a snapshot...\n");
  std::vector<Contestant> all{{"ours", [&] {
                                 fs::remove_all(state);
                                 ::sync();
                                 return seconds_for([&] { (void)sys::run_command(fetch); });
                               }}};
  if (bench.no_mounting.empty()) all.push_back({"by hand", [&] { return by_hand(bench, nginx.url()); }});
  take_turns("cold pipeline", bench.debian, kRounds, all);

  std::vector<double> warm;
  for (int i = 0; i < kWarmRounds; ++i) warm.push_back(1000 * seconds_for([&] { (void)sys::run_command(fetch); }));
  fs::remove_all(state);

  const std::string& skipped = bench.no_mounting;
  return {
      {.name = "volumes.pipeline_cold", .value = all[0].median_seconds(), .unit = "s"},
      {.name = "volumes.pipeline_cold_vs_by_hand",
       .value = skipped.empty() ? all[1].median_seconds() / all[0].median_seconds() : 0,
       .must = 1.1,
       .aim = 1.8,
       .skipped = skipped},
      {.name = "volumes.pipeline_what_is_there",
       .value = median(warm),
       .must = 100,
       .aim = 20,
       .better = Better::kLower,
       .unit = "ms"},
  };
}

}  // namespace slipway::bench
