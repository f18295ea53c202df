// `worker`: the long-running form. Owns the runs, serves the other commands, and keeps up with the bucket.
#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <set>
#include <utility>

#include "cli/commands.h"
#include "cli/feeds_setup.h"
#include "cli/format.h"
#include "cli/pipeline_setup.h"
#include "cli/scan_setup.h"
#include "cli/units.h"
#include "pipeline/bucket_watch.h"
#include "pipeline/pipeline.h"
#include "pipeline/rescan.h"
#include "service/feeds_keeper.h"
#include "service/owner_server.h"
#include "sys/interrupts.h"
#include "sys/notify.h"

namespace slipway::cli {
namespace {

using namespace std::chrono_literals;

// The service manager, told as it wants to be; that it cannot be is a line in the log.
class Notices {
 public:
  Notices(const Session& session)
      : log_(session.log),
        notifier_(session.environment.get_filled("NOTIFY_SOCKET").value_or(""),
                  session.environment.get_filled("WATCHDOG_USEC").value_or(""),
                  session.environment.get_filled("WATCHDOG_PID").value_or("")) {}

  void ready() { check(notifier_.ready()); }
  void stopping() { check(notifier_.stopping()); }
  // Cheap: it may be said as often as one likes.
  void still_alive() {
    const auto now = std::chrono::steady_clock::now();
    if (now < last_ + std::min<std::chrono::microseconds>(1s, patience() / 2)) return;
    last_ = now;
    check(notifier_.still_alive());
  }
  void status(const std::string& text) { check(notifier_.status(text)); }
  // How long nothing may be said.
  [[nodiscard]] std::chrono::microseconds patience() const { return notifier_.watchdog().value_or(1h); }

 private:
  void check(const Result<>& said) {
    if (!said) log_.warn("the service manager is not told: {}", said.error().message());
  }

  const Logger& log_;
  sys::ServiceNotifier notifier_;
  std::chrono::steady_clock::time_point last_{};
};

// Until `until`, or the stop.
void sleep(std::stop_token stop, std::chrono::steady_clock::time_point until) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  (void)changed.wait_until(lock, std::move(stop), until, [] { return false; });
}

// All requests are as this one, but for the key.
pipeline::WatchSettings watch_settings(const std::string& prefix, pipeline::ImageRequest like, Notices& notices) {
  pipeline::WatchSettings watch;
  watch.prefix = prefix;
  watch.request_for = [like = std::move(like)](const std::string& key) {
    auto request = like;
    request.key = key;
    return pipeline::complete(request);
  };
  watch.on_progress = [&notices] { notices.still_alive(); };
  return watch;
}

class Worker {
 public:
  Worker(const Session& session, pipeline::Pipeline& pipeline, pipeline::ImageRequest like,
         std::shared_ptr<objects::ObjectSource> source, std::chrono::milliseconds interval)
      : session_(session),
        pipeline_(pipeline),
        scan_(like.scan),
        rules_(like.rules),
        source_(std::move(source)),
        interval_(interval),
        notices_(session),
        watch_(pipeline.manager(), pipeline.catalog(), pipeline.process_image(),
               watch_settings(session.settings.s3_prefix, std::move(like), notices_), session.log) {}

  void run(const std::stop_token& stop) {
    notices_.ready();
    while (!stop.stop_requested()) {
      rescan(stop);
      poll(stop);
      delete_deferred(stop);
      wait(stop);
    }
    notices_.stopping();
  }

 private:
  void poll(const std::stop_token& stop) {
    const auto seen = watch_.poll(*source_, stop);
    if (stop.stop_requested()) return;
    if (!seen) {
      session_.log.warn("{}: {}", source_->describe(), seen.error().describe());
      notices_.status("the bucket cannot be read: " + seen.error().message());
      return;
    }
    if (seen->started > 0) session_.log.info("{} of {} objects are to be processed", seen->started, seen->seen);
    notices_.status(fmt::format("{} objects seen in {}", seen->seen, source_->describe()));
  }

  // When a feed has changed: what was judged by older data is judged again.
  void rescan(const std::stop_token& stop) {
    if (scan_.engine != "builtin") return;
    auto feeds = feeds::FeedReader::open(session_.settings.feeds_db_path.string(), session_.clock);
    if (!feeds) return;  // nothing was ever synced
    const auto done =
        pipeline::rescan(pipeline_.catalog(), **feeds, session_.version, scan_, session_.clock.now(), stop);
    if (!done) {
      if (!stop.stop_requested()) session_.log.warn("images are not scanned again: {}", done.error().describe());
      return;
    }
    for (const auto& one : done->changed) tell(one);
    if (done->judged > 0) {
      session_.log.info("{} images scanned again, {} verdicts changed", done->judged, done->changed.size());
    }
    if (std::exchange(without_, done->without) != done->without && done->without > 0) {
      session_.log.warn("{} images are not judged: no advisories are about them", done->without);
    }
    scan_for_the_first_time(done->unlisted);
  }

