#include "pipeline/bucket_watch.h"

#include <algorithm>
#include <utility>

#include "base/json.h"

namespace slipway::pipeline {
namespace {

constexpr std::size_t kRunsLookedAt = 16;  // by then the pause is at its longest

const fsm::Finished* end_of(const fsm::RunRecord& run) { return std::get_if<fsm::Finished>(&run.progress.state); }

// How many of the newest runs ended badly, in a row.
int failures_in_a_row(std::span<const fsm::RunRecord> runs) {
  int count = 0;
  for (const auto& run : runs) {
    const auto* end = end_of(run);
    if (end == nullptr || fsm::succeeded(end->ending)) break;
    ++count;
  }
  return count;
}

Duration pause_after(int failures, const WatchSettings& settings) {
  Duration pause = settings.first_pause;
  for (int i = 1; i < failures && pause < settings.longest_pause; ++i) pause *= 2;
  return std::min(pause, settings.longest_pause);
}

// The same bytes will be judged the same by the same rules.
bool is_verdict(ErrorKind kind) {
  return kind == ErrorKind::kRejected || kind == ErrorKind::kCorrupt || kind == ErrorKind::kUnsupported ||
         kind == ErrorKind::kInvalid || kind == ErrorKind::kVulnerable;
}

}  // namespace

std::optional<std::string> why_process(const objects::ObjectInfo& object, const Known& known,
                                       const std::string& request, const WatchSettings& settings, TimePoint now) {
  if (known.runs.empty()) {
    if (!known.image) return "it is new";
    if (known.image->download_status != catalog::DownloadStatus::kCompleted) return "it is not downloaded";
    if (known.image->etag != object.etag) return "it has changed";
    return std::nullopt;
  }
  const auto& last = known.runs.front();
  const auto* end = end_of(last);
  if (end == nullptr) return std::nullopt;
  const bool changed = known.image && known.image->etag != object.etag && !known.image->etag.empty();
  if (fsm::succeeded(end->ending)) {
    if (!known.image) return "it was removed here, and is in the bucket";
    return changed ? std::optional("it has changed") : std::nullopt;
  }
  // Since the last try it was put there anew: whatever was wrong with it is another thing now.
  // (A time that is still to come says nothing.)
  const bool newer = object.modified && *object.modified > last.spec.started_at && *object.modified <= now;
  if (newer) return "it has changed since it failed";
  if (end->ending == fsm::Ending::kCancelled) return std::nullopt;
  if (end->error && end->error->kind() == ErrorKind::kVulnerable && !known.blocked) return "it is no longer blocked";
  if (end->error && is_verdict(end->error->kind()) && last.request == request) return std::nullopt;
  const int failures = failures_in_a_row(known.runs);
  if (now < end->at + pause_after(failures, settings)) return std::nullopt;
  return fmt::format("it has failed {} time{} in a row", failures, failures == 1 ? "" : "s");
}

BucketWatch::BucketWatch(fsm::Manager& manager, catalog::Catalog& catalog, ProcessImageMachine machine,
                         WatchSettings settings, Logger log)
    : manager_(manager),
      catalog_(catalog),
      machine_(std::move(machine)),
      settings_(std::move(settings)),
      log_(std::move(log)) {}

Result<Known> BucketWatch::look_up(const ProcessImageRequest& request, std::optional<catalog::Image> image) const {
  Known known{.image = std::move(image)};
  fsm::RunFilter filter;
  filter.machine = machine_.name();
  filter.id = request.image_id;
  filter.limit = kRunsLookedAt;
  auto runs = manager_.runs(filter);
  if (!runs) return fail(std::move(runs.error()));
  known.runs = std::move(*runs);
  if (known.runs.empty()) return known;
  auto last = manager_.run(known.runs.front().spec.version);  // a list is without requests
  if (last) known.runs.front() = std::move(*last);
  const auto verdict = catalog_.find_scan(request.image_id);
  if (!verdict) return fail(verdict.error());
  known.blocked = *verdict && (*verdict)->current && (*verdict)->blocked;
  return known;
}

// One object that is in nobody's interest to keep the others waiting for is passed over; what concerns all of them (a
// store that cannot be written) is an error.
Result<BucketWatch::Verdict> BucketWatch::consider(const objects::ObjectInfo& object) const {
  const auto pass_over_or_fail = [&](const Error& error) -> Result<Verdict> {
    if (error.kind() != ErrorKind::kInvalid && error.kind() != ErrorKind::kConflict) return fail(error);
    log_.warn("{} is passed over: {}", object.key, error.message());
    return Verdict::kPassedOver;
  };
  auto request = settings_.request_for(object.key);
  if (!request) return pass_over_or_fail(request.error());
  auto image = catalog_.find_image_by_key(request->bucket, request->key);
  if (!image) return fail(std::move(image.error()));
  if (*image) request->image_id = (*image)->image_id;  // it may have been given a name of its own
  auto known = look_up(*request, std::move(*image));
  if (!known) return fail(std::move(known.error()));
  auto encoded = encode_json(*request);
  if (!encoded) return fail(std::move(encoded.error()));
  const auto why = why_process(object, *known, *encoded, settings_, manager_.clock().now());
  if (!why) return Verdict::kLeft;
  auto started = machine_.start(request->image_id, *request);
  if (!started) return pass_over_or_fail(started.error());
  if (started->already_running) return Verdict::kLeft;
  log_.info("{} is processed as {}, run {}: {}", object.key, request->image_id, started->version, *why);
  return Verdict::kStarted;
}

Result<WatchReport> BucketWatch::poll(objects::ObjectSource& source, const std::stop_token& stop) {
  WatchReport report;
  objects::ListRequest request{.prefix = settings_.prefix};
  do {
    settings_.on_progress();
    auto page = source.list(request, stop);
    if (!page) return page.error().during("list {}", source.describe());
    for (const auto& unreadable : page->unreadable) log_.warn("{}", unreadable.message());
    for (const auto& object : page->objects) {
      if (stop.stop_requested()) return fail(ErrorKind::kCancelled, "stopped");
      settings_.on_progress();
      ++report.seen;
      auto verdict = consider(object);
      if (!verdict) return verdict.error().during("process {}", object.key);
      if (*verdict == Verdict::kStarted) ++report.started;
      if (*verdict == Verdict::kPassedOver) ++report.passed_over;
    }
    request.after = page->next;
  } while (!request.after.empty());
  return report;
}

}  // namespace slipway::pipeline
