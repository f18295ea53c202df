#include "fsm/manager.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "fsm/runtime.h"

namespace slipway::fsm {
namespace {

Result<> check(const ManagerOptions& options) {
  std::set<std::string_view> names;
  std::size_t wanted = 0;
  for (const auto& queue : options.queues) {
    if (auto good = check_name("queue", queue.name); !good) return good;
    if (!names.insert(queue.name).second) return fail(ErrorKind::kInvalid, "two queues are named {}", queue.name);
    if (queue.limit == 0)
      return fail(ErrorKind::kInvalid, "queue {} has a limit of 0: nothing would ever run", queue.name);
    wanted += queue.limit;
  }
  if (options.retention_interval <= Duration{0}) {
    return fail(ErrorKind::kInvalid, "retention_interval is {}: it must be longer than nothing",
                to_human(options.retention_interval));
  }
  if (wanted > options.max_threads || options.max_threads == 0) {
    return fail(ErrorKind::kInvalid, "the queues' limits add up to {}, but max_threads is {}", wanted,
                options.max_threads);
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Manager>> Manager::open(std::unique_ptr<RunStore> store, ManagerOptions options) {
  if (auto good = check(options); !good) return good.error().during("open manager");
  if (options.max_threads > store->in_flight().slots()) {
    return fail(ErrorKind::kInvalid, "open manager: max_threads is {}, but the store marks only {} at once",
                options.max_threads, store->in_flight().slots());
  }
  return std::unique_ptr<Manager>(new Manager(std::make_shared<Runtime>(std::move(store), std::move(options))));
}

Manager::Manager(std::shared_ptr<Runtime> runtime) : runtime_(std::move(runtime)) {}
Manager::~Manager() { runtime_->shutdown(Duration{0}); }

Result<> Manager::add(Definition definition) { return runtime_->add(std::move(definition)); }
Result<ResumeReport> Manager::resume() { return runtime_->resume(); }

Result<Started> Manager::start(const std::string& machine, StartRequest run) {
  std::vector<StartRequest> one;
  one.push_back(std::move(run));
  return std::move(runtime_->start_all(machine, std::move(one)).front());
}

std::vector<Result<Started>> Manager::start_all(const std::string& machine, std::vector<StartRequest> runs) {
  return runtime_->start_all(machine, std::move(runs));
}

Result<RunResult> Manager::wait(RunVersion version, std::optional<TimePoint> deadline) {
  return runtime_->wait(version, deadline);
}

Result<RunResult> Manager::wait_latest(const std::string& machine, const std::string& id,
                                       std::optional<TimePoint> deadline) {
  const auto store = runtime_->store();
  if (!store) return fail(ErrorKind::kUnavailable, "the manager is shut down");
  const auto version = store->latest(machine, id);
  if (!version) return version.error().during("wait for {} {:?}", machine, id);
  if (!*version) return fail(ErrorKind::kNotFound, "machine {} has no run of id {:?}", machine, id);
  return wait(**version, deadline);
}

Result<> Manager::cancel(RunVersion version, std::string cause) { return runtime_->cancel(version, std::move(cause)); }
Result<> Manager::unpark(RunVersion version) { return runtime_->unpark(version); }
std::vector<MachineInfo> Manager::machines() const { return runtime_->machines(); }
std::vector<QueueInfo> Manager::queues() const { return runtime_->queues(); }
Subscription Manager::subscribe(std::size_t buffer) { return runtime_->subscribe(buffer); }
MetricsSnapshot Manager::metrics() const { return runtime_->metrics(); }
ShutdownReport Manager::shutdown(Duration patience) { return runtime_->shutdown(patience); }
sys::Clock& Manager::clock() const { return runtime_->clock(); }

Result<RunRecord> Manager::run(RunVersion version) const {
  const auto store = runtime_->store();
  if (!store) return fail(ErrorKind::kUnavailable, "the manager is shut down");
  auto record = store->find(version);
  if (!record) return fail(std::move(record.error()));
  if (!*record) return fail(ErrorKind::kNotFound, "there is no run {}", version);
  return std::move(**record);
}

Result<std::vector<RunRecord>> Manager::runs(const RunFilter& filter) const {
  const auto store = runtime_->store();
  if (!store) return fail(ErrorKind::kUnavailable, "the manager is shut down");
  return store->list(filter);
}

Result<std::vector<RunRecord>> Manager::children(RunVersion parent) const {
  RunFilter filter;
  filter.parent = parent;
  std::vector<RunRecord> all;
  for (;;) {
    auto page = runs(filter);
    if (!page) return page;
    std::ranges::move(*page, std::back_inserter(all));
    if (page->size() < filter.limit) return all;
    filter.older_than = all.back().spec.version;
  }
}

Result<std::vector<RunEvent>> Manager::history(RunVersion version) const {
  const auto store = runtime_->store();
  if (!store) return fail(ErrorKind::kUnavailable, "the manager is shut down");
  return store->history(version);
}

}  // namespace slipway::fsm
