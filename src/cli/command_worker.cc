// `worker`: the long-running form. Owns the runs, serves the other commands, and keeps up with the bucket.
#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "cli/commands.h"
#include "cli/format.h"
#include "cli/pipeline_setup.h"
#include "cli/units.h"
#include "pipeline/bucket_watch.h"
#include "pipeline/pipeline.h"
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
  void still_alive() { check(notifier_.still_alive()); }
  void status(const std::string& text) { check(notifier_.status(text)); }
  // How long nothing may be said.
  [[nodiscard]] std::chrono::microseconds patience() const { return notifier_.watchdog().value_or(1h); }

 private:
  void check(const Result<>& said) {
    if (!said) log_.warn("the service manager is not told: {}", said.error().message());
  }

  const Logger& log_;
  sys::ServiceNotifier notifier_;
};

// Until `until`, or the stop.
void sleep(std::stop_token stop, std::chrono::steady_clock::time_point until) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  (void)changed.wait_until(lock, std::move(stop), until, [] { return false; });
}

pipeline::WatchSettings watch_settings(const Session& session, const archive::Policy& policy) {
  const Settings& settings = session.settings;
  pipeline::WatchSettings watch;
  watch.prefix = settings.s3_prefix;
  watch.request_for = [&settings, policy](const std::string& key) {
    return pipeline::complete({.bucket = settings.s3_bucket,
                               .key = key,
                               .rules = {.max_image_size = settings.max_image_size, .policy = policy},
                               .pool = pool_name(settings),
                               .device_size = settings.device_size});
  };
  return watch;
}

class Worker {
 public:
  Worker(const Session& session, pipeline::Pipeline& pipeline, const archive::Policy& policy,
         std::shared_ptr<objects::ObjectSource> source, std::chrono::milliseconds interval)
      : session_(session),
        source_(std::move(source)),
        interval_(interval),
        notices_(session),
        watch_(pipeline.manager(), pipeline.catalog(), pipeline.process_image(), watch_settings(session, policy),
               session.log) {}

  void run(const std::stop_token& stop) {
    notices_.ready();
    while (!stop.stop_requested()) {
      poll(stop);
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

  void wait(const std::stop_token& stop) {
    const auto next = std::chrono::steady_clock::now() + interval_;
    while (!stop.stop_requested() && std::chrono::steady_clock::now() < next) {
      notices_.still_alive();
      sleep(stop, std::min(next, std::chrono::steady_clock::now() + notices_.patience()));
    }
  }

  const Session& session_;
  std::shared_ptr<objects::ObjectSource> source_;
  std::chrono::milliseconds interval_;
  Notices notices_;
  pipeline::BucketWatch watch_;
};

CommandResult worker(const Session& session, const Arguments& arguments) {
  const sys::Interrupts interrupts;
  auto interval = parse_duration(arguments.get("--poll-interval").value_or("5m"));
  if (!interval) return bad_input(interval.error().during("--poll-interval").error());
  if (*interval < 1s) return wrong_use("--poll-interval is at least 1s");
  auto policy = policy_of(session.settings);
  if (!policy) return bad_input(std::move(policy.error()));
  auto source = open_bucket(session);
  if (!source) return bad_input(std::move(source.error()));
  auto options = pipeline_options(session, session.log);
  if (!options) return bad_input(std::move(options.error()));
  auto pipeline = pipeline::Pipeline::open(*options);
  if (!pipeline) return fail(std::move(pipeline.error()));
  auto server = service::OwnerServer::open((*pipeline)->manager(), service::socket_beside(session.settings.fsm_db_path),
                                           {.settings = work_settings(session.settings), .log = session.log});
  if (!server) return fail(std::move(server.error()));
  session.log.info("worker of {}: {} unfinished runs taken up", (*source)->describe(), (*pipeline)->resumed().resumed);
  Worker(session, **pipeline, *policy, *source, *interval).run(interrupts.token());
  session.log.info("worker ends; what is unfinished goes on when it is started again");
  server->reset();
  return ExitCode::kDone;
}

}  // namespace

CommandSpec worker_command() {
  return {.name = "worker",
          .summary = "Keep up with the bucket, until told to end",
          .description =
              "Looks at the bucket again and again, and takes what is new, changed or failed through the pipeline. "
              "Other commands work meanwhile: they have their work done by the worker.\nSIGTERM and SIGINT end it in "
              "an orderly way; what is unfinished goes on when it is started again.",
          .options = {{.name = "--poll-interval", .value = "TIME", .help = "between two looks at the bucket (5m)"}},
          .examples = {"slipway worker", "slipway worker --poll-interval 30s"},
          .run = worker};
}

}  // namespace slipway::cli
