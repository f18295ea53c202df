// `runs cancel` and `runs retry`.
#include <utility>

#include <unistd.h>

#include "cli/commands.h"
#include "cli/run_lookup.h"
#include "cli/views.h"
#include "cli/work.h"

namespace slipway::cli {
namespace {

Result<fsm::RunRecord> look_up(const Session& session, const std::string& version) {
  auto store = open_runs(session.settings);
  if (!store) return fail(std::move(store.error()));
  if (!*store) return fail(ErrorKind::kNotFound, "there are no runs yet");
  return resolve_run(**store, version);
}

CommandResult cancel(const Session& session, const Arguments& arguments) {
  Workplace workplace(session);
  auto run = look_up(session, arguments.at("VERSION"));
  if (!run) return bad_input(std::move(run.error()));
  const auto version = run->spec.version;
  const auto reason = arguments.get("--reason").value_or("by hand");
  if (auto done = workplace.cancel(
          {version, fmt::format("{} (runs cancel, user {}, process {})", reason, ::geteuid(), ::getpid())});
      !done) {
    return done.error().during("cancel run {}", version);
  }
  if (session.output.json()) {
    session.output.write_json({{"run", version.to_string()}, {"cancelled", true}});
  } else {
    session.output.note(fmt::format("Run {} of {} is cancelled.", version, run->spec.machine));
  }
  return ExitCode::kDone;
}

// A parked run is taken up again; of one that ended badly there will be a new one, with the same request.
Result<service::Task> task_of(const fsm::RunRecord& run) {
  const auto version = run.spec.version;
  if (std::holds_alternative<fsm::Parked>(run.progress.state)) return service::Unpark{version};
  const auto* finished = std::get_if<fsm::Finished>(&run.progress.state);
  if (finished == nullptr) {
    return fail(ErrorKind::kConflict, "run {} has not ended: it is {}", version, fsm::name_of(run.progress.state));
  }
  if (fsm::succeeded(finished->ending)) {
    return fail(ErrorKind::kConflict, "run {} has ended well: there is nothing to try again", version);
  }
  return service::Work{.machine = run.spec.machine, .id = run.spec.id, .request = run.request, .queue = run.spec.queue};
}

CommandResult retry(const Session& session, const Arguments& arguments) {
  Workplace workplace(session);
  auto run = look_up(session, arguments.at("VERSION"));
  if (!run) return bad_input(std::move(run.error()));
  auto task = task_of(*run);
  if (!task) return fail(std::move(task.error()));
  auto result = workplace.perform(*task, run->spec.id);
  if (!result) return result.error().during("retry run {}", run->spec.version);
  if (session.output.json()) {
    session.output.write_json({{"run", result->version.to_string()},
                               {"retry_of", run->spec.version.to_string()},
                               {"ending", std::string(fsm::to_string(result->ending))}});
  } else {
    session.output.line(fmt::format("{}  {}", result->version, fsm::to_string(result->ending)));
  }
  return ExitCode::kDone;
}

ArgumentSpec version_argument() {
  return {.name = "VERSION", .help = "the run's version, or the beginning of it", .completes = Completes::kRuns};
}

}  // namespace

CommandSpec runs_cancel_command() {
  return {.name = "runs cancel",
          .summary = "End a run that is under way or waits",
          .options = {{.name = "--reason", .value = "TEXT", .help = "why, for its history"}},
          .arguments = {version_argument()},
          .run = cancel};
}

CommandSpec runs_retry_command() {
  return {.name = "runs retry",
          .summary = "Take a parked run up again, or run one anew that ended badly",
          .arguments = {version_argument()},
          .run = retry};
}

}  // namespace slipway::cli
