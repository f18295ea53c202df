#include "service/perform.h"

#include <optional>
#include <utility>

#include "service/owner_server.h"
#include "service/seek_owner.h"

namespace slipway::service {
namespace {

constexpr std::size_t kEventBuffer = 4096;

// Why the owner does not serve us now, if that is what the answer says.
const Error* busy(const Answer& answer) {
  const auto* error = std::get_if<Error>(&answer);
  return error != nullptr && error->kind() == ErrorKind::kUnavailable ? error : nullptr;
}

// What cannot be said is an error.
Result<> say(OwnerConnection& owner, const Request& request) {
  auto line = encode(request);
  if (!line) return fail(std::move(line.error()));
  owner.say(*line, /*answered_at_once=*/!std::holds_alternative<Follow>(request));
  return {};
}

// Nothing when the owner is gone.
std::optional<Result<Answer>> hear(OwnerConnection& owner) {
  auto line = owner.hear();
  if (!line) return std::nullopt;
  if (!*line) return Result<Answer>(fail(std::move(line->error())));
  auto answer = decode_answer(**line);
  if (answer && busy(*answer) == nullptr) owner.note_served();
  return answer;
}

// One task, through however many owners it takes.
class Performance {
 public:
  Performance(const Task& task, const Settings& settings, const Watching& watching, const std::stop_token& stop)
      : task_(task), settings_(settings), watching_(watching), stop_(stop) {
    if (auto* work = std::get_if<Work>(&task_)) work->settings = settings;
  }

  Result<fsm::RunResult> here(fsm::Manager& manager) {
    auto events = manager.subscribe(kEventBuffer);
    if (!run_) {
      auto begun = begin(manager);
      if (!begun) return fail(std::move(begun.error()));
      note(*begun);
    }
    return follow(manager, events, *run_, watching_.on_event, stop_);
  }

  FromOwner<fsm::RunResult> there(OwnerConnection& owner) {
    const std::stop_callback told(stop_, [&] { owner.shut(); });
    const auto said =
        run_ ? say(owner, Follow{*run_}) : std::visit([&](const auto& request) { return say(owner, request); }, task_);
    if (!said) return Result<fsm::RunResult>(fail(said.error()));
    for (;;) {
      auto answer = hear(owner);
      if (!answer) return lost();
      if (!*answer) return Result<fsm::RunResult>(fail(std::move(answer->error())));
      if (const Error* why = busy(**answer)) return OwnerBusy{*why};
      if (std::holds_alternative<Done>(**answer)) {  // to an unpark
        const auto* parked = std::get_if<Unpark>(&task_);
        if (parked == nullptr)
          return Result<fsm::RunResult>(fail(ErrorKind::kCorrupt, "the owner answered out of turn"));
        note({.version = parked->run});
        (void)say(owner, Follow{*run_});
      }
      if (const auto* started = std::get_if<fsm::Started>(&**answer)) note(*started);
      if (const auto* event = std::get_if<fsm::RunEvent>(&**answer)) tell(*event);
      if (auto* result = std::get_if<fsm::RunResult>(&**answer)) return Result<fsm::RunResult>(std::move(*result));
      if (auto* error = std::get_if<Error>(&**answer)) return Result<fsm::RunResult>(fail(std::move(*error)));
    }
  }

