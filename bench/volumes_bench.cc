// What it costs to make volumes of images, and snapshots of these, beside the commands that one would type.
// docs/benchmarks.md says how to read it.
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include "debian_tar.h"
#include "report.h"
#include "sharing_folder.h"
#include "sys/testing/command.h"
#include "sys/testing/temp_dir.h"
#include "volumes/ext4/extractor.h"
#include "volumes_measures.h"

namespace slipway::bench {
namespace {

constexpr std::uint64_t kFlatFiles = 100'000;

// In a view of the file systems of its own: whatever ends this process, its mounts end with it. Gives the reason when
// nothing can be mounted.
std::string prepare_mounting(const std::string& folder) {
  if (::geteuid() != 0) return "only root can mount";
  if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return "mounting is not allowed here";
  }
  const std::string image = folder + "/trial";
  const std::string place = folder + "/trial-place";
  std::filesystem::create_directories(place);
  const sys::CommandOptions quiet{.streams = sys::CommandOptions::Streams::kQuiet};
  const bool mounted = sys::run_to_end({"mkfs.ext4", "-q", image, "8M"}, quiet).code == 0 &&
                       sys::run_to_end({"mount", "-o", "loop", image, place}, quiet).code == 0;
  if (mounted) (void)sys::run_command({"umount", place});
  std::filesystem::remove(image);
  return mounted ? "" : "a loop mount is refused here";
}

std::vector<Measure> measure() {
  const sys::TempDir folder;
  VolumesBench bench{.folder = folder.path(),
                     .bucket = "file://" + folder.file("www/") + kImagesBucket,
                     .www = folder.file("www"),
                     .debian = {},
                     .flat = {},
                     .no_mounting = prepare_mounting(folder.path()),
                     .sharing = folder.file("xfs"),
                     .no_sharing = {}};
  std::optional<SharingFolder> sharing;
  bench.no_sharing = bench.no_mounting;
  if (bench.no_mounting.empty()) bench.no_sharing = sharing.emplace(folder.file("xfs.img"), bench.sharing).missing();
  const std::string images = fmt::format("{}/{}/images/", bench.www, kImagesBucket);
  std::filesystem::create_directories(images);
  bench.debian = images + kDebianKey;
  bench.flat = images + kFlatKey;
  fmt::print(stderr, "making an image of 1 GiB with 30,000 files, and one with 100,000 in one folder...\n");
  write_debian_tar(bench.debian);
  write_flat_tar(bench.flat, kFlatFiles);

  std::vector<Measure> all;
  for (const auto part : {measure_filling, measure_pipeline, measure_activating, measure_unpacking_memory}) {
    const auto measures = part(bench);
    all.insert(all.end(), measures.begin(), measures.end());
  }
  return all;
}

}  // namespace
}  // namespace slipway::bench

int main(int argc, char** argv) {
  try {
    if (argc == 2 && std::string_view(argv[1]) == slipway::bench::kFillArgument) {
      return slipway::volumes::ext4::extractor_main();
    }
    // All is on loopback: no proxy helps.
    for (const auto* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"}) ::unsetenv(name);
    return slipway::bench::bench_main("volumes_bench", argc, argv, slipway::bench::measure);
  } catch (const std::exception& e) {
    fmt::print(stderr, "volumes_bench: {}\n", e.what());
    return 1;
  }
}
