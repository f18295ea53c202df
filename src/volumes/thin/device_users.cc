#include "volumes/thin/device_users.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace slipway::volumes {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMost = 5;  // that are named

void add_holders(const std::string& number, std::vector<std::string>& users) {
  std::error_code failed;
  for (fs::directory_iterator at("/sys/dev/block/" + number + "/holders", failed), end; !failed && at != end;
       at.increment(failed)) {
    users.push_back("the device " + at->path().filename().native());
  }
}

void add_mounts(const std::string& number, std::vector<std::string>& users) {
  std::ifstream mounts("/proc/self/mountinfo");
  std::string line;
  while (std::getline(mounts, line)) {
    std::istringstream words(line);
    std::string skipped;
    std::string device;
    std::string place;
    if (words >> skipped >> skipped >> device >> skipped >> place && device == number) {
      users.push_back("a mount at " + place);
    }
  }
}

bool has_open(const fs::path& process, const std::string& number) {
  std::error_code failed;
  for (fs::directory_iterator at(process / "fd", failed), end; !failed && at != end; at.increment(failed)) {
    struct stat info{};
    if (::stat(at->path().c_str(), &info) != 0 || !S_ISBLK(info.st_mode)) continue;
    if (fmt::format("{}:{}", major(info.st_rdev), minor(info.st_rdev)) == number) return true;
  }
  return false;
}

void add_processes(const std::string& number, std::vector<std::string>& users) {
  std::error_code failed;
  for (fs::directory_iterator at("/proc", failed), end; !failed && at != end && users.size() < kMost;
       at.increment(failed)) {
    const std::string pid = at->path().filename();
    if (pid.find_first_not_of("0123456789") != std::string::npos || !has_open(at->path(), number)) continue;
    std::string command;
    std::ifstream file(at->path() / "comm");
    std::getline(file, command);
    users.push_back(fmt::format("process {} ({})", pid, command));
  }
}

}  // namespace

std::string users_of(const std::string& number) {
  std::vector<std::string> users;
  add_holders(number, users);
  add_mounts(number, users);
  add_processes(number, users);
  if (users.size() > kMost) users.resize(kMost);
  return fmt::format("{}", fmt::join(users, ", "));
}

}  // namespace slipway::volumes
