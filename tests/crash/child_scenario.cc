// Runs a scenario, leaving a trace. May be killed at any instant and started again.
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "child.h"
#include "fsm/machine.h"
#include "fsm/manager.h"
#include "fsm/sqlite_run_store.h"
#include "layout.h"
#include "scenario.h"
#include "trace.h"

namespace slipway::crash {
namespace {

using namespace std::chrono_literals;
using Text = fsm::Context<std::string, std::string>;
using TextOutcome = fsm::Outcome<std::string>;

class Player {
 public:
  explicit Player(const ChildOrder& order)
      : order_(order), scenario_(make_scenario(order.seed)), trace_(trace_path(order.folder)) {}

  Result<> play() {
    if (auto open = open_manager(); !open) return open;
    for (const auto& machine : scenario_.machines) {
      if (auto added = add(machine); !added) return added;
    }
    if (auto resumed = manager_->resume(); !resumed) return fail(std::move(resumed.error()));
    tell(order_, kReady);
    if (auto started = start_wanted(); !started) return started;
    if (auto ended = await_all(); !ended) return ended;
    manager_->shutdown(10s);
    return {};
  }

 private:
  Result<> open_manager() {
    auto store = fsm::SqliteRunStore::open(store_path(order_.folder),
                                           {.slots = 64, .wal_autocheckpoint_pages = scenario_.checkpoint_pages});
    if (!store) return fail(std::move(store.error()));
    // Nothing is ever parked: here every run dies often, by no fault of its own.
    auto manager = fsm::Manager::open(std::move(*store),
                                      {.queues = scenario_.queues, .max_threads = 16, .max_crash_resumes = 1'000'000});
    if (!manager) return fail(std::move(manager.error()));
    manager_ = std::move(*manager);
    return {};
  }

  Result<> add(const MachineShape& shape) {
    const auto handler = [this](const Text& run) { return handle(run); };
    auto open = fsm::machine<std::string, std::string>(shape.name)
                    .start(shape.transitions[0].name, handler, shape.transitions[0].policy);
    for (std::size_t i = 1; i < shape.transitions.size(); ++i) {
      std::ignore = std::move(open).to(shape.transitions[i].name, handler, shape.transitions[i].policy);
    }
    auto builder = std::move(open).end(kEndState);
    if (shape.takes_over) {
      for (const auto& before : scenario_.machines) {
        std::ignore = std::move(builder).follows(
            fsm::Machine<std::string, std::string>(*manager_, before.name),
            [](const std::string& handed_on, const std::string& given) { return taken_over(given, handed_on); });
      }
    }
    if (shape.has_initializer) {
      std::ignore = std::move(builder).initializer([this](const Text& run) -> Result<> {
        trace_.write({.kind = Record::Kind::kInit, .version = run.version()});
        return {};
      });
    }
    if (shape.has_finalizer) {
      std::ignore = std::move(builder).finalizer([this](const Text& run, const fsm::Finishing& end) -> Result<> {
        trace_.write(
            {.kind = Record::Kind::kFinal, .version = run.version(), .ending = std::string(to_string(end.ending))});
        return {};
      });
    }
    auto added = std::move(builder).add_to(*manager_);
    if (!added) return fail(std::move(added.error()));
    return {};
  }

  TextOutcome handle(const Text& run) {
    const auto index = scenario_.find_run(run.id());
    const RunShape& shape = scenario_.runs.at(index.value());
    Record record{.kind = Record::Kind::kBegin,
                  .version = run.version(),
                  .transition = std::string(run.transition()),
                  .arrival = run.transition_version().arrival,
                  .retry = run.retry(),
                  .resumed = run.resumed(),
                  .at = manager_->clock().now(),
                  .request = digest_of(run.request()),
                  .response = digest_of(run.response())};
    trace_.write(record);
    const auto planned = shape.find_try(record.arrival, record.retry);
    if (!planned) return fsm::unrecoverable(Error(ErrorKind::kInternal, "not in the scenario"));
    const Try& a_try = shape.tries[*planned];
    if (a_try.work > Duration{0}) std::this_thread::sleep_for(a_try.work);
    while (a_try.act == Act::kHang && !run.stop().stop_requested()) std::this_thread::sleep_for(200us);
    record.kind = Record::Kind::kEnd;
    trace_.write(record);
    return outcome_of(run, shape, a_try);
  }

