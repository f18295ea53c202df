#include "cli/progress_display.h"

#include <algorithm>
#include <span>
#include <utility>

#include "cli/text.h"

namespace slipway::cli {
namespace {

constexpr Duration kFrameEvery = std::chrono::milliseconds(100);
constexpr std::string_view kClearLine = "\x1b[K";  // from here to the end of the line
constexpr std::string_view kClearDown = "\x1b[J";  // from here to the end of the screen

// Columns of a line that may hold colours.
std::size_t painted_width(std::string_view line) {
  std::string plain;
  while (!line.empty()) {
    const auto code = line.find("\x1b[");
    plain += line.substr(0, code);
    if (code == std::string_view::npos) break;
    const auto end = line.find('m', code);
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  }
  return display_width(plain);
}

ProgressForm form_of(const Output& output) {
  if (output.json() || output.quiet()) return ProgressForm::kNothing;
  return output.err_look().moves_cursor ? ProgressForm::kBars : ProgressForm::kLines;
}

}  // namespace

std::string FramePainter::to_its_begin(std::size_t columns) {
  if (widths_.empty()) return "";
  std::size_t rows = 0;
  for (const auto width : widths_)
    rows += std::max<std::size_t>(1, (width + columns - 1) / std::max<std::size_t>(columns, 1));
  widths_.clear();
  return fmt::format("\x1b[{}A\r", rows);
}

// Lines are written over the old ones, and what is left below them is cleared last: a screen that is cleared first
// flickers, and some terminals keep a copy of what is cleared from the topmost line on.
std::string FramePainter::paint(const std::vector<std::string>& lines, std::size_t columns) {
  std::string out = to_its_begin(columns);
  const auto clear_line = out.empty() ? std::string_view() : kClearLine;
  const auto clear_down = out.empty() ? std::string_view() : kClearDown;
  for (const auto& line : lines) {
    out += fmt::format("{}{}\n", line, clear_line);
    widths_.push_back(painted_width(line));
  }
  return out += clear_down;
}

std::string FramePainter::above(std::string_view text, std::size_t columns) {
  std::string out = to_its_begin(columns);
  if (out.empty()) return fmt::format("{}\n", text);
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    out += fmt::format("{}{}\n", text.substr(0, end), kClearLine);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out += kClearDown;
}

ProgressDisplay::ProgressDisplay(const Output& output, sys::Clock& clock)
    : ProgressDisplay(
          form_of(output), {.color = output.err_look().color, .unicode = output.err_look().unicode}, clock,
          [fd = output.err_fd()](std::string_view text) { (void)write_fully(fd, text, "standard error"); },
          [fd = output.err_fd()] { return terminal_size(fd).value_or(TerminalSize{}); }) {}

ProgressDisplay::ProgressDisplay(ProgressForm form, FrameLook look, sys::Clock& clock, Write write, Size size)
    : form_(form), look_(look), clock_(clock), write_(std::move(write)), size_(std::move(size)) {
  if (form_ == ProgressForm::kBars) late_ = std::thread([this] { redraw_late(); });
}

template <class Change>
void ProgressDisplay::apply(const Change& change, bool at_once) {
  if (form_ == ProgressForm::kNothing) return;
  const sys::Lock lock(mutex_);
  if (closed_) return;
  change(model_, clock_.now());
  show(at_once);
}

void ProgressDisplay::begin(const std::string& key, const std::string& title) {
  apply([&](ProgressModel& model, TimePoint now) { model.begin(key, title, now); }, /*at_once=*/false);
}

void ProgressDisplay::state(const std::string& key, const std::string& state) {
  apply([&](ProgressModel& model, TimePoint now) { model.state(key, state, now); }, /*at_once=*/false);
}

void ProgressDisplay::bytes(const std::string& key, std::uint64_t done, std::uint64_t total) {
  apply([&](ProgressModel& model, TimePoint now) { model.bytes(key, done, total, now); }, /*at_once=*/false);
}

void ProgressDisplay::detail(const std::string& key, const std::string& text) {
  apply([&](ProgressModel& model, TimePoint now) { model.detail(key, text, now); }, /*at_once=*/false);
}

void ProgressDisplay::end(const std::string& key, ProgressEnd how, const std::string& note) {
  apply([&](ProgressModel& model, TimePoint now) { model.end(key, how, note, now); }, /*at_once=*/true);
}

void ProgressDisplay::show(bool at_once) {
  if (form_ == ProgressForm::kLines) {
    for (const auto& line : model_.take_lines()) write_(line + "\n");
    return;
  }
  if (at_once || clock_.now() - drawn_ >= kFrameEvery) {
    draw();
    return;
  }
  if (!std::exchange(stale_, true)) changed_.notify_all();
}

void ProgressDisplay::draw() {
  (void)model_.take_lines();
  const auto size = size_();
  look_.columns = size.columns;
  look_.rows = size.rows;
  const auto now = clock_.now();
  write_(painter_.paint(model_.frame(look_, now), size.columns));
  drawn_ = now;
  stale_ = false;
}

void ProgressDisplay::redraw_late() {
  const sys::Lock lock(mutex_);
  while (!closed_) {
    sys::Borrowed held(mutex_);
    if (!stale_) {
      changed_.wait(held.lock());
    } else if (clock_.now() - drawn_ >= kFrameEvery) {
      draw();
    } else {
      clock_.wait_until(held.lock(), changed_, drawn_ + kFrameEvery);
    }
  }
}

void ProgressDisplay::log(std::string_view line) {
  const sys::Lock lock(mutex_);
  if (form_ != ProgressForm::kBars || closed_) {
    write_(std::string(line) + "\n");
    return;
  }
  write_(painter_.above(line, size_().columns));
  draw();
}

LogSink ProgressDisplay::log_sink(LogLevel least) {
  return [this, least](LogLevel level, std::string_view message, std::span<const LogField> fields) {
    if (level < least) return;
    auto line = render_log_line(level, message, fields);
    line.pop_back();  // log() ends the line itself
    log(line);
  };
}

void ProgressDisplay::close() {
  {
    const sys::Lock lock(mutex_);
    if (!closed_ && form_ == ProgressForm::kBars && !model_.empty()) draw();
    closed_ = true;
    changed_.notify_all();
  }
  if (late_.joinable()) late_.join();
}

}  // namespace slipway::cli
