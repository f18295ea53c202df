// What it costs to fill a volume from an image, beside the commands that one would type. docs/benchmarks.md says how to
// read it. The loop mount needs root; without, its rows are left out.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "archive/inspector.h"
#include "report.h"
#include "rootfs_tar.h"
#include "sys/descriptor.h"
#include "sys/testing/command.h"
#include "sys/testing/temp_dir.h"
#include "timing.h"
#include "volumes/ext4/extractor.h"

namespace slipway::bench {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30U;
constexpr std::uint64_t kVolume = 4 * kGiB;
constexpr int kRounds = 3;
constexpr std::string_view kFillArgument = "fill-volume";

// 100,000 files of 100 bytes in one folder.
void write_small_files_tar(const std::string& tar) {
  const std::string script = R"(
import io, sys, tarfile
out = tarfile.open(sys.argv[1], "w", format=tarfile.USTAR_FORMAT)
for name in ("etc", "usr", "var"):
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode = tarfile.DIRTYPE, 0o755
    out.addfile(entry)
for number in range(99990):
    entry = tarfile.TarInfo("var/file-%d" % number)
    entry.size = 100
    out.addfile(entry, io.BytesIO(b"%100d" % number))
out.close()
)";
  (void)sys::run_command({"python3", "-c", script, tar});
}

void shell(const std::string& script) { (void)sys::run_command({"sh", "-ec", script}); }

class Peers {
 public:
  explicit Peers(const sys::TempDir& folder) : volume_(folder.file("volume")), place_(folder.file("place")) {}

  [[nodiscard]] double ours(const std::string& tar) {
    std::filesystem::remove(volume_);
    return seconds_for([&] { fill(tar); });
  }
  [[nodiscard]] double loop_mount(const std::string& tar) {
    std::filesystem::remove(volume_);
    std::filesystem::create_directories(place_);
    return seconds_for([&] {
      shell(
          fmt::format("truncate -s {0} {1}; mkfs.ext4 -q {1} && mount -o loop {1} {2} && tar -xpf {3} -C {2} && sync "
                      "&& umount {2}",
                      kVolume, volume_, place_, tar));
    });
  }
  [[nodiscard]] double ordinary_user(const std::string& tar) {
    std::filesystem::remove(volume_);
    std::filesystem::remove_all(place_);
    std::filesystem::create_directories(place_);
    const double took = seconds_for([&] {
      shell(fmt::format("tar -xf {3} -C {2} && truncate -s {0} {1} && mke2fs -q -t ext4 -d {2} {1} && sync", kVolume,
                        volume_, place_, tar));
    });
    std::filesystem::remove_all(place_);
    return took;
  }

 private:
  void fill(const std::string& tar) const {
    const sys::Descriptor volume(::open(volume_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!volume || ::ftruncate(volume.get(), kVolume) != 0) throw std::runtime_error("no volume");
    auto image = archive::open_image_file(tar);
    if (!image) throw std::runtime_error(image.error().message());
    const volumes::ext4::Extractor extractor(
        {.executable = "/proc/self/exe", .arguments = {std::string(kFillArgument)}});
    auto filled = extractor.extract(*image, archive::standard_policy(),
                                    {.fd = volume.get(), .size = kVolume, .zeroed = true}, {.label = "bench"}, {}, {});
    if (!filled) throw std::runtime_error(filled.error().message());
  }

  std::string volume_;
  std::string place_;
};

double child_peak_mib() {
  rusage used{};
  ::getrusage(RUSAGE_CHILDREN, &used);
  return static_cast<double>(used.ru_maxrss) / 1024;
}

std::vector<Measure> measure() {
  const bool root = ::geteuid() == 0;
  const sys::TempDir folder;
  const std::string tar = folder.file("rootfs.tar");
  const std::string small = folder.file("small.tar");
  fmt::print(stderr, "making a root file system of 1 GiB, and one of 100,000 small files...\n");
  write_rootfs_tar(tar, kGiB);
  Peers peers(folder);
  (void)peers.ours(tar);  // before any other child: the largest of all is asked for
  const double memory = child_peak_mib();
  write_small_files_tar(small);
  (void)sys::run_command({"sync"});

  std::vector<double> ours;
  std::vector<double> mounted;
  std::vector<double> ordinary;
  std::vector<double> ours_small;
  std::vector<double> mounted_small;
  for (int round = 1; round <= kRounds; ++round) {
    ours.push_back(peers.ours(tar));
    ordinary.push_back(peers.ordinary_user(tar));
    ours_small.push_back(peers.ours(small));
    if (root) mounted.push_back(peers.loop_mount(tar));
    if (root) mounted_small.push_back(peers.loop_mount(small));
    fmt::print(stderr, "  round {} of {}: ours {:.2f} s, mke2fs -d {:.2f} s, 100,000 files {:.2f} s\n", round, kRounds,
               ours.back(), ordinary.back(), ours_small.back());
  }
  std::vector<Measure> out{
      {.name = "volumes.fill_1gib", .value = median(ours), .unit = "s"},
      {.name = "volumes.fill_1gib_vs_mke2fs_d", .value = median(ordinary) / median(ours), .must = 1.5, .aim = 3},
      {.name = "volumes.fill_100000_files", .value = median(ours_small), .unit = "s"},
      {.name = "volumes.memory_filling",
       .value = memory,
       .must = 96,
       .aim = 48,
       .better = Better::kLower,
       .unit = "MiB"},
  };
  if (!root) return out;
  out.push_back(
      {.name = "volumes.fill_1gib_vs_loop_mount", .value = median(mounted) / median(ours), .must = 0.95, .aim = 1.1});
  out.push_back({.name = "volumes.fill_100000_files_vs_loop_mount",
                 .value = median(mounted_small) / median(ours_small),
                 .must = 0.7,
                 .aim = 1.2});
  return out;
}

}  // namespace
}  // namespace slipway::bench

int main(int argc, char** argv) {
  try {
    if (argc == 2 && std::string_view(argv[1]) == slipway::bench::kFillArgument) {
      return slipway::volumes::ext4::extractor_main();
    }
    return slipway::bench::bench_main("volumes_bench", argc, argv, slipway::bench::measure);
  } catch (const std::exception& e) {
    fmt::print(stderr, "volumes_bench: {}\n", e.what());
    return 1;
  }
}
