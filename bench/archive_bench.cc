// What it costs to look at an image's archive, beside hashing it. docs/benchmarks.md says how to read it.
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "archive/inspector.h"
#include "report.h"
#include "rootfs_tar.h"
#include "sys/testing/command.h"
#include "sys/testing/temp_dir.h"
#include "timing.h"
#include "validate.h"

namespace slipway::bench {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30U;
constexpr int kRounds = 5;

std::string openssl_sha256(const std::string& file) {
  return sys::run_command({"openssl", "dgst", "-sha256", "-r", file}).substr(0, 64);
}

std::vector<Measure> measure() {
  const sys::TempDir folder;
  const std::string tar = folder.file("rootfs.tar");
  fmt::print(stderr, "making a root file system of 1 GiB...\n");
  write_rootfs_tar(tar, kGiB);
  (void)sys::run_command({"sync", tar});
  const std::string sha256 = openssl_sha256(tar);

  std::vector<double> peer;
  std::vector<double> ours;
  for (int round = 1; round <= kRounds; ++round) {
    peer.push_back(seconds_for([&] { (void)openssl_sha256(tar); }));
    ours.push_back(seconds_for([&] { validate(tar, sha256); }));
    fmt::print(stderr, "  round {} of {}: openssl {:.2f} s, ours {:.2f} s\n", round, kRounds, peer.back(), ours.back());
  }
  return {
      {.name = "archive.openssl_sha256_1gib", .value = median(peer), .unit = "s"},
      {.name = "archive.validate_1gib", .value = median(ours), .unit = "s"},
      {.name = "archive.validate_1gib_vs_openssl", .value = median(peer) / median(ours), .must = 0.8, .aim = 0.95},
  };
}

}  // namespace
}  // namespace slipway::bench

int main(int argc, char** argv) {
  try {
    if (argc == 2 && std::string_view(argv[1]) == slipway::bench::kInspectArgument) {
      return slipway::archive::inspector_main();
    }
    return slipway::bench::bench_main("archive_bench", argc, argv, slipway::bench::measure);
  } catch (const std::exception& e) {
    fmt::print(stderr, "archive_bench: {}\n", e.what());
    return 1;
  }
}
