// A thin pool over several boots of the virtual machine: switched off in order, and with the power cut at instants that
// the seed chooses (SLIPWAY_SEED; SLIPWAY_LONG=1: at 20 and not at 3).
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <gmock/gmock.h>

#include "sys/testing/command.h"
#include "sys/testing/temp_dir.h"

namespace slipway {
namespace {

using testing::HasSubstr;

constexpr int kSkipped = 77;
constexpr int kCut = 137;

class BootsTest : public testing::Test {
 protected:
  struct Boot {
    int code = 0;
    std::string out{};
    std::vector<std::string> facts{};  // of what was said to be done
  };

  Boot boot(const std::string& action, const std::vector<std::string>& facts,
            const std::vector<std::string>& options = {}) {
    std::vector<std::string> words = {RUN_IN_VM, "--timeout", "600", "--disk", disk_};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", THIN_STORY, action});
    words.insert(words.end(), facts.begin(), facts.end());
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
    return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
  }
  static int cuts() {
    const char* wanted = std::getenv("SLIPWAY_LONG");
    return wanted != nullptr && std::string(wanted) == "1" ? 20 : 3;
  }

  sys::TempDir dir_;
  std::string disk_ = [this] {
    const auto file = dir_.file("disk");
    std::ofstream(file).close();
    std::filesystem::resize_file(file, 1ULL << 30);
    return file;
  }();
};

TEST_F(BootsTest, WhatAPoolSaidIsDoneIsThereAfterARebootAndAfterEachPowerCut) {
  const auto used = seed();
  std::printf("SLIPWAY_SEED=%llu\n", static_cast<unsigned long long>(used));
  std::mt19937_64 dice(used);
  auto before = boot("first", {});
  if (before.code == kSkipped) GTEST_SKIP() << "all tests are skipped: " << before.out;
  ASSERT_EQ(before.code, 0) << before.out;
  ASSERT_EQ(before.facts.size(), 2);
  for (int cut = 0; cut < cuts(); ++cut) {
    const auto after = fmt::format("{:.3f}", static_cast<double>(dice() % 3000) / 1000);
    auto now = boot("again", before.facts, {"--kill-at", "found ", "--kill-after", after});
    ASSERT_EQ(now.code, kCut) << "cut " << cut << " after " << after << " s: " << now.out;
    EXPECT_THAT(now.out, HasSubstr(fmt::format("found {}\n", before.facts.size())));
    std::printf("the power cut %d, after %s s: %zu things were done\n", cut, after.c_str(), now.facts.size());
    before = std::move(now);
  }
  const auto last = boot("last", before.facts);
  EXPECT_EQ(last.code, 0) << last.out;
  EXPECT_THAT(last.out, HasSubstr("well"));
}

}  // namespace
}  // namespace slipway