 private:
  Result<fsm::Started> begin(fsm::Manager& manager) const {
    if (const auto* parked = std::get_if<Unpark>(&task_)) {
      if (auto taken_up = manager.unpark(parked->run); !taken_up) return fail(std::move(taken_up.error()));
      return fsm::Started{.version = parked->run};
    }
    const Work& work = std::get<Work>(task_);
    for (;;) {
      auto started = start_work(manager, work, settings_);
      if (started || started.error().kind() != ErrorKind::kConflict) return started;
      if (!finish_other(manager, work)) return started;
    }
  }
  // What an interrupted command has left is nobody's but ours now: it comes to its end, whatever that is. False: it
  // does not, or it is not there.
  bool finish_other(fsm::Manager& manager, const Work& work) const {
    fsm::RunFilter filter;
    filter.machine = work.machine;
    filter.id = work.id;
    filter.phase = fsm::RunFilter::Phase::kActive;
    const auto others = manager.runs(filter);
    if (!others || others->empty()) return false;
    auto events = manager.subscribe(kEventBuffer);
    return follow(manager, events, others->front().spec.version, watching_.on_event, stop_).has_value();
  }
  FromOwner<fsm::RunResult> lost() const {
    if (!stop_.stop_requested()) return OwnerLost{};
    return Result<fsm::RunResult>(fail(ErrorKind::kCancelled, "the run is no longer followed; its owner goes on"));
  }
  void note(const fsm::Started& started) {
    run_ = started.version;
    if (watching_.on_started) watching_.on_started(started);
  }
  void tell(const fsm::RunEvent& event) const {
    if (watching_.on_event) watching_.on_event(event);
  }

  Task task_;
  const Settings& settings_;
  const Watching& watching_;
  const std::stop_token& stop_;
  std::optional<fsm::RunVersion> run_;
};

OwnerSearch search_of(const Runs& runs) {
  return {.what = "runs",
          .socket = runs.socket,
          .on_owner = runs.on_owner,
          .log = runs.log,
          .patience = runs.patience,
          .silence = runs.silence};
}

// While work is done here, others can hand over theirs.
template <class T, class Here>
Result<T> served(const Runs& runs, fsm::Manager& manager, Here here) {
  auto server = OwnerServer::open(manager, runs.socket, {.settings = runs.settings, .log = runs.log});
  if (!server) runs.log.warn("other commands cannot hand their work over: {}", server.error().message());
  return here(manager);
}

template <class T, class Here, class There>
Result<T> with_runs(const Runs& runs, const std::stop_token& stop, Here here, There there) {
  return with_owner<T>(
      search_of(runs), stop, runs.open, [&](fsm::Manager& manager) { return served<T>(runs, manager, here); }, there);
}

Result<> cancel_here(fsm::Manager& manager, const Cancel& what, const std::stop_token& stop) {
  auto events = manager.subscribe(kEventBuffer);
  if (auto asked = manager.cancel(what.run, what.cause); !asked) return asked;
  auto ended = follow(manager, events, what.run, {}, stop);
  if (!ended) return fail(std::move(ended.error()));
  return {};
}

FromOwner<void> cancel_there(OwnerConnection& owner, const Cancel& what, const std::stop_token& stop) {
  const std::stop_callback told(stop, [&] { owner.shut(); });
  if (auto said = say(owner, what); !said) return said;
  auto answer = hear(owner);
  if (!answer && stop.stop_requested()) {
    return Result<>(
        fail(Error(ErrorKind::kCancelled, "told to stop before the owner of the runs said that it is cancelled")
                 .with_hint(fmt::format("`slipway runs show {}` tells whether it is", what.run))));
  }
  if (!answer) return OwnerLost{};
  if (!*answer) return Result<>(fail(std::move(answer->error())));
  if (const Error* why = busy(**answer)) return OwnerBusy{*why};
  if (auto* error = std::get_if<Error>(&**answer)) return Result<>(fail(std::move(*error)));
  return Result<>();
}

}  // namespace

Result<fsm::RunResult> perform(const Runs& runs, const Task& task, const Watching& watching, std::stop_token stop) {
  Performance performance(task, runs.settings, watching, stop);
  return with_runs<fsm::RunResult>(
      runs, stop, [&](fsm::Manager& manager) { return performance.here(manager); },
      [&](OwnerConnection& owner) { return performance.there(owner); });
}

Result<> cancel(const Runs& runs, const Cancel& what, std::stop_token stop) {
  return with_runs<void>(
      runs, stop, [&](fsm::Manager& manager) { return cancel_here(manager, what, stop); },
      [&](OwnerConnection& owner) { return cancel_there(owner, what, stop); });
}

}  // namespace slipway::service
