// The most memory that a process has which downloads and validates a big image, with the children it starts.
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "archive/inspector.h"
#include "objects_measures.h"
#include "process_peak.h"
#include "rootfs_tar.h"
#include "sys/testing/command.h"
#include "validate.h"

namespace slipway::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30U;
constexpr std::string_view kChildMark = "--download-and-validate";

// It tells its own peak at its end.
double peak_mib(const std::vector<std::string>& words) {
  std::string told;
  const Peak seen = peak_of(words, &told);
  const double own = std::strtod(told.c_str(), nullptr);
  if (own <= 0) throw std::runtime_error("the child that downloads does not tell of its memory");
  fmt::print(stderr, "  itself {:.1f} MiB, the inspecting child {:.1f} MiB\n", own / 1024, seen.children_kib / 1024);
  return (own + seen.children_kib) / 1024;
}

// 4 GiB, or what a disk can hold twice.
std::uint64_t object_size(const std::string& folder) {
  const auto room = fs::space(folder).available / 2;
  if (room > 5 * kGiB) return 4 * kGiB;
  if (room < 2 * kGiB) throw std::runtime_error("measuring memory needs 4 GiB of disk in " + folder);
  return (room / kGiB - 1) * kGiB;
}

}  // namespace

std::vector<Measure> measure_memory(const std::string& endpoint, const std::string& www, const std::string& folder) {
  const std::uint64_t size = object_size(folder);
  fmt::print(stderr, "memory, with an object of {} GiB...\n", size / kGiB);
  const std::string key = "rootfs-4gib.tar";
  const std::string object = fmt::format("{}/{}/{}", www, kBucket, key);
  const std::string file = folder + "/" + key;
  write_rootfs_tar(object, size);
  (void)sys::run_command({"sync", object});
  const double mib = peak_mib({"/proc/self/exe", std::string(kChildMark), endpoint, key, file});
  fs::remove(file);
  fs::remove(object);
  return {{.name = "objects.memory_download_and_validate",
           .value = mib,
           .must = 64,
           .aim = 32,
           .better = Better::kLower,
           .unit = size == 4 * kGiB ? "MiB" : fmt::format("MiB, with {} GiB: no room for 4", size / kGiB)}};
}

void run_as_child(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  if (words.size() == 2 && words[1] == kInspectArgument) std::exit(archive::inspector_main());
  if (words.size() != 5 || words[1] != kChildMark) return;
  const std::string hash = download_to(*open_bucket(words[2]), words[3], words[4]);
  validate(words[4], hash);
  fmt::print("{}\n", own_peak_kib());
  std::exit(0);
}

}  // namespace slipway::bench
