#include "cli/work.h"

#include <utility>

#include "base/number.h"
#include "cli/pipeline_setup.h"
#include "pipeline/pipeline.h"
#include "service/owner_server.h"

namespace slipway::cli {
namespace {

struct Amount {
  std::uint64_t done = 0;
  std::uint64_t total = 0;
};

// Of a progress event's note, "done/total unit".
std::optional<Amount> parse_amount(std::string_view note) {
  const auto amount = note.substr(0, note.find(' '));
  const auto slash = amount.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto done = parse_number<std::uint64_t>(amount.substr(0, slash));
  const auto total = parse_number<std::uint64_t>(amount.substr(slash + 1));
  if (!done || !total) return std::nullopt;
  return Amount{*done, *total};
}

ProgressEnd end_of(fsm::Ending ending) {
  if (fsm::succeeded(ending)) return ProgressEnd::kGood;
  return ending == fsm::Ending::kCancelled ? ProgressEnd::kStopped : ProgressEnd::kBad;
}

// The run's own words tell the cause ("cancelled: CAUSE").
Error cancelled_by_others(const fsm::RunResult& result) {
  const std::string cause = result.error ? result.error->message() : "cancelled";
  return Error(ErrorKind::kCancelled, fmt::format("run {} was {}", result.version, cause))
      .with_hint("it will not go on; the same command again begins anew");
}

}  // namespace

Workplace::Workplace(const Session& session)
    : session_(session), progress_(session.output, session.clock), log_(progress_.log_sink(session.least_logged)) {}

service::Runs Workplace::runs() {
  service::Runs runs;
  runs.open = [this]() -> Result<std::shared_ptr<fsm::Manager>> {
    auto options = pipeline_options(session_, log_);
    if (!options) return fail(std::move(options.error()));
    auto opened = pipeline::Pipeline::open(*options);
    if (!opened) return fail(std::move(opened.error()));
    std::shared_ptr<pipeline::Pipeline> shared = std::move(*opened);
    return std::shared_ptr<fsm::Manager>(shared, &shared->manager());
  };
  runs.socket = service::socket_beside(session_.settings.fsm_db_path);
  runs.settings = work_settings(session_.settings);
  runs.on_owner = [this](bool here) { here_ = here; };
  runs.log = log_;
  return runs;
}

std::expected<fsm::RunResult, Failure> Workplace::perform(const service::Task& task, const std::string& title) {
  service::Watching watching;
  watching.on_started = [&](const fsm::Started& started) {
    run_ = started.version;
    if (started.already_running) log_.info("run {} of {} goes on", started.version, title);
  };
  watching.on_event = [&](const fsm::RunEvent& event) {
    if (run_) show(title, *run_, event);
  };
  progress_.begin(title, title);
  auto result = service::perform(runs(), task, watching, stop());
  if (!result) progress_.end(title, ProgressEnd::kStopped, "stopped");
  progress_.close();
  if (!result && interrupts_.happened()) return interrupted(after_interruption());
  if (!result) return fail(std::move(result.error()));
  if (result->ending == fsm::Ending::kCancelled) return fail(cancelled_by_others(*result));
  if (result->error) return fail(std::move(*result->error));
  return std::move(*result);
}

std::expected<void, Failure> Workplace::cancel(const service::Cancel& what) {
  auto done = service::cancel(runs(), what, stop());
  progress_.close();
  if (done) return {};
  return interrupts_.happened() ? interrupted(std::move(done.error()))
                                : std::unexpected(Failure(std::move(done.error())));
}

// The parent's own transitions say nothing to people: what its children do is shown under one title.
void Workplace::show(const std::string& title, fsm::RunVersion head, const fsm::RunEvent& of) {
  const fsm::Event& event = of.event;
  const bool is_head = of.run == head;
  switch (event.kind) {
    case fsm::EventKind::kBegan:
      if (!is_head) progress_.state(title, event.transition);
      break;
    case fsm::EventKind::kProgress:
      if (const auto amount = parse_amount(event.note)) progress_.bytes(title, amount->done, amount->total);
      break;
    case fsm::EventKind::kErrored:
      if (!is_head && event.error) log_.warn("{} of {} failed: {}", event.transition, title, event.error->message());
      break;
    case fsm::EventKind::kFinished:
      if (is_head && event.ending)
        progress_.end(title, end_of(*event.ending), std::string(fsm::to_string(*event.ending)));
      break;
    default: break;
  }
}

Error Workplace::after_interruption() const {
  if (!run_ && here_) return Error(ErrorKind::kCancelled, "interrupted before anything was begun");
  if (!run_) {
    return Error(ErrorKind::kCancelled, "interrupted before the process that owns the runs has answered")
        .with_hint("it may still begin the work: `slipway runs` shows that");
  }
  if (here_) {
    return Error(ErrorKind::kCancelled, fmt::format("interrupted; run {} is kept as far as it got", *run_))
        .with_hint("the same command again goes on from there");
  }
  return Error(ErrorKind::kCancelled, fmt::format("interrupted; run {} goes on in the process that owns it", *run_))
      .with_hint(fmt::format("`slipway runs cancel {}` ends it", *run_));
}

}  // namespace slipway::cli
