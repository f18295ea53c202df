#include "checker.h"

#include <algorithm>
#include <utility>

namespace slipway::crash {

void Checker::after_life(const std::vector<Record>& life, const Snapshot& store) {
  take(store);
  check_acknowledged(life);
  for (auto& [version, run] : runs_) {
    if (run.stored == nullptr) continue;
    check_start(run);
    run.story = read_story(run);
  }
  for (const auto& [version, run] : runs_) {
    if (run.stored == nullptr) continue;
    check_progress(run);
    check_ending(run);
    check_response(run);
  }
  check_trace(life);
  check_queues(life);
  remember();
}

void Checker::after_all() {
  for (const auto& shape : scenario_.runs) {
    const auto index = static_cast<std::size_t>(&shape - scenario_.runs.data());
    if (!acknowledged_.contains(index)) violations_.push_back(fmt::format("{} was never started", shape.id));
  }
  for (const auto& [version, run] : runs_) {
    if (!run.story.ending) violation(version, "has not ended");
  }
}

std::size_t Checker::durable_steps() const {
  std::size_t steps = runs_.size();
  for (const auto& [version, run] : runs_) steps += run.story.done + (run.story.ending ? 1 : 0);
  return steps;
}

std::vector<std::string> Checker::unfinished() const {
  std::vector<std::string> names;
  for (const auto& [version, run] : runs_) {
    if (run.story.ending) continue;
    names.push_back(fmt::format("{}, {} of {} tries done", describe(version), run.story.done, run.shape->tries.size()));
  }
  return names;
}

std::string Checker::describe(fsm::RunVersion run) const {
  const auto found = runs_.find(run);
  return found == runs_.end() ? run.to_string() : fmt::format("{} ({})", run, found->second.shape->id);
}

void Checker::take(const Snapshot& store) {
  for (auto& [version, run] : runs_) {
    if (!store.contains(version)) violation(version, "was in the store, and is lost");
  }
  for (const auto& [version, stored] : store) {
    const auto index = scenario_.find_run(stored.record.spec.id);
    if (!index) {
      violations_.push_back(fmt::format("run {} of id {} was never asked for", version, stored.record.spec.id));
      continue;
    }
    Known& run = runs_[version];
    run.shape = &scenario_.runs[*index];
    run.stored = &stored;
  }
  std::map<const RunShape*, fsm::RunVersion> first;
  for (const auto& [version, run] : runs_) {
    const auto [at, fresh] = first.emplace(run.shape, version);
    if (!fresh) violation(version, "was started a second time: {} is there too", at->second);
  }
}

void Checker::check_acknowledged(const std::vector<Record>& life) {
  for (const auto& record : life) {
    if (record.kind == Record::Kind::kCancelAck) cancelled_[record.version] = true;
    if (record.kind != Record::Kind::kAck) continue;
    const auto [at, fresh] = acknowledged_.emplace(record.run, record.version);
    if (!fresh && at->second != record.version) {
      violation(record.version, "run-{} was acknowledged before as {}", record.run, at->second);
    }
  }
  for (const auto& [index, version] : acknowledged_) {
    const auto found = runs_.find(version);
    if (found == runs_.end()) {
      violation(version, "run-{} was acknowledged, and is lost", index);
    } else if (found->second.shape != &scenario_.runs[index]) {
      violation(version, "was acknowledged as run-{}", index);
    }
  }
}

void Checker::check_start(const Known& run) {
  const auto& spec = run.stored->record.spec;
  const RunShape& shape = *run.shape;
  const auto version_of = [&](std::optional<std::size_t> index) -> std::optional<fsm::RunVersion> {
    if (!index) return std::nullopt;
    const auto found = acknowledged_.find(*index);
    return found == acknowledged_.end() ? fsm::RunVersion() : found->second;
  };
  const bool same = spec.machine == scenario_.machine_of(shape).name && spec.queue == shape.queue &&
                    spec.priority == shape.priority && spec.not_before.has_value() == shape.delay.has_value() &&
                    spec.after == version_of(shape.after) && spec.after_any_ending == shape.after_any_ending &&
                    spec.parent == version_of(shape.parent);
  if (!same) violation(spec.version, "is stored otherwise than it was started");
  if (run.stored->record.request != given_request(shape)) violation(spec.version, "the stored request is another");
}

void Checker::check_progress(const Known& run) {
  const auto& record = run.stored->record;
  const auto version = record.spec.version;
  const RunShape& shape = *run.shape;
  if (record.seq != run.stored->history.size()) {
    violation(version, "its last event is {}, of a history of {}", record.seq, run.stored->history.size());
  }
  const auto& before = run.history_before;
  const bool goes_on = before.size() <= run.stored->history.size() &&
                       std::equal(before.begin(), before.end(), run.stored->history.begin());
  if (!goes_on) violation(version, "history that was on disk has changed or gone");
  const bool finished = fsm::is_finished(record.progress.state);
  if (finished != run.story.ending.has_value()) {
    violation(version, "is {}, but its history says otherwise", fsm::name_of(record.progress.state));
  }
  if (std::holds_alternative<fsm::Parked>(record.progress.state)) violation(version, "is parked");
  if (run.story.done >= shape.tries.size()) return;
  const Try& next = shape.tries[run.story.done];
  const auto& at = record.progress;
  if (at.position != next.position || at.arrival != next.arrival || at.retries != next.retry) {
    violation(version, "stands at transition {}, arrival {}, retry {}: by its history {}, {}, {}", at.position,
              at.arrival, at.retries, next.position, next.arrival, next.retry);
  }
}

const Checker::Known* Checker::predecessor_of(const Known& run) const {
  if (!run.shape->after) return nullptr;
  const auto acknowledged = acknowledged_.find(*run.shape->after);
  if (acknowledged == acknowledged_.end()) return nullptr;
  const auto found = runs_.find(acknowledged->second);
  return found == runs_.end() || found->second.stored == nullptr ? nullptr : &found->second;
}

// What its handlers get; nothing as long as the run before it has not ended.
std::optional<std::string> Checker::request_of(const Known& run) const {
  std::string given = given_request(*run.shape);
  if (!run.shape->after) return given;
  const Known* before = predecessor_of(run);
  if (before == nullptr || !before->story.ending) return std::nullopt;
  if (!scenario_.machine_of(*run.shape).takes_over) return given;
  return taken_over(given, before->stored->record.response);
}

void Checker::check_response(const Known& run) {
  const auto& record = run.stored->record;
  const auto request = request_of(run);
  if (!request) {
    if (run.story.done > 0) violation(record.spec.version, "went on before the run it follows had ended");
    return;
  }
  if (record.response != response_after_tries(scenario_, *run.shape, *request, run.story.done)) {
    violation(record.spec.version, "the response is not that of its last completion: {}", record.response);
  }
}

void Checker::remember() {
  for (auto& [version, run] : runs_) {
    if (run.stored == nullptr) continue;
    run.known_before = true;
    run.running_before = std::holds_alternative<fsm::Running>(run.stored->record.progress.state);
    run.begun_before = run.begun;
    run.story_before = run.story;
    run.history_before = run.stored->history;
    run.stored = nullptr;
  }
}

}  // namespace slipway::crash
