#include <variant>

#include "cli/views.h"

namespace slipway::cli {
namespace {

std::optional<TimePoint> due_at(const fsm::RunState& state) {
  if (const auto* delayed = std::get_if<fsm::Delayed>(&state)) return delayed->due;
  if (const auto* waiting = std::get_if<fsm::BackingOff>(&state)) return waiting->due;
  return std::nullopt;
}

std::optional<fsm::Ending> ending_of(const fsm::RunState& state) {
  if (const auto* finishing = std::get_if<fsm::Finishing>(&state)) return finishing->ending;
  if (const auto* finished = std::get_if<fsm::Finished>(&state)) return finished->ending;
  return std::nullopt;
}

OrderedJson optional_error(const std::optional<Error>& error) {
  return error ? json_error(*error) : OrderedJson(nullptr);
}

OrderedJson optional_version(const std::optional<fsm::RunVersion>& version) {
  return version ? OrderedJson(version->to_string()) : OrderedJson(nullptr);
}

OrderedJson ending_json(const std::optional<fsm::Ending>& ending) {
  return ending ? OrderedJson(fsm::to_string(*ending)) : OrderedJson(nullptr);
}

}  // namespace

std::string run_word(const fsm::RunState& state) {
  if (const auto* finished = std::get_if<fsm::Finished>(&state)) return std::string(fsm::to_string(finished->ending));
  return std::string(fsm::name_of(state));
}

Style style_of(const fsm::RunState& state) {
  if (const auto* finished = std::get_if<fsm::Finished>(&state)) {
    if (fsm::succeeded(finished->ending)) return Style::kGreen;
    return finished->ending == fsm::Ending::kCancelled ? Style::kYellow : Style::kRed;
  }
  if (std::holds_alternative<fsm::Parked>(state)) return Style::kRed;
  if (std::holds_alternative<fsm::BackingOff>(state)) return Style::kYellow;
  return std::holds_alternative<fsm::Running>(state) ? Style::kCyan : Style::kPlain;
}

std::string transition_of(const fsm::RunRecord& run) {
  if (!run.spec.plan || fsm::is_finished(run.progress.state)) return "";
  const auto& plan = *run.spec.plan;
  return run.progress.position < plan.transitions.size() ? plan.transitions[run.progress.position] : plan.end;
}

std::optional<TimePoint> finished_at(const fsm::RunState& state) {
  if (const auto* finished = std::get_if<fsm::Finished>(&state)) return finished->at;
  return std::nullopt;
}

std::optional<Error> error_of(const fsm::RunState& state) {
  if (const auto* finishing = std::get_if<fsm::Finishing>(&state)) return finishing->error;
  if (const auto* finished = std::get_if<fsm::Finished>(&state)) return finished->error;
  return std::nullopt;
}

OrderedJson run_json(const fsm::RunRecord& run) {
  const auto& spec = run.spec;
  const auto& progress = run.progress;
  const auto* parked = std::get_if<fsm::Parked>(&progress.state);
  auto transitions = OrderedJson::array();
  if (spec.plan) {
    for (const auto& name : spec.plan->transitions) transitions.push_back(json_text(name));
  }
  return {{"version", spec.version.to_string()},
          {"machine", json_text(spec.machine)},
          {"id", json_text(spec.id)},
          {"state", fsm::name_of(progress.state)},
          {"ending", ending_json(ending_of(progress.state))},
          {"transition", json_filled(transition_of(run))},
          {"transitions", std::move(transitions)},
          {"retries", progress.retries},
          {"crashes", progress.crashes},
          {"queue", json_filled(spec.queue)},
          {"priority", spec.priority},
          {"after", optional_version(spec.after)},
          {"parent", optional_version(spec.parent)},
          {"started_at", json_time(spec.started_at)},
          {"due_at", json_time(due_at(progress.state))},
          {"finished_at", json_time(finished_at(progress.state))},
          {"cancel_cause", run.cancel_cause ? json_text(*run.cancel_cause) : OrderedJson(nullptr)},
          {"parked_reason", parked != nullptr ? json_text(parked->reason) : OrderedJson(nullptr)},
          {"failure", optional_error(error_of(progress.state))}};
}

OrderedJson event_json(const fsm::Event& event, std::uint64_t seq) {
  return {{"seq", seq},
          {"at", json_time(event.at)},
          {"kind", fsm::to_string(event.kind)},
          {"transition", json_filled(event.transition)},
          {"retry", event.retry},
          {"took_seconds", static_cast<double>(event.took.count()) / 1e6},
          {"ending", ending_json(event.ending)},
          {"note", json_filled(event.note)},
          {"error", optional_error(event.error)}};
}

Table run_table(const std::vector<fsm::RunRecord>& runs, const Output& output) {
  Table table({{.title = "VERSION", .importance = 100, .least = 26},
               {.title = "MACHINE", .importance = 50, .least = 8},
               {.title = "ID", .importance = 60, .least = 12, .cut = Cut::kMiddle},
               {.title = "STATE", .importance = 90, .least = 11},
               {.title = "STARTED", .importance = 30, .least = 16, .optional = true},
               {.title = "TOOK", .importance = 80, .right = true},
               {.title = "STEP OR ERROR", .importance = 10, .least = 13}});
  for (const auto& run : runs) {
    const auto ended = finished_at(run.progress.state);
    const auto error = error_of(run.progress.state);
    const auto* parked = std::get_if<fsm::Parked>(&run.progress.state);
    std::string detail = error ? error->message() : parked != nullptr ? parked->reason : transition_of(run);
    if (detail.empty()) detail = output.dash();
    table.add({Cell(run.spec.version.to_string()), Cell(run.spec.machine), Cell(run.spec.id),
               Cell(run_word(run.progress.state), style_of(run.progress.state)),
               Cell(output.table_time(run.spec.started_at)),
               Cell(ended ? to_human(*ended - run.spec.started_at) : std::string(output.dash())), Cell(detail)});
  }
  return table;
}

}  // namespace slipway::cli
