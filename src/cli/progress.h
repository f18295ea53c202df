// What is under way, as lines: a pure model. Events go in with their time, lines come out; what to do with a terminal
// is progress_display.h's business.
//
//   on a terminal, one line for each run, drawn again and again:
//     alpine-3.19     download   [████████░░░░░░░░] 52%   1.2 GiB/2.3 GiB   45.0 MiB/s   0:25
//     debian-12       queued
//     nginx           ✓ completed  1.1 GiB in 0:31
//   elsewhere, lines that are written once:
//     alpine-3.19: download
//     alpine-3.19: download 52% (1.2 GiB/2.3 GiB, 45.0 MiB/s, 0:25 left)
//     alpine-3.19: completed (1.1 GiB in 0:31)
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace slipway::cli {

enum class ProgressEnd : std::uint8_t { kGood, kBad, kStopped };

struct FrameLook {
  std::size_t columns = 80;
  std::size_t rows = 24;
  bool color = false;
  bool unicode = true;
};

// Not thread-safe. A run is named by a key of the caller's; one that is not there is begun by its first event.
class ProgressModel {
 public:
  // `title` is what people call it.
  void begin(const std::string& key, const std::string& title, TimePoint now);
  // A new state forgets the bytes of the one before it.
  void state(const std::string& key, const std::string& state, TimePoint now);
  // `total` of 0: not known. Going back (a try begins again) is allowed, and starts the rate afresh.
  void bytes(const std::string& key, std::uint64_t done, std::uint64_t total, TimePoint now);
  // What else there is to say of it for now: "1,200 items"; shown beside its state.
  void detail(const std::string& key, const std::string& text, TimePoint now);
  // `note` says how it ended: "completed", "failed: …".
  void end(const std::string& key, ProgressEnd how, const std::string& note, TimePoint now);

  // The lines of a terminal as of now, each narrower than its width. More runs than rows: those that have ended go
  // first, and a last line counts what is not shown.
  [[nodiscard]] std::vector<std::string> frame(const FrameLook& look, TimePoint now) const;

  // The lines since the last call, for a pipe: changes of state at once, bytes and details every few seconds.
  [[nodiscard]] std::vector<std::string> take_lines();

  [[nodiscard]] bool empty() const { return order_.empty(); }

 private:
  struct Run {
    std::string title;
    std::string state;
    std::string detail;
    TimePoint begun{};
    std::uint64_t done = 0;
    std::uint64_t total = 0;
    bool has_bytes = false;
    std::uint64_t most = 0;  // bytes of the largest transfer, for the last line
    double rate = 0;         // bytes a second, smoothed; 0: not known yet
    TimePoint sampled{};
    std::uint64_t sampled_done = 0;
    TimePoint told{};  // when bytes were last a line
    std::optional<ProgressEnd> ended{};
    TimePoint ended_at{};
    std::string note;
  };

  Run& run_of(const std::string& key, TimePoint now);
  static std::optional<Duration> time_left(const Run& run);
  static void sample(Run& run, TimePoint now);
  static std::string bytes_line(const Run& run);
  static std::string ending(const Run& run);
  static std::string active_line(const Run& run, const FrameLook& look, std::size_t titles, std::size_t states);
  static std::string ended_line(const Run& run, const FrameLook& look, std::size_t titles);

  std::map<std::string, Run> runs_;
  std::vector<std::string> order_;  // keys as they came
  std::vector<std::string> lines_;
};

}  // namespace slipway::cli
