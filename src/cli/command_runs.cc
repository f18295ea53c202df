#include <utility>

#include "cli/commands.h"
#include "cli/run_lookup.h"
#include "cli/views.h"

namespace slipway::cli {
namespace {

constexpr std::uint64_t kDefaultLimit = 50;

Result<fsm::RunFilter> filter_of(const Arguments& arguments) {
  fsm::RunFilter filter;
  filter.machine = arguments.get("--machine");
  filter.id = arguments.get("--id");
  filter.state = arguments.get("--state");
  if (const auto ending = arguments.get("--ending")) filter.ending = fsm::parse_ending(*ending);
  auto limit = arguments.number("--limit", kDefaultLimit, 1);
  if (!limit) return fail(std::move(limit.error()));
  filter.limit = *limit;
  return filter;
}

CommandResult runs(const Session& session, const Arguments& arguments) {
  auto filter = filter_of(arguments);
  if (!filter) return bad_input(std::move(filter.error()));
  auto store = open_runs(session.settings);
  if (!store) return fail(std::move(store.error()));
  std::vector<fsm::RunRecord> found;
  if (*store) {
    auto listed = (*store)->list(*filter);
    if (!listed) return fail(std::move(listed.error()));
    found = std::move(*listed);
  }
  auto& output = session.output;
  if (output.json()) {
    auto list = OrderedJson::array();
    for (const auto& run : found) list.push_back(run_json(run));
    output.write_json({{"runs", std::move(list)}});
    return ExitCode::kDone;
  }
  if (found.empty()) {
    output.note(*store ? "No run fits." : "There are no runs yet.");
    return ExitCode::kDone;
  }
  output.write_table(run_table(found, output));
  if (found.size() == filter->limit && output.out_look().terminal) {
    output.note(fmt::format("These are the newest {}; --limit shows more.", found.size()));
  }
  return ExitCode::kDone;
}

}  // namespace

CommandSpec runs_command() {
  return {.name = "runs",
          .summary = "List runs, the newest first",
          .options = {{.name = "--machine",
                       .value = "NAME",
                       .help = "only of this machine",
                       .completes = Completes::kMachines},
                      {.name = "--id",
                       .value = "ID",
                       .help = "only for this resource, such as an image",
                       .completes = Completes::kImages},
                      {.name = "--state",
                       .value = "STATE",
                       .help = "only in this state",
                       .values = {"following", "delayed", "queued", "running", "backing-off", "awaiting", "parked",
                                  "finishing", "finished"}},
                      {.name = "--ending",
                       .value = "ENDING",
                       .help = "only those that ended so",
                       .values = {"completed", "handed-off", "failed", "aborted", "cancelled"}},
                      {.name = "--limit", .letter = "-n", .value = "NUMBER", .help = "at most so many (default: 50)"}},
          .examples = {"slipway runs --ending failed", "slipway runs --machine download-image --limit 5"},
          .run = runs};
}

}  // namespace slipway::cli