  // Each once: one that cannot be scanned would be tried at every look at the bucket.
  void scan_for_the_first_time(std::vector<std::string> image_ids) {
    std::erase_if(image_ids, [&](const std::string& id) { return !tried_.insert(id).second; });
    const auto started = pipeline_.scan(image_ids, rules_, scan_);
    if (!started) session_.log.warn("images are not scanned: {}", started.error().describe());
    if (started && *started > 0) session_.log.info("{} images are scanned for the first time", *started);
  }

  // Whether an image may be used is for everybody to know; how many findings it has, for those who ask.
  void tell(const pipeline::ChangedVerdict& change) {
    if (change.is_blocked && !change.was_blocked) {
      session_.log.warn("image {} is vulnerable now: {}", change.image_id, change.summary);
    } else if (change.was_blocked && !change.is_blocked) {
      session_.log.warn("image {} is no longer blocked: {}", change.image_id, change.summary);
    } else {
      session_.log.info("image {} has {} findings, {} before", change.image_id, change.findings_now,
                        change.findings_before);
    }
  }

  void delete_deferred(const std::stop_token& stop) {
    const auto deleted = pipeline_.delete_deferred(stop);
    if (!deleted) session_.log.warn("devices that are to be deleted: {}", deleted.error().describe());
    if (deleted && *deleted > 0) session_.log.info("{} devices deleted that were in use before", *deleted);
  }

  void wait(const std::stop_token& stop) {
    const auto next = std::chrono::steady_clock::now() + interval_;
    while (!stop.stop_requested() && std::chrono::steady_clock::now() < next) {
      notices_.still_alive();
      sleep(stop, std::min(next, std::chrono::steady_clock::now() + notices_.patience()));
    }
  }

  const Session& session_;
  pipeline::Pipeline& pipeline_;
  const pipeline::ScanRules scan_;
  const pipeline::ImageRules rules_;
  std::uint64_t without_ = 0;  // images that no advisories were about at the last look
  std::set<std::string> tried_;
  std::shared_ptr<objects::ObjectSource> source_;
  std::chrono::milliseconds interval_;
  Notices notices_;
  pipeline::BucketWatch watch_;
};

// Beside the images, and never in their way. Null when the worker is to leave them alone.
std::unique_ptr<service::FeedsKeeper> keep_feeds(const Session& session) {
  const auto interval = session.settings.feeds_interval;
  if (interval == 0ms) return nullptr;
  return std::make_unique<service::FeedsKeeper>(feeds_of(session, session.log),
                                                service::FeedsRhythm{.interval = interval}, session.clock);
}

CommandResult worker(const Session& session, const Arguments& arguments) {
  const sys::Interrupts interrupts;
  auto interval = parse_duration(arguments.get("--poll-interval").value_or("5m"));
  if (!interval) return bad_input(interval.error().during("--poll-interval").error());
  if (*interval < 1s) return wrong_use("--poll-interval is at least 1s");
  auto policy = policy_of(session.settings);
  if (!policy) return bad_input(std::move(policy.error()));
  auto scan = scan_rules(session, arguments);
  if (!scan) return bad_input(std::move(scan.error()));
  auto bucket = require_bucket(session.settings);
  if (!bucket) return bad_input(std::move(bucket.error()));
  auto source = open_bucket(session);
  if (!source) return bad_input(std::move(source.error()));
  auto options = pipeline_options(session, session.log);
  if (!options) return bad_input(std::move(options.error()));
  options->thorough_start = true;
  auto pipeline = pipeline::Pipeline::open(*options);
  if (!pipeline) return fail(std::move(pipeline.error()));
  auto server = service::OwnerServer::open((*pipeline)->manager(), service::socket_beside(session.settings.fsm_db_path),
                                           {.settings = work_settings(session.settings), .log = session.log});
  if (!server) return fail(std::move(server.error()));
  session.log.info("worker of {}: {} unfinished runs taken up", (*source)->describe(), (*pipeline)->resumed().resumed);
  pipeline::ImageRequest like{
      .bucket = std::move(*bucket),
      .rules = {.max_image_size = session.settings.max_image_size, .policy = std::move(*policy)},
      .pool = (*pipeline)->pool().name(),
      .device_size = session.settings.device_size,
      .scan = std::move(*scan)};
  const auto feeds = keep_feeds(session);
  Worker(session, **pipeline, std::move(like), *source, *interval).run(interrupts.token());
  session.log.info("worker ends; what is unfinished goes on when it is started again");
  server->reset();
  return ExitCode::kDone;
}

}  // namespace

CommandSpec worker_command() {
  return {
      .name = "worker",
      .summary = "Keep up with the bucket, until told to end",
      .description =
          "Looks at the bucket again and again, and takes what is new, changed or failed through the pipeline. "
          "Beside that it syncs the feeds every feeds_interval, and judges all images again when they have changed. "
          "Other commands work meanwhile: they have their work done by the worker.\nSIGTERM and SIGINT end it in "
          "an orderly way; what is unfinished goes on when it is started again.",
      .options = {{.name = "--poll-interval", .value = "TIME", .help = "between two looks at the bucket (5m)"}},
      .examples = {"slipway worker", "slipway worker --poll-interval 30s"},
      .run = worker};
}

}  // namespace slipway::cli
