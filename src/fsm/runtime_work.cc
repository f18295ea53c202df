// Running handlers.
#include <algorithm>
#include <exception>
#include <utility>

#include "fsm/runtime.h"

namespace slipway::fsm {
namespace {

constexpr std::size_t kKeepIdle = 16;  // threads that a burst has left over and that stay for the next one
constexpr Duration kRecheckWait = std::chrono::seconds(1);

// How a context reaches the runtime during one call.
class CallLink final : public AttemptLink {
 public:
  CallLink(const LiveRun& run, std::string_view transition, const StopSwitch& stop, EventHub& hub, sys::Clock& clock,
           const Logger& log)
      : run_(run), transition_(transition), stop_(stop), hub_(hub), clock_(clock), log_(log) {}

  [[nodiscard]] StopCause stop_cause() const override { return stop_.cause.load(); }

  [[nodiscard]] Logger logger() const override {
    return log_.with("machine", run_.spec.machine)
        .with("id", run_.spec.id)
        .with("run", run_.spec.version.to_string())
        .with("transition", TransitionVersion{run_.spec.version, run_.progress.arrival}.to_string())
        .with("state", std::string(transition_))
        .with("retry", std::to_string(run_.progress.retries));
  }

  void progress(const ProgressNote& note) override {
    if (note.total == 0) {
      tell(EventKind::kProgress, fmt::format("{} {}", note.done, note.unit));
    } else {
      tell(EventKind::kProgress, fmt::format("{}/{} {}", note.done, note.total, note.unit));
    }
  }

  void tell(EventKind kind, std::string text) {
    if (!hub_.has_readers()) return;
    hub_.publish({run_.spec.version,
                  run_.spec.machine,
                  run_.spec.id,
                  /*seq=*/0,
                  {.kind = kind,
                   .at = clock_.now(),
                   .transition = std::string(transition_),
                   .retry = run_.progress.retries,
                   .note = std::move(text)}});
  }

 private:
  const LiveRun& run_;
  std::string_view transition_;
  const StopSwitch& stop_;
  EventHub& hub_;
  sys::Clock& clock_;
  const Logger& log_;
};

Error exception_error(const std::exception* e) {
  return {ErrorKind::kInternal, fmt::format("exception: {}", e == nullptr ? "of unknown type" : e->what())};
}

// A handler inside its interceptors, the manager's around the machine's.
struct InterceptedCall {
  const std::vector<Interceptor>& outer;
  const std::vector<Interceptor>& inner;
  const Handler& handler;
  const RunContext& context;
  const Payload& payload;

