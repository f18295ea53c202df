// `worker`: the long-running form. Owns the runs, serves the other commands, and keeps up with the bucket.
#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "cli/commands.h"
#include "cli/feeds_setup.h"
#include "cli/format.h"
#include "cli/pipeline_setup.h"
#include "cli/scan_setup.h"
#include "cli/units.h"
#include "pipeline/bucket_watch.h"
#include "pipeline/pipeline.h"
#include "pipeline/verdict_keeper.h"
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
        verdicts_({.catalog = pipeline.catalog(),
                   .clock = session.clock,
                   .feeds = session.settings.feeds_db_path.string(),
                   .version = session.version,
                   .rules = like.scan,
                   .scan_first = [&pipeline, rules = like.rules, scan = like.scan](
                                     const auto& image_ids) { return pipeline.scan(image_ids, rules, scan); },
                   .log = session.log}),
        source_(std::move(source)),
        interval_(interval),
        notices_(session),
        watch_(pipeline.manager(), pipeline.catalog(), pipeline.process_image(),
               watch_settings(session.settings.s3_prefix, std::move(like), notices_), session.log) {}

  void run(const std::stop_token& stop) {
    notices_.ready();
    while (!stop.stop_requested()) {
      verdicts_.look(stop);
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
  pipeline::VerdictKeeper verdicts_;
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
