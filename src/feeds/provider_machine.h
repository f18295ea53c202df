// The machine of one provider: its state on disk, its thread while it is started, and the commands that move it.
//
// A command that the state does not allow is refused with kConflict. A pause or a stop of one that runs takes effect at
// the end of the item in its hands, so it may return before; any other command has taken effect when it returns.
//
// shut_down() (and the end of this object) is not a stop: the provider ends at its next item, its state stays as it is
// on disk, and recover() in the next process goes on from there, as after a crash.
//
// Thread-safe.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "base/error.h"
#include "base/log.h"
#include "feeds/event_queue.h"
#include "feeds/feed_store.h"
#include "feeds/intake.h"
#include "feeds/permit_broker.h"
#include "feeds/provider.h"
#include "feeds/provider_row.h"
#include "states/persisted_state.h"
#include "sys/clock.h"
#include "sys/mutex.h"

namespace slipway::feeds {

class ProviderMachine {
 public:
  // All must outlive it.
  struct Parts {
    FeedStore& store;
    PermitBroker& broker;
    EventQueue& events;
    sys::Clock& clock;
    Logger log{};
  };

  // Registers it in the store. Starts nothing.
  [[nodiscard]] static Result<std::unique_ptr<ProviderMachine>> make(ProviderConfig config,
                                                                     std::unique_ptr<Provider> provider, Parts parts);
  ~ProviderMachine();
  ProviderMachine(const ProviderMachine&) = delete;
  ProviderMachine& operator=(const ProviderMachine&) = delete;

  // Goes on with what an earlier process has left. Once, before any command.
  [[nodiscard]] Result<> recover();

  [[nodiscard]] Result<> start();   // when idle; when terminated, as a new instance with the checkpoint of the last one
  [[nodiscard]] Result<> pause();   // when acquiring or running
  [[nodiscard]] Result<> resume();  // when paused
  [[nodiscard]] Result<> stop();    // when started and not terminated

  void shut_down();

  [[nodiscard]] const ProviderConfig& config() const { return config_; }
  [[nodiscard]] ProviderRow row() const SLIPWAY_EXCLUDES(mutex_);
  [[nodiscard]] ProviderState state() const SLIPWAY_EXCLUDES(mutex_);

 private:
  enum class Wish : std::uint8_t { kNone, kPause, kStop };

  ProviderMachine(ProviderConfig config, std::unique_ptr<Provider> provider, Parts parts, ProviderRow row);

  // The thread's, by state.
  void work();
  void acquire();
  void run_provider();
  void wait_for_quota();
  void wait_for_backoff();
  void await_news(std::optional<TimePoint> due) SLIPWAY_EXCLUDES(mutex_);

  // After a run of the provider that ended with `result`, or that was not to be begun.
  void conclude(const Intake& intake, const Result<>& result);
  void conclude_pause();
  void conclude_backoff(TimePoint until, const Error& error);
  void terminate(Outcome outcome, std::optional<Error> error, const Intake* intake);
  void fail_or_retry(const Intake& intake, const Error& error);
  [[nodiscard]] bool interrupted();
  [[nodiscard]] Wish wish() const SLIPWAY_EXCLUDES(mutex_);

  // `change` completes the row that is then saved; by `save` when that is given.
  using Change = std::function<void(ProviderRow&)>;
  using Save = std::function<Result<>(const ProviderRow&)>;
  Result<> move(ProviderState to, const Change& change = {}, const Save& save = {}) SLIPWAY_EXCLUDES(mutex_);
  Result<> move_locked(ProviderState to, const Change& change, const Save& save) SLIPWAY_REQUIRES(mutex_);
  // Until it is on disk, or the process ends. True: it is.
  bool insist(ProviderState to, const Change& change = {}, const Save& save = {}) SLIPWAY_EXCLUDES(mutex_);

  // The thread is made by the first start, and stays.
  void begin_work() SLIPWAY_REQUIRES(mutex_);
  void wake() SLIPWAY_EXCLUDES(mutex_);
  void wake_locked() SLIPWAY_REQUIRES(mutex_);

  // Events are posted with the move that they tell of, and delivered by the thread, who may have to wait for it: so
  // they come in order, and no command waits for a listener.
  void post(EventKind kind, std::string detail = {}) SLIPWAY_REQUIRES(mutex_);
  void deliver() SLIPWAY_EXCLUDES(mutex_);
  void send(EventKind kind, std::string detail = {}) SLIPWAY_EXCLUDES(mutex_);  // both; the thread's
  [[nodiscard]] Result<> refuse(std::string_view command) const SLIPWAY_REQUIRES(mutex_);

  const ProviderConfig config_;
  const std::unique_ptr<Provider> provider_;
  const Parts parts_;

  mutable sys::Mutex mutex_;
  std::condition_variable changed_;
  ProviderRow row_ SLIPWAY_GUARDED_BY(mutex_);
  states::PersistedState<ProviderState> state_ SLIPWAY_GUARDED_BY(mutex_);
  Wish wish_ SLIPWAY_GUARDED_BY(mutex_) = Wish::kNone;
  bool news_ SLIPWAY_GUARDED_BY(mutex_) = false;
  std::deque<Event> outbox_ SLIPWAY_GUARDED_BY(mutex_);
  std::stop_source run_stop_ SLIPWAY_GUARDED_BY(mutex_);  // of the run under way
  std::atomic<bool> look_up_{false};                      // at the end of the item there is something to see to
  std::atomic<bool> ending_{false};
  bool out_of_permits_ = false;  // the thread's own
  int failures_ = 0;             // the thread's own: one after the other, without progress
  std::jthread thread_;
};

}  // namespace slipway::feeds
