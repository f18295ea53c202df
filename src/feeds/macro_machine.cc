#include "feeds/macro_machine.h"

#include <algorithm>
#include <utility>

#include <fmt/ranges.h>

namespace slipway::feeds {
namespace {

bool is_under_way(ProviderState state) { return state != ProviderState::kIdle && state != ProviderState::kTerminated; }

}  // namespace

MacroMachine::MacroMachine(FeedStore& store, MacroOptions options, MacroRow row)
    : store_(store),
      options_(std::move(options)),
      clock_(options_.clock != nullptr ? *options_.clock : sys::system_clock()),
      broker_(options_.permits),
      events_(options_.event_queue),
      state_("the macro machine", macro_transitions(), row.state),
      row_(row) {}

Result<std::unique_ptr<MacroMachine>> MacroMachine::open(FeedStore& store, std::vector<Registration> providers,
                                                         MacroOptions options) {
  auto row = store.macro();
  if (!row) return fail(std::move(row.error()));
  if (row->state == MacroState::kDraining) {  // of an earlier life, which is over
    if (auto fresh = store.save_macro(MacroState::kBootstrapping); !fresh) return fail(std::move(fresh.error()));
    row->state = MacroState::kBootstrapping;
  }
  std::unique_ptr<MacroMachine> machine(new MacroMachine(store, std::move(options), *row));
  for (auto& registration : providers) {
    if (auto added = machine->add(std::move(registration)); !added) return fail(std::move(added.error()));
  }
  if (auto known = machine->dependencies_.check_known(); !known) return fail(std::move(known.error()));
  machine->order_ = machine->dependencies_.start_order();
  machine->listener_ = std::thread([self = machine.get()] { self->listen(); });
  if (machine->options_.pressure) {
    machine->pressure_thread_ =
        std::jthread([self = machine.get()](const std::stop_token& stop) { self->watch_pressure(stop); });
  }
  return machine;
}

Result<> MacroMachine::add(Registration registration) {
  const std::string id = registration.config.id;
  if (auto good = check_config(registration.config); !good) return good;
  if (auto added = dependencies_.add(id, registration.config.dependencies); !added) return added;
  auto made = ProviderMachine::make(
      std::move(registration.config), std::move(registration.provider),
      {.store = store_, .broker = broker_, .events = events_, .clock = clock_, .log = options_.log});
  if (!made) return fail(std::move(made.error()));
  machines_.emplace(id, std::move(*made));
  return {};
}

MacroMachine::~MacroMachine() { shut_down(); }

// The listener hears what the providers have to say to their end.
void MacroMachine::shut_down() {
  if (pressure_thread_.joinable()) {
    pressure_thread_.request_stop();
    {
      const sys::Lock lock(mutex_);
      wanted_.clear();
      changed_.notify_all();
    }
    pressure_thread_.join();
  }
  {
    const sys::Lock lock(mutex_);
    wanted_.clear();
  }
  for (const auto& [id, machine] : machines_) machine->shut_down();
  events_.close();
  if (listener_.joinable()) listener_.join();
}

Result<> MacroMachine::recover() {
  for (const auto& id : order_) {
    if (auto recovered = machines_.at(id)->recover(); !recovered) return recovered;
  }
  const sys::Lock lock(mutex_);
  follow_providers();
  return {};
}

Result<ProviderMachine*> MacroMachine::find(const std::string& id) const {
  const auto found = machines_.find(id);
  if (found != machines_.end()) return found->second.get();
  return fail(Error(ErrorKind::kNotFound, fmt::format("there is no provider {}", id))
                  .with_hint(fmt::format("the providers are {}", fmt::join(order_, ", "))));
}

Result<> MacroMachine::check_may_start() const {
  if (state_.get() != MacroState::kDraining) return {};
  return fail(ErrorKind::kConflict, "the feeds are {}: nothing is started any more", to_string(state_.get()));
}

MacroMachine::Need MacroMachine::need_of(const std::string& id) const {
  const auto row = machines_.at(id)->row();
  if (row.state == ProviderState::kPaused) return Need::kPaused;
  if (is_under_way(row.state) || wanted_.contains(id)) return Need::kUnderWay;
  if (row.state == ProviderState::kIdle) return row.completed_at ? Need::kComplete : Need::kNotStarted;
  return row.outcome == Outcome::kCompleted ? Need::kComplete : Need::kEnded;
}

Result<> MacroMachine::sync(std::span<const std::string> ids) {
  for (const auto& id : ids) {
    if (auto known = find(id); !known) return fail(std::move(known.error()));
  }
  const sys::Lock lock(mutex_);
  if (auto may = check_may_start(); !may) return may;
  const auto chosen = ids.empty() ? order_ : dependencies_.with_needs(ids);
  for (const auto& id : chosen) {
    const bool asked_for = ids.empty() || std::ranges::count(ids, id) > 0;
    if (!asked_for && need_of(id) == Need::kComplete) continue;
    if (is_under_way(machines_.at(id)->state())) continue;
    blocked_.erase(id);
    wanted_.insert(id);
  }
  start_wanted();
  return {};
}

Result<> MacroMachine::start(const std::string& id) {
  auto machine = find(id);
  if (!machine) return fail(std::move(machine.error()));
  const sys::Lock lock(mutex_);
  if (auto may = check_may_start(); !may) return may;
  for (const auto& need : dependencies_.needs_of(id)) {
    if (need_of(need) == Need::kComplete) continue;
    return fail(Error(ErrorKind::kConflict, fmt::format("provider {} needs {}, which is not complete: it is {}", id,
                                                        need, to_string(machines_.at(need)->state())))
                    .with_hint(fmt::format("slipway feeds sync {} starts both", id)));
  }
  if (auto ready = orchestrate(); !ready) return ready;
  auto started = (*machine)->start();
  if (started) blocked_.erase(id);
  follow_providers();
  return started;
}

Result<> MacroMachine::pause(const std::string& id) {
  auto machine = find(id);
  if (!machine) return fail(std::move(machine.error()));
  return (*machine)->pause();
}

Result<> MacroMachine::resume(const std::string& id) {
  auto machine = find(id);
  if (!machine) return fail(std::move(machine.error()));
  return (*machine)->resume();
}

Result<> MacroMachine::stop(const std::string& id) {
  auto machine = find(id);
  if (!machine) return fail(std::move(machine.error()));
  {
    const sys::Lock lock(mutex_);
    if (wanted_.erase(id) > 0) {
      blocked_[id] = "stopped before it was started";
      start_wanted();
      changed_.notify_all();
      return {};
    }
  }
  return (*machine)->stop();
}

void MacroMachine::start_wanted() {
  for (const auto& id : order_) {
    if (!wanted_.contains(id)) continue;
    std::string blocked;
    bool wait = false;
    for (const auto& need : dependencies_.needs_of(id)) {
      const auto now = need_of(need);
      wait = wait || now == Need::kUnderWay;
      // Nobody knows when somebody resumes it: to wait for that is to wait for ever.
      if (now == Need::kPaused) blocked = fmt::format("it needs {}, which is paused", need);
      if (now == Need::kEnded || now == Need::kNotStarted) {
        const auto row = machines_.at(need)->row();
        blocked = fmt::format("it needs {}, which {}{}", need,
                              row.outcome ? to_string(*row.outcome) : std::string_view("was not started"),
                              row.error ? ": " + row.error->message() : "");
      }
    }
    if (blocked.empty() && wait) continue;
    wanted_.erase(id);
    if (blocked.empty()) {
      auto started = orchestrate();
      if (started) started = machines_.at(id)->start();
      if (!started) blocked = started.error().message();
    }
    if (blocked.empty()) continue;
    options_.log.warn("provider {} is not started: {}", id, blocked);
    blocked_[id] = std::move(blocked);
  }
  follow_providers();
}

void MacroMachine::listen() {
  while (const auto event = events_.take()) {
    hear(*event);
    if (options_.listener) options_.listener(*event);
  }
}

void MacroMachine::hear(const Event& event) {
  const sys::Lock lock(mutex_);
  const bool stands = event.kind == EventKind::kProviderCompleted || event.kind == EventKind::kProviderFailed ||
                      event.kind == EventKind::kProviderPaused;
  if (stands) start_wanted();
  follow_providers();
  changed_.notify_all();
}

// From what the providers are to what the whole is. What cannot be written is tried again with the next event.
void MacroMachine::follow_providers() {
  const bool active = !wanted_.empty() || std::ranges::any_of(machines_, [](const auto& entry) {
    return is_under_way(entry.second->state());
  });
  const auto now = state_.get();
  if (now == MacroState::kDraining) return;
  Result<> moved;
  if (active) moved = orchestrate();
  if (!active && now == MacroState::kOrchestrating) moved = move(MacroState::kStabilizing);
  if (!moved) options_.log.error("{}", moved.error().describe());
}

Result<> MacroMachine::orchestrate() {
  return state_.get() == MacroState::kOrchestrating ? Result<>() : move(MacroState::kOrchestrating);
}

Result<> MacroMachine::move(MacroState to) {
  auto moved = state_.move(to, [&](MacroState next) { return store_.save_macro(next); });
  if (!moved) return moved;
  row_.state = to;
  row_.updated_at = clock_.now();
  return {};
}

bool MacroMachine::at_rest() const {
  return wanted_.empty() && std::ranges::none_of(machines_, [](const auto& entry) {
           const auto state = entry.second->state();
           return is_under_way(state) && state != ProviderState::kPaused;
         });
}

Result<> MacroMachine::await_rest(const std::stop_token& stop) {
  const std::stop_callback told(stop, [this] {
    const sys::Lock lock(mutex_);
    changed_.notify_all();
  });
  const sys::Lock lock(mutex_);
  while (!at_rest()) {
    if (stop.stop_requested()) return fail(ErrorKind::kCancelled, "told to stop while providers are at work");
    sys::Borrowed held(mutex_);
    changed_.wait(held.lock());
  }
  return {};
}

void MacroMachine::watch_pressure(const std::stop_token& stop) {
  int withheld = 0;
  while (!stop.stop_requested()) {
    if (const auto sample = options_.pressure()) {
      const int slots = broker_.status().slots;
      const int wanted = withheld_after(*sample, options_.pressure_limits, slots, withheld);
      if (wanted != withheld) {
        options_.log.info("{} of {} permits are withheld: pressure cpu {:.0f}, io {:.0f}, memory {:.0f}", wanted, slots,
                          sample->cpu, sample->io, sample->memory);
        broker_.withhold(wanted);
        withheld = wanted;
      }
    }
    const sys::Lock lock(mutex_);
    const TimePoint due = later(clock_.now(), options_.pressure_every);
    while (!stop.stop_requested() && clock_.now() < due) {
      sys::Borrowed held(mutex_);
      clock_.wait_until(held.lock(), changed_, due);
    }
  }
}

std::vector<ProviderStats> MacroMachine::providers() const {
  const auto permits = broker_.status();
  const sys::Lock lock(mutex_);
  std::vector<ProviderStats> all;
  for (const auto& id : order_) {
    ProviderStats stats{.row = machines_.at(id)->row(), .wanted = wanted_.contains(id)};
    for (const auto& holder : permits.holders) {
      if (holder.id == id) stats.permits = holder.held;
    }
    if (const auto why = blocked_.find(id); why != blocked_.end()) stats.blocked = why->second;
    all.push_back(std::move(stats));
  }
  return all;
}

MacroStats MacroMachine::stats() const {
  MacroStats stats{.providers = machines_.size(), .queued_events = events_.length(), .permits = broker_.status()};
  for (const auto& [id, machine] : machines_) ++stats.by_state[machine->state()];
  const sys::Lock lock(mutex_);
  stats.row = row_;
  return stats;
}

Result<> MacroMachine::drain() {
  {
    const sys::Lock lock(mutex_);
    if (auto moved = move(MacroState::kDraining); !moved) return moved;
    wanted_.clear();
  }
  shut_down();
  return {};
}

}  // namespace slipway::feeds
