#include "pipeline/verdict_keeper.h"

#include <utility>

namespace slipway::pipeline {
namespace {

// Whether an image may be used is for everybody to know; how many findings it has, for those who ask.
void tell_of(const ChangedVerdict& change, const Logger& log) {
  if (change.is_blocked && !change.was_blocked) {
    log.warn("image {} is vulnerable now: {}", change.image_id, change.summary);
  } else if (change.was_blocked && !change.is_blocked) {
    log.warn("image {} is no longer blocked: {}", change.image_id, change.summary);
  } else {
    log.info("image {} has {} findings, {} before", change.image_id, change.findings_now, change.findings_before);
  }
}

}  // namespace

void VerdictKeeper::look(const std::stop_token& stop) {
  if (parts_.rules.engine != "builtin") return;
  const auto feeds = feeds::FeedReader::open(parts_.feeds, parts_.clock);
  if (!feeds) return;  // nothing was ever synced
  const auto done = rescan(parts_.catalog, **feeds, parts_.version, parts_.rules, parts_.clock.now(), stop);
  if (!done) {
    if (!stop.stop_requested()) parts_.log.warn("images are not scanned again: {}", done.error().describe());
    return;
  }
  tell(*done);
  scan_first(done->unlisted);
}

void VerdictKeeper::tell(const RescanReport& report) {
  for (const auto& change : report.changed) tell_of(change, parts_.log);
  if (report.judged > 0) {
    parts_.log.info("{} images scanned again, {} verdicts changed", report.judged, report.changed.size());
  }
  if (std::exchange(without_, report.without) != report.without && report.without > 0) {
    parts_.log.warn("{} images are not judged: no advisories are about them", report.without);
  }
}

void VerdictKeeper::scan_first(std::vector<std::string> image_ids) {
  std::erase_if(image_ids, [&](const std::string& id) { return !tried_.insert(id).second; });
  if (image_ids.empty()) return;
  const auto started = parts_.scan_first(image_ids);
  if (!started) parts_.log.warn("images are not scanned: {}", started.error().describe());
  if (started && *started > 0) parts_.log.info("{} images are scanned for the first time", *started);
}

}  // namespace slipway::pipeline
