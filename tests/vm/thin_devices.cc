#include "vm/thin_devices.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "volumes/thin/device_mapper.h"

namespace slipway::volumes {

std::string unique_name(const std::string& prefix) {
  static std::atomic<int> count = 0;
  return fmt::format("{}{}n{}", prefix, ::getpid(), ++count);
}

int shell(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string output_of(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer{};
  while (const auto got = std::fread(buffer.data(), 1, buffer.size(), pipe)) text.append(buffer.data(), got);
  EXPECT_EQ(::pclose(pipe), 0) << command;
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

std::vector<std::string> devices_of(const std::string& pool) {
  const auto info = dm::info(pool);
  const auto names = dm::names();
  std::vector<std::string> found;
  if (!info || !names) return found;
  const auto number = *info ? (*info)->number + " " : "no number";
  for (const auto& device : *names) {
    const auto table = dm::table(device);
    const auto about = dm::info(device);
    const bool on_it = table && *table && (*table)->target == "thin" && (*table)->parameters.starts_with(number);
    const bool half = about && *about && (*about)->uuid.find("-" + pool + "-") != std::string::npos;
    if (on_it || half) found.push_back(device);
  }
  std::ranges::sort(found);
  return found;
}

std::vector<std::string> looped_files(const std::filesystem::path& folder) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/block")) {
    std::ifstream in(entry.path() / "loop" / "backing_file");
    std::string file;
    if (std::getline(in, file) && file.starts_with(folder.native() + "/")) found.push_back(file);
  }
  std::ranges::sort(found);
  return found;
}

void take_down(const ThinPoolPlace& place) {
  for (const auto& device : devices_of(place.name)) {
    (void)dm::resume(device);
    // A child of a program that was killed may have it open for a moment.
    auto gone = dm::remove(device);
    for (int tries = 0; !gone && gone.error() == EBUSY && tries < 100; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      gone = dm::remove(device);
    }
    EXPECT_TRUE(gone) << device;
  }
  const auto stopped = stop_thin_pool(place);
  EXPECT_TRUE(stopped) << stopped.error().describe();
}

}  // namespace slipway::volumes