  TextOutcome outcome_of(const Text& run, const RunShape& shape, const Try& a_try) {
    const Error planned(ErrorKind::kUnavailable, "as planned");
    const auto response = [&] {
      return response_after(run.request(), run.response(), run.transition(), a_try.arrival,
                            scenario_.machine_of(shape).padding);
    };
    const auto& names = scenario_.machine_of(shape).transitions;
    switch (a_try.act) {
      case Act::kNext: return fsm::next(response());
      case Act::kGoTo:
        return fsm::go_to(a_try.target < names.size() ? names[a_try.target].name : std::string(kEndState), response());
      case Act::kHandoff: return fsm::handoff(response());
      case Act::kThrow: throw std::runtime_error("as planned");
      case Act::kAbort: return fsm::abort(planned);
      case Act::kUnrecoverable: return fsm::unrecoverable(planned);
      case Act::kError:
      case Act::kHang: break;
    }
    return fsm::error(planned);
  }

  // A run that an earlier life has started is found by its id, whether that life came to acknowledge it or not.
  Result<> start_wanted() {
    versions_.resize(scenario_.runs.size());
    for (std::size_t first = 0; first < scenario_.runs.size();) {
      std::vector<std::size_t> batch;
      const std::size_t number = scenario_.runs[first].batch;
      for (; first < scenario_.runs.size() && scenario_.runs[first].batch == number; ++first) {
        auto found = manager_->runs({.id = scenario_.runs[first].id});
        if (!found) return fail(std::move(found.error()));
        if (found->empty()) {
          batch.push_back(first);
        } else if (auto noted = acknowledge(first, found->front().spec.version); !noted) {
          return noted;
        }
      }
      if (auto started = start(batch); !started) return started;
    }
    return {};
  }

  Result<> start(const std::vector<std::size_t>& batch) {
    if (batch.empty()) return {};
    std::vector<fsm::StartRequest> requests;
    for (const auto index : batch) {
      const RunShape& run = scenario_.runs[index];
      fsm::StartOptions options{.queue = run.queue, .priority = run.priority};
      if (run.delay) options.not_before = manager_->clock().now() + *run.delay;
      if (run.after) options.after = versions_[*run.after];
      options.after_any_ending = run.after_any_ending;
      if (run.parent) options.parent = versions_[*run.parent];
      requests.push_back({run.id, given_request(run), std::move(options)});
    }
    const auto& machine = scenario_.machine_of(scenario_.runs[batch.front()]).name;
    const auto started = manager_->start_all(machine, std::move(requests));
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (!started[i]) return fail(started[i].error());
      if (auto noted = acknowledge(batch[i], started[i]->version); !noted) return noted;
    }
    return {};
  }

  Result<> acknowledge(std::size_t index, fsm::RunVersion version) {
    versions_[index] = version;
    trace_.write({.kind = Record::Kind::kAck, .version = version, .run = index});
    if (!scenario_.runs[index].cancel) return {};
    const auto cancelled = manager_->cancel(version, "as planned");
    if (cancelled) trace_.write({.kind = Record::Kind::kCancelAck, .version = version});
    if (cancelled || cancelled.error().kind() == ErrorKind::kConflict) return {};  // it had ended already
    return cancelled;
  }

  Result<> await_all() {
    for (const auto version : versions_) {
      if (auto result = manager_->wait(version); !result) return fail(std::move(result.error()));
    }
    return {};
  }

  const ChildOrder& order_;
  const Scenario scenario_;
  const TraceWriter trace_;
  std::unique_ptr<fsm::Manager> manager_;
  std::vector<fsm::RunVersion> versions_;
};

}  // namespace

Result<> run_scenario(const ChildOrder& order) { return Player(order).play(); }

}  // namespace slipway::crash
