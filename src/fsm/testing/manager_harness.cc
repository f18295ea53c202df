#include "fsm/testing/manager_harness.h"

#include <algorithm>
#include <stdexcept>

namespace slipway::fsm {

Result<ResumeReport> ManagerHarness::try_open(const Setup& setup) {
  auto store = std::make_unique<MemoryRunStore>(data_);
  store_ = store.get();
  auto manager = Manager::open(std::move(store), options_);
  if (!manager) return fail(manager.error());
  manager_ = std::move(*manager);
  events_ = std::make_unique<Subscription>(manager_->subscribe(100'000));
  setup(*manager_);
  return manager_->resume();
}

ResumeReport ManagerHarness::open(const Setup& setup) {
  auto report = try_open(setup);
  if (!report) throw std::runtime_error(report.error().describe());
  return *report;
}

void ManagerHarness::crash() {
  data_ = store_->snapshot();
  close();
}

void ManagerHarness::close() {
  if (manager_) manager_->shutdown(std::chrono::hours(1));
  manager_.reset();
  store_ = nullptr;
}

RunEvent ManagerHarness::await(EventKind kind) {
  while (auto event = events_->next()) {
    if (event->event.kind == kind) return std::move(*event);
  }
  throw std::runtime_error("the manager closed before the event came");
}

std::vector<std::string> ManagerHarness::story(RunVersion version) {
  std::vector<std::string> names;
  const auto history = manager_->history(version);
  if (!history) return {history.error().describe()};
  for (const auto& event : *history) {
    std::string name(to_string(event.event.kind));
    if (!event.event.transition.empty()) name += " " + event.event.transition;
    names.push_back(std::move(name));
  }
  return names;
}

std::string ManagerHarness::ending(RunVersion version) {
  const auto result = manager_->wait(version);
  if (!result) return "error: " + result.error().message();
  std::string text(to_string(result->ending));
  if (result->error) text += ": " + result->error->message();
  return text;
}

void Gate::arrive() {
  ++arrivals_;
  ++inside_;
  most_ = std::max(most_, inside_);
  changed_.notify_all();
}

bool Gate::pass(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  arrive();
  const bool opened = changed_.wait(lock, stop, [&] { return open_; });
  --inside_;
  changed_.notify_all();
  return opened;
}

void Gate::block() {
  std::unique_lock lock(mutex_);
  arrive();
  changed_.wait(lock, [&] { return open_; });
  --inside_;
  changed_.notify_all();
}

void Gate::await_arrivals(int count) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return arrivals_ >= count; });
}

void Gate::open() {
  const std::scoped_lock lock(mutex_);
  open_ = true;
  changed_.notify_all();
}

void Gate::await_all_left() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return inside_ == 0; });
}

int Gate::arrivals() const {
  const std::scoped_lock lock(mutex_);
  return arrivals_;
}

int Gate::most_at_once() const {
  const std::scoped_lock lock(mutex_);
  return most_;
}

}  // namespace slipway::fsm
