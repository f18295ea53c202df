#include "cli/progress.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "cli/format.h"
#include "cli/style.h"
#include "cli/text.h"

namespace slipway::cli {
namespace {

constexpr Duration kLineEvery = std::chrono::seconds(5);  // bytes in a pipe
constexpr Duration kSampleEvery = std::chrono::milliseconds(200);
constexpr double kSmoothing = 3.0;  // seconds in which an old rate loses 63 % of its weight
constexpr std::size_t kLongestTitle = 32;
constexpr std::size_t kLongestBar = 30;
constexpr std::size_t kShortestBar = 6;

std::string bar(double part, std::size_t width, bool unicode) {
  const auto full = static_cast<std::size_t>(std::floor(std::clamp(part, 0.0, 1.0) * static_cast<double>(width)));
  std::string out = "[";
  for (std::size_t i = 0; i < width; ++i) {
    if (unicode) {
      out += i < full ? "█" : "░";
    } else {
      out += i < full ? '#' : '-';
    }
  }
  return out + "]";
}

int percent(std::uint64_t done, std::uint64_t total) {
  // Rounded down: 100 % is when all is there.
  return static_cast<int>(std::floor(100.0 * static_cast<double>(done) / static_cast<double>(total)));
}

}  // namespace

ProgressModel::Run& ProgressModel::run_of(const std::string& key, TimePoint now) {
  const auto [found, fresh] = runs_.try_emplace(key);
  if (fresh) {
    found->second.title = printable(key);
    found->second.begun = now;
    order_.push_back(key);
  }
  return found->second;
}

void ProgressModel::begin(const std::string& key, const std::string& title, TimePoint now) {
  run_of(key, now).title = printable(title);
}

void ProgressModel::state(const std::string& key, const std::string& state, TimePoint now) {
  auto& run = run_of(key, now);
  auto shown = printable(state);
  if (run.state == shown && !run.ended) return;
  run.state = std::move(shown);
  run.ended.reset();
  run.detail.clear();
  run.has_bytes = false;
  run.done = run.total = run.sampled_done = 0;
  run.rate = 0;
  run.told = now;
  lines_.push_back(fmt::format("{}: {}", run.title, run.state));
}

void ProgressModel::sample(Run& run, TimePoint now) {
  const auto seconds = static_cast<double>((now - run.sampled).count()) / 1e6;
  const auto rate = static_cast<double>(run.done - run.sampled_done) / seconds;
  const auto weight = 1 - std::exp(-seconds / kSmoothing);
  run.rate = run.rate == 0 ? rate : run.rate + weight * (rate - run.rate);
  run.sampled = now;
  run.sampled_done = run.done;
}

void ProgressModel::bytes(const std::string& key, std::uint64_t done, std::uint64_t total, TimePoint now) {
  auto& run = run_of(key, now);
  if (run.ended) return;  // a late report
  const bool afresh = !run.has_bytes || done < run.done;
  run.done = done;
  run.total = total;
  run.most = std::max(run.most, done);
  run.has_bytes = true;
  if (afresh) {
    run.sampled = now;
    run.sampled_done = done;
    run.rate = 0;
  } else if (now - run.sampled >= kSampleEvery) {
    sample(run, now);
  }
  if (now - run.told >= kLineEvery) {
    run.told = now;
    lines_.push_back(fmt::format("{}: {}", run.title, bytes_line(run)));
  }
}

void ProgressModel::detail(const std::string& key, const std::string& text, TimePoint now) {
  auto& run = run_of(key, now);
  if (run.ended) return;
  run.detail = printable(text);
  if (now - run.told < kLineEvery || run.detail.empty()) return;
  run.told = now;
  lines_.push_back(fmt::format("{}: {} ({})", run.title, run.state, run.detail));
}

void ProgressModel::end(const std::string& key, ProgressEnd how, const std::string& note, TimePoint now) {
  auto& run = run_of(key, now);
  run.ended = how;
  run.ended_at = now;
  run.note = printable(note);
  lines_.push_back(fmt::format("{}: {}", run.title, ending(run)));
}

std::optional<Duration> ProgressModel::time_left(const Run& run) {
  if (run.total == 0 || run.rate <= 0 || run.done >= run.total) return std::nullopt;
  const auto seconds = static_cast<double>(run.total - run.done) / run.rate;
  constexpr double kLongest = 100.0 * 24 * 3600;  // more is no forecast
  if (seconds > kLongest) return std::nullopt;
  return Duration(static_cast<std::int64_t>(std::ceil(seconds)) * 1'000'000);
}

std::string ProgressModel::bytes_line(const Run& run) {
  std::string text = run.state;
  if (!text.empty()) text += ' ';
  text += run.total > 0
              ? fmt::format("{}% ({}/{}", percent(run.done, run.total), format_bytes(run.done), format_bytes(run.total))
              : fmt::format("({}", format_bytes(run.done));
  if (run.rate > 0) text += ", " + format_rate(run.rate);
  if (const auto left = time_left(run)) text += fmt::format(", {} left", format_clock(*left));
  return text + ")";
}

std::string ProgressModel::ending(const Run& run) {
  const auto took = format_clock(run.ended_at - run.begun);
  if (run.most > 0) return fmt::format("{} ({} in {})", run.note, format_bytes(run.most), took);
  return fmt::format("{} ({})", run.note, took);
}

std::string ProgressModel::active_line(const Run& run, const FrameLook& look, std::size_t titles, std::size_t states) {
  const auto mark = look.unicode ? "…" : "...";
  const auto room = look.columns > 0 ? look.columns - 1 : 0;  // the last column makes some terminals wrap
  const auto head = pad_right(shorten(run.title, titles, mark, Cut::kMiddle), titles) + "  ";
  if (!run.has_bytes && run.detail.empty()) return shorten(head + run.state, room, mark);
  if (!run.has_bytes)
    return shorten(fmt::format("{}{}  {}", head, pad_right(run.state, states), run.detail), room, mark);

  std::string line = head + pad_right(run.state, states);
  // Most important first; what no longer fits is left out.
  const auto tail = [&](std::string text) {
    if (display_width(line) + 2 + display_width(text) <= room) line += "  " + std::move(text);
  };
  if (run.total > 0) {
    const auto amount = fmt::format("{:>3}%", percent(run.done, run.total));
    const auto used = display_width(line) + 2 + 3 + 5;
    constexpr std::size_t kOthers = 42;  // columns of bytes, rate and time left
    const auto width = room > used + kOthers ? std::min(kLongestBar, room - used - kOthers) : 0;
    if (width >= kShortestBar) {
      tail(bar(static_cast<double>(run.done) / static_cast<double>(run.total), width, look.unicode) + " " + amount);
    } else {
      tail(amount);
    }
    tail(pad_left(fmt::format("{}/{}", format_bytes(run.done), format_bytes(run.total)), 19));
  } else {
    tail(pad_left(format_bytes(run.done), 10));
  }
  if (run.rate > 0) tail(pad_left(format_rate(run.rate), 12));
  if (const auto left = time_left(run)) tail(format_clock(*left));
  return shorten(line, room, mark);
}

std::string ProgressModel::ended_line(const Run& run, const FrameLook& look, std::size_t titles) {
  const auto mark = look.unicode ? "…" : "...";
  const auto room = look.columns > 0 ? look.columns - 1 : 0;
  const bool good = *run.ended == ProgressEnd::kGood;
  const auto* sign = look.unicode ? (good ? "✓ " : "✗ ") : (good ? "" : "! ");
  const auto head = pad_right(shorten(run.title, titles, mark, Cut::kMiddle), titles) + "  ";
  auto text = shorten(head + sign + ending(run), room, mark);
  if (!look.color || text.size() <= head.size()) return text;
  const auto style = good ? Style::kGreen : *run.ended == ProgressEnd::kBad ? Style::kRed : Style::kYellow;
  return text.substr(0, head.size()) + paint(text.substr(head.size()), style, /*color=*/true);
}

std::vector<std::string> ProgressModel::frame(const FrameLook& look, TimePoint /*now*/) const {
  std::size_t titles = 0;
  std::size_t states = 0;
  for (const auto& key : order_) {
    const auto& run = runs_.at(key);
    titles = std::max(titles, display_width(run.title));
    if ((run.has_bytes || !run.detail.empty()) && !run.ended) states = std::max(states, display_width(run.state));
  }
  titles = std::min({titles, kLongestTitle, std::max<std::size_t>(look.columns / 3, 8)});

  // The cursor cannot be moved above the screen: one row stays free for it.
  const auto room = std::max<std::size_t>(look.rows, 3) - 1;
  const auto hidden = order_.size() > room ? order_.size() - (room - 1) : 0;
  std::vector<const Run*> shown;
  if (hidden == 0) {
    for (const auto& key : order_) shown.push_back(&runs_.at(key));
  } else {  // those that are active first
    for (const bool ended : {false, true}) {
      for (const auto& key : order_) {
        if (const Run& run = runs_.at(key); run.ended.has_value() == ended) shown.push_back(&run);
      }
    }
    shown.resize(room - 1);
  }
  std::vector<std::string> lines;
  for (const auto* run : shown) {
    lines.push_back(run->ended ? ended_line(*run, look, titles) : active_line(*run, look, titles, states));
  }
  if (hidden > 0) lines.push_back(fmt::format("and {} more", hidden));
  return lines;
}

std::vector<std::string> ProgressModel::take_lines() { return std::exchange(lines_, {}); }

}  // namespace slipway::cli
