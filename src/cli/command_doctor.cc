#include <utility>

#include "catalog/catalog.h"
#include "cli/commands.h"
#include "cli/pools.h"
#include "cli/run_lookup.h"
#include "cli/text.h"
#include "cli/work.h"
#include "pipeline/doctor.h"
#include "pipeline/reconcile.h"

namespace slipway::cli {
namespace {

// Nothing can be said of its devices then.
pipeline::Ailment pool_not_running(const PoolChoice& choice) {
  if (!choice.record) {
    return {.rule = "pool-not-running",
            .sentence = fmt::format("there is no thin pool {}", choice.name),
            .advice = "`slipway pool create` makes one; volume_backend: file does without"};
  }
  const bool can_be_started = choice.place().has_value();
  return {.rule = "pool-not-running",
          .sentence = fmt::format("the thin pool {} does not run, as after a reboot", choice.name),
          .advice = can_be_started ? "`slipway doctor --fix` starts it, and so does whatever needs it"
                                   : "whoever has set it up is to start it"};
}

// Nothing is recorded, so nothing may be there.
Result<std::vector<pipeline::Ailment>> look_without_catalog(const Session& session) {
  std::vector<pipeline::Ailment> found;
  auto choice = choose_pool(session.settings, nullptr);
  if (!choice) return fail(std::move(choice.error()));
  auto pool = open_running_pool(session.settings, *choice);
  if (!pool) return fail(std::move(pool.error()));
  if (!*pool) return found;
  auto devices = (*pool)->list();
  if (!devices) return fail(std::move(devices.error()));
  if (devices->empty()) return found;
  found.push_back({.rule = "catalog-missing",
                   .sentence = fmt::format("pool {} has {} devices, and there is no catalog {}", (*pool)->name(),
                                           devices->size(), session.settings.sqlite_path.string()),
                   .advice = "bring the catalog back from a backup; if it is lost, so is what the devices are: remove "
                             "them, and fetch the images again"});
  return found;
}

Result<std::vector<pipeline::Ailment>> look(const Session& session) {
  auto catalog = catalog::Catalog::open_reader(session.settings.sqlite_path.string(), session.clock);
  if (!catalog && catalog.error().kind() == ErrorKind::kNotFound) return look_without_catalog(session);
  if (!catalog) return fail(std::move(catalog.error()));
  auto runs = open_runs(session.settings);
  if (!runs) return fail(std::move(runs.error()));
  auto choice = choose_pool(session.settings, catalog->get());
  if (!choice) return fail(std::move(choice.error()));
  auto pool = open_running_pool(session.settings, *choice);
  if (!pool) return fail(std::move(pool.error()));
  if (!*pool) return std::vector{pool_not_running(*choice)};
  return pipeline::examine({.catalog = catalog->get(),
                            .pool = pool->get(),
                            .runs = [&](const fsm::RunFilter& filter) -> Result<std::vector<fsm::RunRecord>> {
                              if (!*runs) return std::vector<fsm::RunRecord>();
                              return (*runs)->list(filter);
                            },
                            .images = session.settings.download_dir});
}

struct Line {
  std::string rule;
  std::string sentence;
  std::string remark;
  bool healed = false;
};

// Whether all is well.
bool write(Output& output, const std::vector<Line>& lines) {
  bool well = true;
  for (const auto& line : lines) well = well && line.healed;
  if (output.json()) {
    auto list = OrderedJson::array();
    for (const auto& line : lines) {
      list.push_back({{"rule", line.rule}, {"what", line.sentence}, {"healed", line.healed}, {"remark", line.remark}});
    }
    output.write_json({{"well", well}, {"findings", std::move(list)}});
    return well;
  }
  for (const auto& line : lines) {
    output.line(fmt::format("{}: {}", output.paint(line.rule, line.healed ? Style::kGreen : Style::kYellow),
                            printable(line.sentence)));
    if (!line.remark.empty()) output.line("  " + printable(line.remark));
  }
  if (lines.empty()) output.note("The catalog and the pool agree.");
  return well;
}

CommandResult examine(const Session& session) {
  auto found = look(session);
  if (!found) return fail(std::move(found.error()));
  std::vector<Line> lines;
  for (auto& ailment : *found) {
    const bool curable = ailment.cure != pipeline::Ailment::Cure::kNone;
    lines.push_back({std::move(ailment.rule), std::move(ailment.sentence),
                     curable ? "`slipway doctor --fix` heals it" : std::move(ailment.advice)});
  }
  return write(session.output, lines) ? ExitCode::kDone : ExitCode::kFailed;
}

CommandResult fix(const Session& session) {
  Workplace workplace(session);
  auto answer = workplace.ask<pipeline::ReconcileResponse>(pipeline::kReconcileMachine, "pool",
                                                           pipeline::ReconcileRequest{}, "doctor");
  if (!answer) return std::unexpected(std::move(answer.error()));
  std::vector<Line> lines;
  for (auto& finding : answer->response.findings) {
    lines.push_back({std::move(finding.rule), std::move(finding.sentence),
                     finding.healed ? "healed" : "not healed: " + finding.why_not, finding.healed});
  }
  return write(session.output, lines) ? ExitCode::kDone : ExitCode::kFailed;
}

}  // namespace

CommandSpec doctor_command() {
  return {.name = "doctor",
          .summary = "Compare the catalog with the pool and the folders, and heal what differs",
          .description =
              "Tells of rows without devices, devices without rows, active devices nobody owns, temporary "
              "files, stale locks. What another program has made in the pool is told of and never touched. "
              "Ends with exit code 1 when something is wrong.",
          .options = {{.name = "--fix", .help = "heal what can be healed safely"}},
          .examples = {"slipway doctor", "slipway doctor --fix"},
          .run = [](const Session& session, const Arguments& arguments) {
            return arguments.has("--fix") ? fix(session) : examine(session);
          }};
}

}  // namespace slipway::cli
