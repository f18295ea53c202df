// The macro machine: it has the providers, starts them in the order of their needs, and hears what they do.
//
// What is wanted (sync, start) is started once all that it needs is complete. A need that ended failed or stopped
// blocks it: then it stays as it is, and its block says why.
//
// shut_down() (and the end of this object) leaves what is under way as it is on disk; recover() in the next process
// goes on. Thread-safe.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "feeds/dependencies.h"
#include "feeds/event_queue.h"
#include "feeds/feed_store.h"
#include "feeds/macro_state.h"
#include "feeds/permit_broker.h"
#include "feeds/pressure.h"
#include "feeds/provider.h"
#include "feeds/provider_machine.h"
#include "states/persisted_state.h"
#include "sys/clock.h"
#include "sys/mutex.h"

namespace slipway::feeds {

struct MacroOptions {
  int permits = 10;
  PressureLimits pressure_limits{};
  // Asked every so often; an error: no pressure is known, and nothing changes. Empty: never asked.
  std::function<Result<Pressure>()> pressure{};
  Duration pressure_every = std::chrono::seconds(5);
  std::size_t event_queue = 1'000;
  // Each event in order, on the macro machine's thread; a slow one holds the providers back.
  std::function<void(const Event&)> listener{};
  sys::Clock* clock = nullptr;  // null: the system's
  Logger log{};
};

struct ProviderStats {
  ProviderRow row{};
  int permits = 0;        // held
  bool wanted = false;    // to be started, once what it needs is complete
  std::string blocked{};  // why it cannot start
};

struct MacroStats {
  MacroRow row{};
  std::size_t providers = 0;
  std::size_t queued_events = 0;
  std::map<ProviderState, std::size_t> by_state{};
  PermitBroker::Status permits{};
};

struct Registration {
  ProviderConfig config{};
  std::unique_ptr<Provider> provider{};
};

class MacroMachine {
 public:
  // kInvalid: a configuration, or a cycle. kNotFound: somebody needs a provider that is not there.
  [[nodiscard]] static Result<std::unique_ptr<MacroMachine>> open(FeedStore& store, std::vector<Registration> providers,
                                                                  MacroOptions options);
  ~MacroMachine();
  MacroMachine(const MacroMachine&) = delete;
  MacroMachine& operator=(const MacroMachine&) = delete;

  // Goes on with what an earlier process has left. Once, before any command.
  [[nodiscard]] Result<> recover();

  // These, and what they need and what has never been complete. None: all.
  [[nodiscard]] Result<> sync(std::span<const std::string> ids);
  // Alone. kConflict: something that it needs is not complete.
  [[nodiscard]] Result<> start(const std::string& id);
  [[nodiscard]] Result<> pause(const std::string& id);
  [[nodiscard]] Result<> resume(const std::string& id);
  [[nodiscard]] Result<> stop(const std::string& id);

  // Until nothing is under way or waits for something that is; paused ones are not waited for. kCancelled by the stop.
  [[nodiscard]] Result<> await_rest(const std::stop_token& stop);

  [[nodiscard]] std::vector<ProviderStats> providers() const;  // in the order of their start
  [[nodiscard]] MacroStats stats() const;
  [[nodiscard]] PermitBroker& broker() { return broker_; }

  // The end, for good: nothing is started any more.
  [[nodiscard]] Result<> drain();
  void shut_down();

 private:
  MacroMachine(FeedStore& store, MacroOptions options, MacroRow row);

  [[nodiscard]] Result<> add(Registration registration);
  [[nodiscard]] Result<ProviderMachine*> find(const std::string& id) const;
  void listen();
  void hear(const Event& event) SLIPWAY_EXCLUDES(mutex_);
  void watch_pressure(const std::stop_token& stop);
  // Of what is wanted, starts what can be, and blocks what cannot be any more.
  void start_wanted() SLIPWAY_REQUIRES(mutex_);
  [[nodiscard]] Result<> check_may_start() const SLIPWAY_REQUIRES(mutex_);
  void follow_providers() SLIPWAY_REQUIRES(mutex_);
  // Before a provider starts. Where that cannot be written, none does.
  [[nodiscard]] Result<> orchestrate() SLIPWAY_REQUIRES(mutex_);
  [[nodiscard]] Result<> move(MacroState to) SLIPWAY_REQUIRES(mutex_);
  [[nodiscard]] bool at_rest() const SLIPWAY_REQUIRES(mutex_);

  // What a need is to who needs it.
  enum class Need : std::uint8_t { kComplete, kUnderWay, kPaused, kEnded, kNotStarted };
  [[nodiscard]] Need need_of(const std::string& id) const SLIPWAY_REQUIRES(mutex_);

  FeedStore& store_;
  const MacroOptions options_;
  sys::Clock& clock_;
  PermitBroker broker_;
  EventQueue events_;
  Dependencies dependencies_;
  std::vector<std::string> order_;

  mutable sys::Mutex mutex_;
  std::condition_variable changed_;
  states::PersistedState<MacroState> state_ SLIPWAY_GUARDED_BY(mutex_);
  MacroRow row_ SLIPWAY_GUARDED_BY(mutex_);
  std::set<std::string> wanted_ SLIPWAY_GUARDED_BY(mutex_);                // to be started
  std::map<std::string, std::string> blocked_ SLIPWAY_GUARDED_BY(mutex_);  // and why
  std::map<std::string, std::unique_ptr<ProviderMachine>> machines_;       // none is added later
  std::jthread pressure_thread_;
  std::thread listener_;
};

}  // namespace slipway::feeds
