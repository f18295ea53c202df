// Several boots of the virtual machine with one disk, for tests of what stays.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sys/testing/command.h"
#include "sys/testing/temp_dir.h"

namespace slipway {

class BootsFixture : public testing::Test {
 protected:
  static constexpr int kSkipped = 77;
  static constexpr int kCut = 137;

  struct Boot {
    int code = 0;
    std::string out{};
    std::vector<std::string> facts{};  // what was said to be done: the lines "fact ..."
  };

  // What the words are about runs in the machine; `options` are run-in-vm's.
  Boot boot(const std::vector<std::string>& command, const std::vector<std::string>& options = {}) {
    std::vector<std::string> words = {RUN_IN_VM, "--timeout", "600", "--disk", disk_};
    words.insert(words.end(), options.begin(), options.end());
    words.emplace_back("--");
    words.insert(words.end(), command.begin(), command.end());
    const auto ended = sys::run_to_end(words, {.streams = sys::CommandOptions::Streams::kKept});
    Boot done{ended.code, ended.out + ended.err};
    std::istringstream lines(ended.out);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("fact ")) done.facts.push_back(line.substr(5));
    }
    return done;
  }

  static std::uint64_t seed() {
    const char* given = std::getenv("SLIPWAY_SEED");
    const auto used = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
    std::printf("SLIPWAY_SEED=%llu\n", static_cast<unsigned long long>(used));
    return used;
  }
  static bool long_mode() {
    const char* wanted = std::getenv("SLIPWAY_LONG");
    return wanted != nullptr && std::string(wanted) == "1";
  }

 private:
  sys::TempDir dir_;
  std::string disk_ = [this] {
    const auto file = dir_.file("disk");
    std::ofstream(file).close();
    std::filesystem::resize_file(file, 1ULL << 30U);
    return file;
  }();
};

}  // namespace slipway
