#include "fsm/decide.h"

#include <algorithm>
#include <utility>

namespace slipway::fsm {
namespace {

void finish(Decision& decision, Ending ending, std::optional<Error> error, TimePoint now) {
  decision.events.push_back({.kind = EventKind::kFinished, .at = now, .error = error, .ending = ending});
  decision.progress.state = Finished{ending, std::move(error), now};
}

// The end is decided: with finalizers it is reached when they have run.
void end(Decision& decision, const RunView& run, Ending ending, std::optional<Error> error, TimePoint now) {
  decision.progress.crashes = 0;
  if (run.machine.finalizers.empty()) {
    finish(decision, ending, std::move(error), now);
  } else {
    decision.progress.state = Finishing{ending, std::move(error)};
  }
}

Decision unchanged(const RunView& run) {
  Decision decision{.progress = run.progress, .response = {}, .events = {}};
  decision.events.reserve(2);  // a completion or an error, and perhaps the end
  return decision;
}

Error in_transition(const RunView& run, const Error& error) {
  const auto tries = run.progress.retries + 1;
  if (tries == 1) return error.during("transition {}", run.transition()).error();
  return error.during("transition {}, after {} tries", run.transition(), tries).error();
}

Duration duration_of(const Try& tried) { return std::max(Duration{0}, tried.ended - tried.began); }

// The transition is completed, and the run goes on at `position` (or is over, past the last).
Decision completed(const RunView& run, const Try& tried, std::string response, std::size_t position) {
  Decision decision = unchanged(run);
  decision.response = std::move(response);
  decision.events.push_back({.kind = EventKind::kCompleted,
                             .at = tried.ended,
                             .transition = run.transition(),
                             .retry = run.progress.retries,
                             .took = duration_of(tried)});
  auto& progress = decision.progress;
  progress.state = Running{};
  progress.position = static_cast<std::uint32_t>(position);
  progress.arrival += 1;
  progress.retries = 0;
  progress.crashes = 0;
  if (position == run.plan.transitions.size()) end(decision, run, Ending::kCompleted, std::nullopt, tried.ended);
  return decision;
}

Decision errored(const RunView& run, const Try& tried, const Error& error) {
  Decision decision = unchanged(run);
  decision.events.push_back({.kind = EventKind::kErrored,
                             .at = tried.ended,
                             .transition = run.transition(),
                             .retry = run.progress.retries,
                             .took = duration_of(tried),
                             .error = error});
  return decision;
}

Decision ended_by_error(const RunView& run, const Try& tried, const Error& error, Ending ending) {
  Decision decision = errored(run, tried, error);
  end(decision, run, ending, in_transition(run, error), tried.ended);
  return decision;
}

Decision failed_try(const RunView& run, const Retry& retry, const Try& tried, const Error& error) {
  if (run.progress.retries >= retry.max_retries) return ended_by_error(run, tried, error, Ending::kFailed);
  Decision decision = errored(run, tried, error);
  decision.progress.retries += 1;
  decision.progress.crashes = 0;
  decision.progress.state = BackingOff{later(tried.ended, retry.wait_before(decision.progress.retries, tried.random))};
  return decision;
}

Decision gone_to(const RunView& run, const Try& tried, GoTo<std::string> outcome) {
  const auto& names = run.plan.transitions;
  const auto found = std::ranges::find(names, outcome.transition);
  if (found == names.end() && outcome.transition != run.plan.end) {
    const Error unknown(ErrorKind::kInvalid,
                        fmt::format("go to {}: the run has no such transition", outcome.transition));
    return ended_by_error(run, tried, unknown, Ending::kFailed);
  }
  return completed(run, tried, std::move(outcome.response), static_cast<std::size_t>(found - names.begin()));
}

Decision awaiting(const RunView& run, const Try& tried, Await<std::string> outcome) {
  Decision decision = completed(run, tried, std::move(outcome.response), run.progress.position + 1U);
  if (std::holds_alternative<Running>(decision.progress.state)) decision.progress.state = Awaiting{outcome.run};
  return decision;
}

Decision handed_off(const RunView& run, const Try& tried, std::string response) {
  Decision decision = completed(run, tried, std::move(response), run.progress.position);
  end(decision, run, Ending::kHandedOff, std::nullopt, tried.ended);
  return decision;
}

Decision timed_out(const RunView& run, const Transition& transition, const Try& tried) {
  const auto allowed = transition.policy.timeout.value_or(Duration{0});
  const Error error(ErrorKind::kTimeout, fmt::format("took longer than {}", to_human(allowed)));
  if (transition.policy.on_timeout == OnTimeout::kAbort) return ended_by_error(run, tried, error, Ending::kAborted);
  return failed_try(run, transition.policy.retry, tried, error);
}

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};

}  // namespace

