// What the whole command costs when there is nothing to do. docs/benchmarks.md says how to read it.
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "report.h"
#include "rootfs_tar.h"
#include "sys/testing/command.h"
#include "sys/testing/temp_dir.h"
#include "timing.h"

namespace slipway::bench {
namespace {

constexpr std::uint64_t kImageSize = std::uint64_t{1} << 30U;
constexpr int kRounds = 21;

std::vector<Measure> measure() {
  const sys::TempDir folder;
  std::filesystem::create_directories(folder.file("bucket/images"));
  fmt::print(stderr, "making an image of 1 GiB, and fetching it...\n");
  write_rootfs_tar(folder.file("bucket/images/x.tar"), kImageSize);
  const std::vector<std::string> fetch{SLIPWAY_BINARY,
                                       "--s3-bucket",
                                       "file://" + folder.file("bucket"),
                                       "--state-dir",
                                       folder.file("state"),
                                       "--quiet",
                                       "fetch-and-create",
                                       "x.tar"};
  (void)sys::run_command(fetch);
  std::vector<double> milliseconds;
  for (int round = 0; round < kRounds; ++round) {
    milliseconds.push_back(1000 * seconds_for([&] { (void)sys::run_command(fetch); }));
  }
  return {{.name = "pipeline.fetch_what_is_there",
           .value = median(milliseconds),
           .must = 100,
           .aim = 20,
           .better = Better::kLower,
           .unit = "ms"}};
}

}  // namespace
}  // namespace slipway::bench

int main(int argc, char** argv) {
  try {
    return slipway::bench::bench_main("pipeline_bench", argc, argv, slipway::bench::measure);
  } catch (const std::exception& e) {
    fmt::print(stderr, "pipeline_bench: {}\n", e.what());
    return 1;
  }
}
