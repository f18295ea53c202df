#include "cli/feeds_progress.h"

#include <cmath>

#include "service/feeds_owner.h"

namespace slipway::cli {
namespace {

constexpr Duration kSampleEvery = std::chrono::seconds(1);
constexpr double kKept = 0.6;  // of the old rate, at each sample

ProgressEnd end_of(const feeds::ProviderStats& stats) {
  if (!stats.blocked.empty() || stats.row.outcome == feeds::Outcome::kFailed) return ProgressEnd::kBad;
  return stats.row.outcome == feeds::Outcome::kCompleted ? ProgressEnd::kGood : ProgressEnd::kStopped;
}

std::string end_note(const feeds::ProviderStats& stats) {
  if (!stats.blocked.empty()) return "blocked: " + stats.blocked;
  const auto& row = stats.row;
  std::string note(row.outcome ? feeds::to_string(*row.outcome) : feeds::to_string(row.state));
  if (row.error) return note + ": " + row.error->message();
  note += fmt::format(", {} items", row.processed);
  if (row.errors > 0) note += fmt::format(", {} bad ones", row.errors);
  return note;
}

}  // namespace

void FeedsProgress::show(const service::FeedsStats& stats) {
  for (const auto& one : stats.providers) {
    const auto [seen, first] = seen_.try_emplace(one.row.id);
    show_one(one, seen->second, first);
  }
}

void FeedsProgress::show_one(const feeds::ProviderStats& stats, Seen& seen, bool first) {
  const auto& row = stats.row;
  if (first) seen = {.instance = row.instance, .processed = row.processed, .sampled = clock_.now()};
  const bool rests = service::is_at_rest(stats);
  seen.shown = seen.shown || !rests || row.instance != seen.instance || !stats.blocked.empty();
  if (!seen.shown) return;
  if (rests) {
    if (!seen.ended) display_.end(row.id, end_of(stats), end_note(stats));
    seen.ended = true;
    return;
  }
  seen.ended = false;
  display_.state(row.id, stats.wanted ? "waits for its needs" : std::string(feeds::to_string(row.state)));
  if (!stats.wanted) display_.detail(row.id, detail(row, seen));
}

std::string FeedsProgress::detail(const feeds::ProviderRow& row, Seen& seen) const {
  const TimePoint now = clock_.now();
  if (row.processed < seen.processed) seen.processed = row.processed;  // a new sync
  if (now - seen.sampled >= kSampleEvery) {
    const auto seconds = static_cast<double>((now - seen.sampled).count()) / 1e6;
    const auto rate = static_cast<double>(row.processed - seen.processed) / seconds;
    seen.rate = seen.rate == 0 ? rate : kKept * seen.rate + (1 - kKept) * rate;
    seen.processed = row.processed;
    seen.sampled = now;
  }
  std::string text = fmt::format("{} items", row.processed);
  if (seen.rate >= 1) text += fmt::format("  {}/s", std::llround(seen.rate));
  if (row.errors > 0) text += fmt::format("  {} bad", row.errors);
  if (row.checkpoint) text += "  " + row.checkpoint->urn.substr(row.checkpoint->urn.rfind("::") + 2);
  return text;
}

}  // namespace slipway::cli
