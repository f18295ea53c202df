// Progress on standard error: bars that are drawn in place on a terminal, plain lines elsewhere, nothing with --json or
// --quiet.
//
//   ProgressDisplay progress(output, clock);
//   progress.state(key, "download");  progress.bytes(key, done, total);  progress.end(key, ProgressEnd::kGood,
//   "completed"); progress.log("WARN …");           a line above the bars progress.close();                 the last
//   state of each run stays on the screen
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/log.h"
#include "base/time.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "sys/clock.h"
#include "sys/mutex.h"

namespace slipway::cli {

// What takes the place of the frame on the screen: pure, so that a test can check each byte.
class FramePainter {
 public:
  // The bytes that lead from the last frame to this one. `columns` is the terminal's width now: when it has become
  // narrower, lines of the last frame take more rows than they were.
  [[nodiscard]] std::string paint(const std::vector<std::string>& lines, std::size_t columns);
  // The bytes that put `text` in the place of the frame; paint() puts the frame below it.
  [[nodiscard]] std::string above(std::string_view text, std::size_t columns);

 private:
  // Moves the cursor to the first row of the frame, which is forgotten; nothing when there is none.
  [[nodiscard]] std::string to_its_begin(std::size_t columns);

  std::vector<std::size_t> widths_;  // columns of each line on the screen
};

enum class ProgressForm : std::uint8_t { kNothing, kLines, kBars };

// Thread-safe.
class ProgressDisplay {
 public:
  using Write = std::function<void(std::string_view)>;
  using Size = std::function<TerminalSize()>;

  // In the form that fits `output`, which must outlive this.
  ProgressDisplay(const Output& output, sys::Clock& clock);
  ProgressDisplay(ProgressForm form, FrameLook look, sys::Clock& clock, Write write, Size size);
  ~ProgressDisplay() { close(); }
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  void begin(const std::string& key, const std::string& title);
  void state(const std::string& key, const std::string& state);
  void bytes(const std::string& key, std::uint64_t done, std::uint64_t total);
  void detail(const std::string& key, const std::string& text);
  void end(const std::string& key, ProgressEnd how, const std::string& note);

  // A line that stays, above the bars. Also where there are no bars: log lines are shown in every form.
  void log(std::string_view line);
  // A sink for Logger that writes through log().
  [[nodiscard]] LogSink log_sink(LogLevel least);

  // Draws the last frame and lets it stand. Events after that are dropped; log() goes on.
  void close();

 private:
  template <class Change>
  void apply(const Change& change, bool at_once);
  void show(bool at_once) SLIPWAY_REQUIRES(mutex_);
  void draw() SLIPWAY_REQUIRES(mutex_);
  void redraw_late();

  const ProgressForm form_;
  FrameLook look_;
  sys::Clock& clock_;
  const Write write_;
  const Size size_;

  sys::Mutex mutex_;
  std::condition_variable changed_;
  ProgressModel model_ SLIPWAY_GUARDED_BY(mutex_);
  FramePainter painter_ SLIPWAY_GUARDED_BY(mutex_);
  TimePoint drawn_ SLIPWAY_GUARDED_BY(mutex_){};
  bool stale_ SLIPWAY_GUARDED_BY(mutex_) = false;  // the screen does not show the model
  bool closed_ SLIPWAY_GUARDED_BY(mutex_) = false;
  std::thread late_;  // draws what came too soon after the last frame to be drawn at once
};

}  // namespace slipway::cli
