// The most memory that a process has which downloads and validates a big image, with the children it starts.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string_view>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "archive/inspector.h"
#include "base/number.h"
#include "objects_measures.h"
#include "rootfs_tar.h"
#include "sys/testing/command.h"
#include "validate.h"

namespace slipway::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30U;
constexpr std::string_view kChildMark = "--download-and-validate";

struct ProcessStatus {
  pid_t parent = 0;
  double peak_kib = 0;  // of its resident memory
};

ProcessStatus read_status(const fs::path& process) {
  ProcessStatus status;
  std::ifstream file(process / "status");
  for (std::string name; file >> name;) {
    if (name == "PPid:") file >> status.parent;
    if (name == "VmHWM:") file >> status.peak_kib;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return status;
}

std::map<pid_t, ProcessStatus> all_processes() {
  std::map<pid_t, ProcessStatus> all;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (const auto pid = parse_number<pid_t>(name)) all[*pid] = read_status(entry.path());
  }
  return all;
}

bool descends_from(const std::map<pid_t, ProcessStatus>& all, pid_t pid, pid_t ancestor) {
  for (auto found = all.find(pid); found != all.end(); found = all.find(found->second.parent)) {
    if (found->second.parent == ancestor) return true;
  }
  return false;
}

// The peaks of all that `ancestor` has started and that still run.
double descendants_kib(pid_t ancestor) {
  const auto all = all_processes();
  double sum = 0;
  for (const auto& [pid, status] : all) {
    if (descends_from(all, pid, ancestor)) sum += status.peak_kib;
  }
  return sum;
}

// A process cannot be asked after its end: its children are looked at again and again, and peaks only grow. It tells
// its own at its end.
double peak_mib(const std::vector<std::string>& words) {
  sys::Command child(words);
  child.close_input();
  double children = 0;
  while (child.running()) {
    children = std::max(children, descendants_kib(child.pid()));
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  if (child.wait() != 0) throw std::runtime_error("the child that downloads has failed");
  const double own = std::strtod(child.read_all().c_str(), nullptr);
  if (own <= 0 || children <= 0) throw std::runtime_error("the child's memory was not seen");
  fmt::print(stderr, "  itself {:.1f} MiB, the inspecting child {:.1f} MiB\n", own / 1024, children / 1024);
  return (own + children) / 1024;
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
  fmt::print("{}\n", read_status("/proc/self").peak_kib);
  std::exit(0);
}

}  // namespace slipway::bench
