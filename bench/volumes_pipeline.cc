// From an object in a bucket to an activated snapshot.
#include <filesystem>
#include <string>
#include <string_view>

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

double by_hand(const VolumesBench& bench, const std::string& folder, const std::string& endpoint) {
  const std::string tar = folder + "/downloaded";
  const std::string volume = folder + "/volume";
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

// Both in this folder; ours leaves its state there.
std::vector<Contestant> race(const VolumesBench& bench, const std::string& folder, const std::string& endpoint,
                             std::string_view what) {
  const std::string state = folder + "/state";
  const auto fetch = fetch_words(state, endpoint);
  std::vector<Contestant> all{{"ours", [&] {
                                 fs::remove_all(state);
                                 ::sync();
                                 return seconds_for([&] { (void)sys::run_command(fetch); });
                               }}};
  if (bench.no_mounting.empty()) all.push_back({"by hand", [&] { return by_hand(bench, folder, endpoint); }});
  take_turns(what, bench.debian, kRounds, all);
  return all;
}

double ratio(const std::vector<Contestant>& all) {
  return all.size() < 2 ? 0 : all[1].median_seconds() / all[0].median_seconds();
}

}  // namespace

std::vector<Measure> measure_pipeline(const VolumesBench& bench) {
  const std::string work = bench.file("nginx");
  fs::create_directories(work);
  const Nginx nginx(bench.www, work);

  fmt::print(stderr, "the whole pipeline, from a bucket to a snapshot...\n");
  std::vector<Contestant> sharing;
  if (bench.no_sharing.empty()) {
    sharing = race(bench, bench.sharing, nginx.url(), "cold pipeline on XFS");
    fs::remove_all(bench.sharing + "/state");
  }
  const auto copying = race(bench, bench.folder, nginx.url(), "cold pipeline on the disk's own file system");
  const auto fetch = fetch_words(bench.file("state"), nginx.url());
  std::vector<double> warm;
  for (int i = 0; i < kWarmRounds; ++i) warm.push_back(1000 * seconds_for([&] { (void)sys::run_command(fetch); }));
  fs::remove_all(bench.file("state"));

  return {
      {.name = "volumes.pipeline_cold_vs_by_hand",
       .value = ratio(sharing),
       .must = 1.1,
       .aim = 1.8,
       .skipped = bench.no_sharing},
      {.name = "volumes.pipeline_cold_copying", .value = copying[0].median_seconds(), .unit = "s"},
      {.name = "volumes.pipeline_cold_copying_vs_by_hand", .value = ratio(copying), .skipped = bench.no_mounting},
      {.name = "volumes.pipeline_what_is_there",
       .value = median(warm),
       .must = 100,
       .aim = 20,
       .better = Better::kLower,
       .unit = "ms"},
  };
}

}  // namespace slipway::bench
