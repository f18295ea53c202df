#include <utility>

#include "base/json.h"
#include "cli/commands.h"
#include "cli/run_lookup.h"
#include "cli/text.h"
#include "cli/views.h"

namespace slipway::cli {
namespace {

// Requests and responses are JSON for most machines; for the others they are text.
OrderedJson payload_json(const std::string& payload) {
  if (payload.empty()) return nullptr;
  if (!parse_json(payload)) return json_text(payload);  // parse_json bounds the nesting
  auto parsed = OrderedJson::parse(payload, nullptr, /*allow_exceptions=*/false);
  return parsed.is_discarded() ? json_text(payload) : parsed;
}

std::string event_detail(const fsm::Event& event) {
  std::string text;
  const auto add = [&](std::string_view more) {
    if (more.empty()) return;
    if (!text.empty()) text += "; ";
    text += more;
  };
  if (event.ending) add(fsm::to_string(*event.ending));
  if (event.retry > 0) add(fmt::format("retry {}", event.retry));
  if (event.error) add(event.error->describe());
  add(event.note);
  return text.empty() ? "-" : text;
}

void write_history(Output& output, const std::vector<fsm::RunEvent>& history) {
  Table table({{.title = "#", .importance = 90, .right = true},
               {.title = "TIME", .importance = 10, .least = 19, .optional = true},
               {.title = "EVENT", .importance = 100, .least = 11},
               {.title = "TRANSITION", .importance = 80, .least = 10},
               {.title = "TOOK", .importance = 70, .right = true},
               {.title = "DETAIL", .importance = 20, .least = 20}});
  for (const auto& item : history) {
    const auto& event = item.event;
    const bool bad = event.error.has_value() || event.kind == fsm::EventKind::kInterrupted;
    table.add({Cell(std::to_string(item.seq)), Cell(output.time(event.at)),
               Cell(std::string(fsm::to_string(event.kind)), bad ? Style::kRed : Style::kPlain),
               Cell(event.transition.empty() ? "-" : event.transition),
               Cell(event.took > Duration{0} ? to_human(event.took) : "-"), Cell(event_detail(event))});
  }
  output.write_table(table);
}

void write_record(Output& output, const fsm::RunRecord& run) {
  const auto field = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) output.line(fmt::format("  {}{}", pad_right(name, 13), printable(value)));
  };
  const auto& [spec, progress, seq, cancel, request, response] = run;
  output.line(fmt::format("{}  {}", output.paint(spec.version.to_string(), Style::kBold),
                          output.paint(run_word(progress.state), style_of(progress.state))));
  field("machine", spec.machine);
  field("id", spec.id);
  if (spec.plan) field("transitions", fmt::format("{}", fmt::join(spec.plan->transitions, " > ")));
  field("next", transition_of(run));
  field("queue", spec.queue);
  field("started", output.time(spec.started_at));
  if (const auto ended = finished_at(progress.state)) {
    field("finished", fmt::format("{} (took {})", output.time(ended), to_human(*ended - spec.started_at)));
  }
  if (spec.after) field("after", spec.after->to_string());
  if (spec.parent) field("parent", spec.parent->to_string());
  if (progress.retries > 0) field("retries", std::to_string(progress.retries));
  if (progress.crashes > 0) field("crashes", std::to_string(progress.crashes));
  if (cancel) field("cancelled", cancel->empty() ? "yes" : *cancel);
  if (const auto* parked = std::get_if<fsm::Parked>(&progress.state)) field("parked", parked->reason);
  if (const auto error = error_of(progress.state)) field("error", error->describe());
  field("request", request);
  field("response", response);
}

CommandResult runs_show(const Session& session, const Arguments& arguments) {
  auto store = open_runs(session.settings);
  if (!store) return fail(std::move(store.error()));
  if (!*store) {
    return fail(ErrorKind::kNotFound, "there is no run {}: {} is not there yet", arguments.at("VERSION"),
                session.settings.fsm_db_path.string());
  }
  auto run = resolve_run(**store, arguments.at("VERSION"));
  if (!run) return bad_input(std::move(run.error()));
  auto history = (*store)->history(run->spec.version);
  if (!history) return fail(std::move(history.error()));
  auto& output = session.output;
  if (output.json()) {
    auto json = run_json(*run);
    json["request"] = payload_json(run->request);
    json["response"] = payload_json(run->response);
    json["history"] = OrderedJson::array();
    for (const auto& item : *history) json["history"].push_back(event_json(item.event, item.seq));
    output.write_json(json);
    return ExitCode::kDone;
  }
  write_record(output, *run);
  output.line("");
  write_history(output, *history);
  return ExitCode::kDone;
}

}  // namespace

CommandSpec runs_show_command() {
  return {.name = "runs show",
          .summary = "Show one run: what it is, where it stands, and its history",
          .arguments = {{.name = "VERSION",
                         .help = "the run's version, or a beginning that only it has",
                         .completes = Completes::kRuns}},
          .examples = {"slipway runs show 01KB3S6Y"},
          .run = runs_show};
}

}  // namespace slipway::cli
