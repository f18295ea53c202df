// What ran in one life, against what was durable before and after it.
#include <algorithm>

#include "checker.h"

namespace slipway::crash {

struct Checker::Life {
  fsm::RunVersion version;
  Known* run = nullptr;
  std::size_t begins = 0;
  std::size_t ends = 0;
  std::size_t inits = 0;
  std::size_t finals = 0;

  // The tries of a life are a stretch of the run's, from the durable position on.
  [[nodiscard]] std::size_t next() const { return run->story_before.done + begins; }
};

void Checker::check_trace(const std::vector<Record>& life) {
  std::map<fsm::RunVersion, Life> lives;
  for (const auto& record : life) {
    if (record.kind == Record::Kind::kAck || record.kind == Record::Kind::kCancelAck) continue;
    const auto known = runs_.find(record.version);
    if (known == runs_.end() || known->second.stored == nullptr) {
      violation(record.version, "ran without being on disk");
      continue;
    }
    Life& own = lives[record.version];
    own.version = record.version;
    own.run = &known->second;
    if (own.run->story_before.ending) violation(record.version, "ran again after its end was on disk");
    if (record.kind == Record::Kind::kInit && ++own.inits > 1) violation(record.version, "was initialized twice");
    if (record.kind == Record::Kind::kBegin) check_begin(record, own);
    if (record.kind == Record::Kind::kEnd) check_end(record, own);
    if (record.kind == Record::Kind::kFinal) check_final(record, own);
  }
  for (const auto& [version, own] : lives) check_against_disk(own);
  for (const auto& [version, run] : runs_) {
    if (run.stored == nullptr) continue;
    if (!lives.contains(version) && run.story.done != run.story_before.done) {
      violation(version, "has outcomes on disk of handlers that did not run");
    }
    const bool wanted = scenario_.machine_of(*run.shape).has_finalizer && run.story.ending;
    if (wanted && run.finalized == 0) violation(version, "ended without its finalizer");
  }
}

void Checker::check_begin(const Record& begin, Life& life) {
  Known& run = *life.run;
  const auto version = begin.version;
  const auto index = run.shape->find_try(begin.arrival, begin.retry);
  if (!index || scenario_.transition_name(*run.shape, run.shape->tries[*index]) != begin.transition) {
    violation(version, "began {} arrival {} retry {}, which it never comes to", begin.transition, begin.arrival,
              begin.retry);
    return;
  }
  if (*index < run.story_before.done) {
    violation(version, "{} (try {}) ran again, and its outcome was on disk", begin.transition, *index);
  } else if (*index < life.next()) {
    violation(version, "{} (try {}) ran twice in one life", begin.transition, *index);
  } else if (*index > life.next()) {
    violation(version, "{} (try {}) began, and try {} was passed over", begin.transition, *index, life.next());
  }
  if (life.begins != life.ends) violation(version, "{} began inside another of its handlers", begin.transition);
  if (life.finals > 0) violation(version, "{} began after its finalizer", begin.transition);
  if (run.story_before.done_before_cancel)
    violation(version, "{} began after the cancel was on disk", begin.transition);
  const std::size_t inits = scenario_.machine_of(*run.shape).has_initializer ? 1 : 0;
  if (life.inits != inits) violation(version, "{} began after {} initializers", begin.transition, life.inits);
  if (begin.resumed != (run.known_before && life.begins == 0)) {
    violation(version, "{} was told resumed = {}", begin.transition, begin.resumed);
  }
  check_inputs(begin, run, *index);
  run.begun = true;
  life.begins = *index + 1 - std::min(*index + 1, run.story_before.done);
}

void Checker::check_inputs(const Record& begin, const Known& run, std::size_t index) {
  const auto& spec = run.stored->record.spec;
  if (spec.not_before && begin.at < *spec.not_before) violation(begin.version, "began before its time");
  const auto request = request_of(run);
  if (!request) {
    violation(begin.version, "began before the run it follows had ended");
    return;
  }
  const Known* before = predecessor_of(run);
  if (before != nullptr && !fsm::succeeded(*before->story.ending) && !run.shape->after_any_ending) {
    violation(begin.version, "began, though the run it follows ended badly");
  }
  if (begin.request != digest_of(*request)) violation(begin.version, "{} got another request", begin.transition);
  if (begin.response != digest_of(response_after_tries(scenario_, *run.shape, *request, index))) {
    violation(begin.version, "{} got another response than that of the last completion", begin.transition);
  }
}

void Checker::check_end(const Record& end, Life& life) {
  ++life.ends;
  const auto index = life.run->shape->find_try(end.arrival, end.retry);
  if (life.ends != life.begins || !index || *index + 1 != life.next()) {
    violation(end.version, "{} returned without having begun", end.transition);
  }
}

void Checker::check_final(const Record& final, Life& life) {
  ++life.run->finalized;
  if (++life.finals > 1) violation(final.version, "was finalized twice in one life");
  const auto& state = life.run->stored->record.progress.state;
  std::optional<fsm::Ending> ending = life.run->story.ending;
  if (const auto* finishing = std::get_if<fsm::Finishing>(&state)) ending = finishing->ending;
  if (!ending || final.ending != to_string(*ending)) {
    violation(final.version, "was finalized as {}, and on disk it is {}", final.ending,
              ending ? to_string(*ending) : fsm::name_of(state));
  }
}

void Checker::check_against_disk(const Life& life) {
  const std::size_t before = life.run->story_before.done;
  const std::size_t now = life.run->story.done;
  if (now < before) violation(life.version, "went back from {} tries on disk to {}", before, now);
  if (life.begins > 0 && life.next() - 1 > now) {
    violation(life.version, "try {} began, and only {} outcomes are on disk", life.next() - 1, now);
  }
  if (now > before + life.ends) {
    violation(life.version, "{} outcomes are on disk, and only {} handlers returned", now, before + life.ends);
  }
}

}  // namespace slipway::crash
