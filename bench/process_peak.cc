#include "process_peak.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <stdexcept>
#include <thread>

#include "base/number.h"
#include "sys/testing/command.h"

namespace slipway::bench {
namespace {

namespace fs = std::filesystem;

struct ProcessStatus {
  pid_t parent = 0;
  double peak_kib = 0;
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

double descendants_kib(const std::map<pid_t, ProcessStatus>& all, pid_t ancestor) {
  double sum = 0;
  for (const auto& [pid, status] : all) {
    if (descends_from(all, pid, ancestor)) sum += status.peak_kib;
  }
  return sum;
}

}  // namespace

double own_peak_kib() { return read_status("/proc/self").peak_kib; }

Peak peak_of(const std::vector<std::string>& words, std::string* out) {
  sys::Command program(words);
  program.close_input();
  Peak peak;
  while (program.running()) {
    const auto all = all_processes();
    if (const auto found = all.find(program.pid()); found != all.end()) {
      peak.itself_kib = std::max(peak.itself_kib, found->second.peak_kib);
    }
    peak.children_kib = std::max(peak.children_kib, descendants_kib(all, program.pid()));
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  if (program.wait() != 0) throw std::runtime_error("a program whose memory is measured has failed: " + words.at(0));
  if (peak.itself_kib <= 0 || peak.children_kib <= 0) throw std::runtime_error("no memory was seen of " + words.at(0));
  if (out != nullptr) *out = program.read_all();
  return peak;
}

}  // namespace slipway::bench