Decision on_outcome(const RunView& run, const Transition& transition, const Try& tried, EncodedOutcome outcome) {
  if (tried.timed_out) return timed_out(run, transition, tried);
  return std::visit(Overloaded{
                        [&](Next<std::string>& o) {
                          return completed(run, tried, std::move(o.response), run.progress.position + 1U);
                        },
                        [&](GoTo<std::string>& o) { return gone_to(run, tried, std::move(o)); },
                        [&](Await<std::string>& o) { return awaiting(run, tried, std::move(o)); },
                        [&](Handoff<std::string>& o) { return handed_off(run, tried, std::move(o.response)); },
                        [&](Errored& o) { return failed_try(run, transition.policy.retry, tried, o.error); },
                        [&](Aborted& o) { return ended_by_error(run, tried, o.error, Ending::kAborted); },
                        [&](Unrecoverable& o) { return ended_by_error(run, tried, o.error, Ending::kFailed); },
                    },
                    outcome);
}

TryStatus status_of(const Try& tried, const EncodedOutcome& outcome) {
  if (tried.timed_out) return TryStatus::kTimeout;
  return std::visit(Overloaded{
                        [](const Next<std::string>&) { return TryStatus::kOk; },
                        [](const GoTo<std::string>&) { return TryStatus::kOk; },
                        [](const Await<std::string>&) { return TryStatus::kOk; },
                        [](const Handoff<std::string>&) { return TryStatus::kHandoff; },
                        [](const Errored&) { return TryStatus::kError; },
                        [](const Aborted&) { return TryStatus::kAbort; },
                        [](const Unrecoverable&) { return TryStatus::kUnrecoverable; },
                    },
                    outcome);
}

Decision on_cancelled(const RunView& run, const std::string& cause, TimePoint now) {
  Decision decision = unchanged(run);
  end(decision, run, Ending::kCancelled, Error(ErrorKind::kCancelled, fmt::format("cancelled: {}", cause)), now);
  return decision;
}

Decision on_unable(const RunView& run, const Error& cause, TimePoint now) {
  Decision decision = unchanged(run);
  end(decision, run, Ending::kFailed, cause, now);
  return decision;
}

Decision on_unknown_transition(const RunView& run, TimePoint now) {
  Decision decision = unchanged(run);
  auto& progress = decision.progress;
  const auto& names = run.plan.transitions;
  if (run.machine.on_unknown_transition == OnUnknownTransition::kFail) {
    Error refused(ErrorKind::kUnsupported,
                  fmt::format("this program's machine {} has no transition {}, which the run was "
                              "started with",
                              run.machine.name, run.transition()));
    refused = std::move(refused).with_hint(
        "run it with the program it was started with, or declare such transitions skipped");
    decision.events.push_back(
        {.kind = EventKind::kRefused, .at = now, .transition = run.transition(), .error = refused});
    end(decision, run, Ending::kFailed, std::move(refused), now);
    return decision;
  }
  while (progress.position < names.size() && run.machine.find(names[progress.position]) == nullptr) {
    decision.events.push_back({.kind = EventKind::kSkipped,
                               .at = now,
                               .transition = names[progress.position],
                               .note = "this program's machine does not have it"});
    progress.position += 1;
    progress.retries = 0;
    progress.crashes = 0;
  }
  progress.state = Running{};
  if (progress.position == names.size()) end(decision, run, Ending::kCompleted, std::nullopt, now);
  return decision;
}

Decision on_interrupted(const RunView& run, std::uint32_t max_crash_resumes, TimePoint now) {
  Decision decision = unchanged(run);
  auto& progress = decision.progress;
  progress.crashes += 1;
  const bool too_often = progress.crashes > max_crash_resumes;
  const auto* finishing = std::get_if<Finishing>(&run.progress.state);
  const std::string where = finishing != nullptr ? "finalizers" : run.transition();
  decision.events.push_back({.kind = EventKind::kInterrupted,
                             .at = now,
                             .transition = finishing != nullptr ? "" : run.transition(),
                             .retry = progress.retries,
                             .note = fmt::format("the process died inside {} ({} in a row)", where, progress.crashes)});
  if (!too_often) return decision;
  const std::string reason = fmt::format("the process died inside {} {} times in a row", where, progress.crashes);
  if (finishing != nullptr) {
    decision.events.push_back(
        {.kind = EventKind::kFinalizerFailed, .at = now, .error = Error(ErrorKind::kParked, reason)});
    finish(decision, finishing->ending, finishing->error, now);
  } else {
    decision.events.push_back({.kind = EventKind::kParked, .at = now, .transition = run.transition(), .note = reason});
    progress.state = Parked{reason};
  }
  return decision;
}

Decision on_unparked(const RunView& run, TimePoint now) {
  Decision decision = unchanged(run);
  decision.progress.crashes = 0;
  decision.progress.state = run.has_queue ? RunState(Queued{}) : RunState(Running{});
  decision.events.push_back({.kind = EventKind::kUnparked, .at = now, .transition = run.transition()});
  return decision;
}

Decision on_finalized(const RunView& run, const std::vector<Error>& errors, TimePoint now) {
  Decision decision = unchanged(run);
  for (const auto& error : errors) {
    decision.events.push_back({.kind = EventKind::kFinalizerFailed, .at = now, .error = error});
  }
  const auto& finishing = std::get<Finishing>(run.progress.state);
  finish(decision, finishing.ending, finishing.error, now);
  return decision;
}

}  // namespace slipway::fsm
