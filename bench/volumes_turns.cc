// What the measures of volumes share.
#include <filesystem>
#include <stdexcept>

#include <fmt/format.h>
#include <unistd.h>

#include "sys/testing/command.h"
#include "volumes_measures.h"

namespace slipway::bench {

void take_turns(std::string_view what, const std::string& input, int rounds, std::vector<Contestant>& contestants) {
  for (int round = 0; round < rounds; ++round) {
    std::string line;
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      Contestant& next = contestants[(i + static_cast<std::size_t>(round)) % contestants.size()];
      ::sync();
      (void)sys::run_command({"dd", "if=" + input, "of=/dev/null", "bs=1M", "status=none"});
      next.seconds.push_back(next.run());
      line += fmt::format(", {} {:.2f} s", next.name, next.seconds.back());
    }
    fmt::print(stderr, "  {}, round {} of {}{}\n", what, round + 1, rounds, line);
  }
}

void loop_mount_commands(const VolumesBench& bench, const std::string& tar, const std::string& volume) {
  const std::string place = bench.file("mounted");
  std::filesystem::create_directories(place);
  (void)sys::run_command({"mkfs.ext4", "-q", volume, fmt::format("{}k", kVolumeSize / 1024)});
  (void)sys::run_command({"mount", "-o", "loop", volume, place});
  (void)sys::run_command({"tar", "-xpf", tar, "-C", place});
  (void)sys::run_command({"sync"});
  (void)sys::run_command({"umount", place});
}

std::vector<std::string> slipway_words(const std::string& state, const std::string& bucket,
                                       const std::vector<std::string>& more) {
  std::vector<std::string> words{SLIPWAY_BINARY, "--s3-bucket",   bucket, "--state-dir",      state,
                                 "--quiet",      "--scan-engine", "off",  "--volume-backend", "file",
                                 "--max-files",  "200000"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace slipway::bench
