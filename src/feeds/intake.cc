#include "feeds/intake.h"

#include <condition_variable>
#include <mutex>
#include <utility>

namespace slipway::feeds {
namespace {

constexpr std::int64_t kItemsPerEvent = 100;

}  // namespace

Intake::Intake(const ProviderConfig& config, FeedStore& store, ProviderRow row, sys::Clock& clock, Logger log,
               Hooks hooks, std::stop_token stop)
    : config_(config),
      store_(store),
      row_(std::move(row)),
      clock_(clock),
      log_(std::move(log)),
      hooks_(std::move(hooks)),
      stop_(std::move(stop)) {}

void Intake::sleep_until(TimePoint due) const {
  std::mutex mutex;
  std::condition_variable changed;
  const std::stop_callback wake(stop_, [&] {
    const std::lock_guard lock(mutex);
    changed.notify_all();
  });
  std::unique_lock lock(mutex);
  while (!stop_.stop_requested() && clock_.now() < due) clock_.wait_until(lock, changed, due);
}

std::string Intake::unfinished_tag() const {
  return row_.checkpoint && !row_.checkpoint->position.empty() ? row_.checkpoint->source_tag : "";
}

Result<Intake::Begin> Intake::begin(Source source) {
  source_ = std::move(source);
  begun_ = true;
  batch_ = {};
  milestones_.clear();
  const bool half_read = row_.checkpoint && !row_.checkpoint->position.empty();
  // Behind the bad record that was one too many there is nothing to go on with: it is judged from its beginning.
  const bool given_up = row_.errors > config_.max_bad_records;
  if (half_read && !given_up && row_.checkpoint->source_tag == source_.tag) {
    items_ = row_.processed + row_.errors;
    return Begin{.position = row_.checkpoint->position};
  }
  if (!half_read && !source_.tag.empty() && row_.completed_at && row_.source_tag == source_.tag) {
    unchanged_ = true;
    return Begin{.unchanged = true};
  }
  auto begun = store_.begin_sync(config_.id);
  if (!begun) return begun.error().during("begin a sync of {}", config_.id);
  row_ = std::move(*begun);
  items_ = 0;
  hooks_.on_row(row_);
  return Begin{};
}

Result<> Intake::put(Record record, std::string position) {
  Checkpoint checkpoint{.urn = record.urn.text(),
                        .processed_at = clock_.now(),
                        .source_tag = source_.tag,
                        .position = std::move(position)};
  batch_.records.push_back(std::move(record));
  return end_of_item(std::move(checkpoint));
}

Result<> Intake::put_bad(std::string name, const Error& why, std::string position) {
  log_.warn("{}: {} cannot be taken: {}", config_.id, name, why.message());
  Checkpoint checkpoint{.urn = name,
                        .processed_at = clock_.now(),
                        .success = false,
                        .error = why.message(),
                        .source_tag = source_.tag,
                        .position = std::move(position)};
  batch_.bad.push_back({std::move(name), why.message()});
  const auto errors = row_.errors + static_cast<std::int64_t>(batch_.bad.size());
  if (auto taken = end_of_item(std::move(checkpoint)); !taken) return taken;
  if (errors <= config_.max_bad_records) return {};
  if (auto kept = flush(); !kept) return kept;
  return fail(
      Error(ErrorKind::kCorrupt, fmt::format("{} records of {} are bad, the last one {}: {}", errors, config_.id,
                                             row_.checkpoint ? row_.checkpoint->urn : "", why.message()))
          .with_hint("what was loaded before stays in use; the table bad_record of the feeds' database has them all"));
}

Result<> Intake::end_of_item(Checkpoint checkpoint) {
  batch_.checkpoint = std::move(checkpoint);
  const bool interrupted = hooks_.interrupted();
  const auto items = batch_.records.size() + batch_.bad.size();
  if (++items_ % kItemsPerEvent == 0) milestones_.push_back(batch_.checkpoint);
  if (!interrupted && items < static_cast<std::size_t>(config_.batch_size)) return {};
  if (auto kept = flush(); !kept) return kept;
  if (interrupted) return fail(ErrorKind::kCancelled, "{} is interrupted", config_.id);
  return {};
}

Result<> Intake::flush() {
  if (batch_.records.empty() && batch_.bad.empty()) return {};
  auto written = store_.write(config_.id, batch_);
  if (!written) return written.error().during("store {} items of {}", batch_.records.size(), config_.id);
  if (!source_.repeats_are_normal) note_repeated(*written);
  row_.processed += written->stored;
  row_.errors += static_cast<std::int64_t>(batch_.bad.size());
  row_.checkpoint = std::move(batch_.checkpoint);
  row_.updated_at = clock_.now();
  batch_ = {};
  made_progress_ = true;
  hooks_.on_row(row_);
  for (const auto& milestone : std::exchange(milestones_, {})) hooks_.on_checkpoint(milestone, row_.processed);
  return {};
}

void Intake::note_repeated(const Written& written) {
  for (const auto& urn : written.repeated) {
    log_.warn("{}: {} is twice in the source; the later one counts", config_.id, urn);
  }
}

Error Intake::rate_limited(Duration wait, std::string message) {
  patience_until_ = later(clock_.now(), wait);
  return Error(ErrorKind::kUnavailable, std::move(message));
}

}  // namespace slipway::feeds
