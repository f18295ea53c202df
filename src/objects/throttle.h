// How fast a server lets itself be asked: one Throttle for each endpoint, shared by all that talk to it.
//
// A server that says "slow down" halves the number of requests that may be under way, and nothing new starts until a
// jittered while, or the Retry-After that it named, has passed. Each answer after that lets a little more through, one
// request more for each full round, until the old number is reached.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/time.h"
#include "sys/clock.h"
#include "sys/mutex.h"

namespace slipway::objects {

struct ThrottlePolicy {
  double most = 64;  // requests under way when the server has no complaints
  Duration first_delay = std::chrono::milliseconds(200);
  Duration longest_delay = std::chrono::seconds(20);
  Duration longest_retry_after = std::chrono::seconds(60);  // a server that asks for more gets this
};

enum class Answered : std::uint8_t {
  kWell,      // an answer that says nothing about the server's load
  kSlowDown,  // SlowDown, 503, 429
  kNotAtAll,  // no answer, or one cut short: tells nothing
};

// The decisions, without clock, threads or randomness. Not thread-safe.
class ThrottleCore {
 public:
  explicit ThrottleCore(ThrottlePolicy policy) : policy_(policy), limit_(policy.most) {}

  // A request may start at `now`: it is counted as under way. If not, what to wait for: see due().
  [[nodiscard]] bool try_start(TimePoint now);
  // When the pause is over; in the past when only a free place is missing.
  [[nodiscard]] TimePoint due() const { return not_before_; }

  // A request that was started at `started` is over. `random` is in [0, 1).
  void finish(Answered how, TimePoint started, TimePoint now, std::optional<Duration> retry_after, double random);

  [[nodiscard]] double limit() const { return limit_; }
  [[nodiscard]] int under_way() const { return under_way_; }

 private:
  void slow_down(TimePoint started, TimePoint now, std::optional<Duration> retry_after, double random);

  ThrottlePolicy policy_;
  double limit_;
  int under_way_ = 0;
  int complaints_ = 0;  // rounds in a row
  TimePoint not_before_ = TimePoint::min();
  TimePoint reduced_at_ = TimePoint::min();
};

// Seconds or an HTTP date; nothing for any other text. Never negative.
[[nodiscard]] std::optional<Duration> parse_retry_after(std::string_view text, TimePoint now);

// Thread-safe. Must outlive its permits; `clock` must outlive it.
class Throttle {
 public:
  using Random = std::function<double()>;  // in [0, 1); called with the throttle's lock held

  explicit Throttle(sys::Clock& clock, ThrottlePolicy policy = {}, Random random = {});

  // The right to have one request under way. Ends as kNotAtAll unless finish() says otherwise.
  class Permit {
   public:
    Permit(Permit&& other) noexcept : owner_(std::exchange(other.owner_, nullptr)), started_(other.started_) {}
    Permit& operator=(Permit&&) = delete;
    ~Permit() { finish(Answered::kNotAtAll, std::nullopt); }
    void finish(Answered how, std::optional<Duration> retry_after);

   private:
    friend class Throttle;
    Permit(Throttle& owner, TimePoint started) : owner_(&owner), started_(started) {}
    Throttle* owner_;
    TimePoint started_;
  };

  // Waits for its turn. kCancelled when stopped meanwhile.
  [[nodiscard]] Result<Permit> acquire(std::stop_token stop) SLIPWAY_EXCLUDES(mutex_);
  // Waits that long. kCancelled when stopped meanwhile.
  [[nodiscard]] Result<> pause(Duration length, std::stop_token stop) SLIPWAY_EXCLUDES(mutex_);
  // Before try number `attempt` (from 1) after a failure: grows exponentially, jittered.
  [[nodiscard]] Result<> back_off(int attempt, std::stop_token stop) SLIPWAY_EXCLUDES(mutex_);

  [[nodiscard]] double limit() const SLIPWAY_EXCLUDES(mutex_);

 private:
  void finish(Answered how, TimePoint started, std::optional<Duration> retry_after) SLIPWAY_EXCLUDES(mutex_);

  sys::Clock& clock_;
  ThrottlePolicy policy_;
  mutable sys::Mutex mutex_;
  std::condition_variable changed_;
  ThrottleCore core_ SLIPWAY_GUARDED_BY(mutex_);
  Random random_ SLIPWAY_GUARDED_BY(mutex_);
};

// The throttles of a process, one for each endpoint. Thread-safe.
class EndpointThrottles {
 public:
  explicit EndpointThrottles(sys::Clock& clock) : clock_(clock) {}
  // `endpoint` is scheme, host and port.
  [[nodiscard]] std::shared_ptr<Throttle> of(const std::string& endpoint) SLIPWAY_EXCLUDES(mutex_);

 private:
  sys::Clock& clock_;
  sys::Mutex mutex_;
  std::map<std::string, std::shared_ptr<Throttle>> all_ SLIPWAY_GUARDED_BY(mutex_);
};

}  // namespace slipway::objects