  // NOLINTNEXTLINE(misc-no-recursion): as deep as there are interceptors
  [[nodiscard]] EncodedOutcome from(std::size_t layer) const {
    if (layer == outer.size() + inner.size()) return handler(context, payload);
    const auto& wrap = layer < outer.size() ? outer[layer] : inner[layer - outer.size()];
    return wrap(context, [this, layer] { return from(layer + 1); });
  }
};

// Calls what a program gave us. Nothing it throws gets further than here.
template <class Call>
auto guarded(Call&& call, auto&& on_exception) -> decltype(call()) {
  try {
    return call();
  } catch (const std::exception& e) {
    return on_exception(exception_error(&e));
  } catch (...) {
    return on_exception(exception_error(nullptr));
  }
}

const Error* error_in(const EncodedOutcome& outcome) {
  if (const auto* errored = std::get_if<Errored>(&outcome)) return &errored->error;
  if (const auto* aborted = std::get_if<Aborted>(&outcome)) return &aborted->error;
  if (const auto* unrecoverable = std::get_if<Unrecoverable>(&outcome)) return &unrecoverable->error;
  return nullptr;
}

// Whether a handler that was told to stop did so, rather than come to an end of its own.
bool gave_way(const EncodedOutcome& outcome) {
  const Error* error = error_in(outcome);
  return error != nullptr && (std::holds_alternative<Errored>(outcome) || error->kind() == ErrorKind::kCancelled);
}

const std::string* response_in(const EncodedOutcome& outcome) {
  return std::visit(
      [](const auto& alternative) -> const std::string* {
        if constexpr (requires { alternative.response; }) {
          return &alternative.response;
        } else {
          return nullptr;
        }
      },
      outcome);
}

}  // namespace

void Runtime::work(std::size_t slot) {
  const sys::Lock lock(mutex_);
  while (life_ != Life::kClosed) {
    if (wants_leader() || (ready_.empty() && wants_removal())) {
      lead(Leader::kWorker);
    } else if (life_ == Life::kRunning && !ready_.empty()) {
      LiveRun& run = *ready_.front();
      ready_.pop_front();
      step(run, slot);
    } else if (idle_ >= kKeepIdle) {
      break;
    } else {
      ++idle_;
      sys::Borrowed borrowed(mutex_);
      while (wakeups_ == 0 && life_ != Life::kClosed) work_.wait(borrowed.lock());
      // Whoever gave the wake-up has taken this thread off the idle ones.
      if (wakeups_ > 0) {
        --wakeups_;
      } else {
        --idle_;
      }
    }
  }
  --threads_;
  free_slots_.push_back(slot);
  quiet_.notify_all();
}

// Works on a ready run, and queues what came of it for writing.
void Runtime::step(LiveRun& run, std::size_t slot) {
  ++taken_;
  if (auto decision = decide_at_once(run)) return submit(run, std::move(*decision));

  ++busy_;
  run.phase = LiveRun::Phase::kInside;
  run.stop = std::make_shared<StopSwitch>();
  const auto stop = run.stop;
  inside_[slot] = &run;
  ++inside_count_;
  store_->in_flight().enter(slot, run.spec.version);
  if (!run.ending()) {
    const auto* transition = run.machine->definition.find(run.view().transition());
    if (transition->policy.timeout)
      wait_until(run, later(clock_.now(), *transition->policy.timeout), TimerKind::kTimeout);
    run.phase = LiveRun::Phase::kInside;
  }
  Worked worked = [&]() SLIPWAY_REQUIRES(mutex_) {
    auto store = store_;
    const sys::Unlock unlocked(mutex_);
    return perform(run, *stop, std::move(store));
  }();
  --busy_;
  if (life_ == Life::kClosed) return;  // abandoned by shutdown: what the program lent us, the clock too, may be gone
  inside_[slot] = nullptr;
  --inside_count_;
  store_->in_flight().leave(slot);
  if (run.timer) timers_.cancel(*std::exchange(run.timer, std::nullopt));
  run.stop.reset();
  conclude(run, std::move(worked), stop->cause.load());
  if (life_ == Life::kStopping) quiet_.notify_all();
}

std::optional<Decision> Runtime::decide_at_once(LiveRun& run) {
  if (run.ending()) return std::nullopt;
  const TimePoint now = clock_.now();
  if (run.cancel_cause) return on_cancelled(run.view(), *run.cancel_cause, now);
  if (run.after_failed) return on_unable(run.view(), *run.after_failed, now);
  if (run.progress.position >= run.spec.plan->transitions.size()) {
    return on_unable(run.view(), Error(ErrorKind::kCorrupt, "its stored position is past its last transition"), now);
  }
  if (run.machine->definition.find(run.view().transition()) == nullptr) return on_unknown_transition(run.view(), now);
  return std::nullopt;
}

Runtime::Worked Runtime::perform(LiveRun& run, const StopSwitch& stop, std::shared_ptr<RunStore> store) {
  if (auto early = hydrate(run, *store)) return std::move(*early);
  store.reset();  // a handler that never returns must not keep the store open
  const Definition& machine = run.machine->definition;
  const auto* finishing = std::get_if<Finishing>(&run.progress.state);
  const std::string_view transition = finishing != nullptr ? std::string_view(machine.end) : run.view().transition();
  CallLink link(run, transition, stop, hub_, clock_, options_.log);
  const RunContext context({.run = &run.spec,
                            .transition = transition,
                            .arrival = run.progress.arrival,
                            .retry = run.progress.retries,
                            .resumed = run.resumed,
                            .stop = stop.source.get_token(),
                            .link = &link});
  const Payload payload{run.request, run.response};

  if (finishing != nullptr) {
    std::vector<Error> errors;
    for (const auto& finalizer : machine.finalizers) {
      const auto done = guarded([&] { return finalizer(context, payload, *finishing); },
                                [](Error error) -> Result<> { return fail(std::move(error)); });
      if (!done) errors.push_back(done.error());
    }
    if (!errors.empty() && stop.cause == StopCause::kShutdown) return PutDown{};
    return Finalized{std::move(errors)};
  }

  link.tell(EventKind::kBegan, {});
  Tried result{.tried = {.began = clock_.now(), .ended = {}}, .outcome = Errored{Error(ErrorKind::kInternal, "")}};
  result.outcome = call(run, *machine.find(transition), context);
  return result;
}

// Brings the payload into memory, where it is not. Gives something when the run cannot go on with it.
std::optional<Runtime::Worked> Runtime::hydrate(LiveRun& run, RunStore& store) {
  if (run.payload_here) return std::nullopt;
  auto record = store.find(run.spec.version);
  if (!record || !*record) {
    options_.log.warn("run {} cannot be read: {}", run.spec.version,
                      record ? "it is not in the store" : record.error().message());
    return Recheck{};
  }
  run.request = std::move((*record)->request);
  run.response = std::move((*record)->response);
  if (run.spec.after) {
    if (auto early = resolve_predecessor(run, store)) return early;
  }
  run.payload_here = true;
  return std::nullopt;
}

// The gate of run-after, and the request made from what the run before handed on. For a run whose own end is decided
// there is no gate: its finalizers see the request as it was given, where it cannot be made.
std::optional<Runtime::Worked> Runtime::resolve_predecessor(LiveRun& run, RunStore& store) {
  const RunVersion after = *run.spec.after;
  const auto refuse = [&](const Error& error) -> std::optional<Worked> {
    if (run.ending()) return std::nullopt;
    return on_unable(run.view(), error.during("run {} before it", after).error(), clock_.now());
  };
  const auto before = store.find(after);
  if (!before) return Recheck{};
  if (!*before) return refuse(Error(ErrorKind::kNotFound, "is not in the store"));
  const auto* end = std::get_if<Finished>(&(*before)->progress.state);
  if (end == nullptr) {  // it runs elsewhere, or its machine is not part of this program
    return run.ending() ? std::nullopt : std::optional<Worked>(Recheck{});
  }
  if (!succeeded(end->ending) && !run.spec.after_any_ending) return refuse(*end->error);
  if (!run.after_settled && !run.ending()) return PassGates{};

  const auto& follows = run.machine->definition.follows;
  const auto builder = follows.find((*before)->spec.machine);
  if (builder == follows.end()) return std::nullopt;
  auto request = guarded([&] { return builder->second((*before)->response, run.request); },
                         [](Error error) -> Result<std::string> { return fail(std::move(error)); });
  if (!request) return refuse(request.error().during("request from its response").error());
  run.request = std::move(*request);
  return std::nullopt;
}

EncodedOutcome Runtime::call(LiveRun& run, const Transition& transition, const RunContext& context) {
  const Definition& machine = run.machine->definition;
  const Payload payload{run.request, run.response};
  const auto on_exception = [](Error error) -> EncodedOutcome { return Errored{std::move(error)}; };
  const auto initialize = [&]() -> Result<> {
    for (const auto& initializer : machine.initializers) {
      if (auto done = initializer(context, payload); !done) return done.error().during("initializer");
    }
    return {};
  };
  const InterceptedCall intercepted{options_.interceptors, machine.interceptors, transition.handler, context, payload};
  return guarded(
      [&]() -> EncodedOutcome {
        if (!run.initialized) {
          if (auto done = initialize(); !done) return Errored{done.error()};
          run.initialized = true;
        }
        return intercepted.from(0);
      },
      on_exception);
}

void Runtime::conclude(LiveRun& run, Worked worked, StopCause cause) {
  if (auto* tried = std::get_if<Tried>(&worked)) {
    tried->tried.ended = clock_.now();
    conclude_try(run, std::move(*tried), cause);
  } else if (const auto* finalized = std::get_if<Finalized>(&worked)) {
    submit(run, on_finalized(run.view(), finalized->errors, clock_.now()));
  } else if (auto* decision = std::get_if<Decision>(&worked)) {
    submit(run, std::move(*decision));
  } else if (std::holds_alternative<Recheck>(worked)) {
    wait_until(run, clock_.now() + kRecheckWait, TimerKind::kRecheck);
  } else if (std::holds_alternative<PassGates>(worked)) {
    run.after_settled = true;
    run.cancel_cause ? make_ready(run) : pass_gates(run);
  } else {
    run.phase = LiveRun::Phase::kWaiting;
  }
}

void Runtime::conclude_try(LiveRun& run, Tried tried, StopCause cause) {
  run.resumed = false;
  tried.tried.timed_out = cause == StopCause::kTimeout;
  tried.tried.random = random();
  if (const auto* response = response_in(tried.outcome);
      response != nullptr && response->size() > options_.max_payload) {
    tried.outcome =
        Unrecoverable{Error(ErrorKind::kInvalid,
                            fmt::format("the response has {} bytes, over the limit of {} (ManagerOptions::max_payload)",
                                        response->size(), options_.max_payload))};
  }
  if (cause == StopCause::kShutdown && gave_way(tried.outcome)) {
    run.phase = LiveRun::Phase::kWaiting;
    return;
  }
  const auto& transitions = run.machine->definition.transitions;
  const auto* transition = run.machine->definition.find(run.view().transition());
  const Duration took = std::max(Duration{0}, tried.tried.ended - tried.tried.began);
  run.machine->metrics.transition_tried(static_cast<std::size_t>(transition - transitions.data()),
                                        status_of(tried.tried, tried.outcome), took);
  if (run.cancel_cause && (gave_way(tried.outcome) || tried.tried.timed_out)) {
    return submit(run, on_cancelled(run.view(), *run.cancel_cause, tried.tried.ended));
  }
  submit(run, on_outcome(run.view(), *transition, tried.tried, std::move(tried.outcome)));
}

double Runtime::random() { return std::uniform_real_distribution<double>(0.0, 1.0)(random_); }

}  // namespace slipway::fsm
