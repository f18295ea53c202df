#include "objects/throttle.h"

#include <algorithm>
#include <random>
#include <utility>

#include "base/number.h"
#include "objects/time_text.h"

namespace slipway::objects {
namespace {

Duration grown(Duration first, Duration longest, int doublings) {
  Duration delay = first;
  for (int i = 0; i < doublings && delay < longest; ++i) delay *= 2;
  return std::min(delay, longest);
}

// Between half of it and all of it: spread out, and never at once.
Duration jittered(Duration delay, double random) {
  return std::chrono::duration_cast<Duration>(delay * (0.5 + random / 2));
}

Throttle::Random seeded_random() {
  return [engine = std::mt19937_64(std::random_device{}()),
          spread = std::uniform_real_distribution<double>(0.0, 1.0)]() mutable { return spread(engine); };
}

}  // namespace

bool ThrottleCore::try_start(TimePoint now) {
  if (now < not_before_) return false;
  if (under_way_ > 0 && under_way_ + 1 > limit_) return false;
  ++under_way_;
  return true;
}

void ThrottleCore::finish(Answered how, TimePoint started, TimePoint now, std::optional<Duration> retry_after,
                          double random) {
  --under_way_;
  if (how == Answered::kSlowDown) slow_down(started, now, retry_after, random);
  if (how != Answered::kWell) return;
  // An answer to a question from before the complaint does not say that it is over.
  if (started > reduced_at_) complaints_ = 0;
  limit_ = std::min(policy_.most, limit_ + 1.0 / limit_);
}

void ThrottleCore::slow_down(TimePoint started, TimePoint now, std::optional<Duration> retry_after, double random) {
  // All that were under way together get the complaint together: it counts once.
  if (started > reduced_at_) {
    limit_ = std::max(1.0, limit_ / 2);
    ++complaints_;
    reduced_at_ = now;
  }
  Duration delay = jittered(grown(policy_.first_delay, policy_.longest_delay, complaints_ - 1), random);
  if (retry_after) delay = std::max(delay, std::min(*retry_after, policy_.longest_retry_after));
  not_before_ = std::max(not_before_, later(now, delay));
}

std::optional<Duration> parse_retry_after(std::string_view text, TimePoint now) {
  if (const auto seconds = parse_number<std::uint32_t>(text)) return std::chrono::seconds(*seconds);
  if (const auto at = parse_http_date(text)) return std::max(Duration{0}, *at - now);
  return std::nullopt;
}

Throttle::Throttle(sys::Clock& clock, ThrottlePolicy policy, Random random)
    : clock_(clock), policy_(policy), core_(policy), random_(random ? std::move(random) : seeded_random()) {}

Result<Throttle::Permit> Throttle::acquire(std::stop_token stop) {
  const std::stop_callback wake(stop, [this] {
    const sys::Lock lock(mutex_);
    changed_.notify_all();
  });
  const sys::Lock lock(mutex_);
  while (true) {
    if (stop.stop_requested()) return fail(ErrorKind::kCancelled, "stopped while waiting for the server to take more");
    const TimePoint now = clock_.now();
    if (core_.try_start(now)) return Permit(*this, now);
    sys::Borrowed borrowed(mutex_);
    const TimePoint due = core_.due() > now ? core_.due() : TimePoint::max();
    clock_.wait_until(borrowed.lock(), changed_, due);
  }
}

Result<> Throttle::pause(Duration length, std::stop_token stop) {
  const std::stop_callback wake(stop, [this] {
    const sys::Lock lock(mutex_);
    changed_.notify_all();
  });
  const sys::Lock lock(mutex_);
  const TimePoint due = later(clock_.now(), length);
  while (clock_.now() < due) {
    if (stop.stop_requested()) return fail(ErrorKind::kCancelled, "stopped while waiting for another try");
    sys::Borrowed borrowed(mutex_);
    clock_.wait_until(borrowed.lock(), changed_, due);
  }
  return {};
}

Result<> Throttle::back_off(int attempt, std::stop_token stop) {
  Duration delay{};
  {
    const sys::Lock lock(mutex_);
    delay = jittered(grown(policy_.first_delay, policy_.longest_delay, attempt - 1), random_());
  }
  return pause(delay, std::move(stop));
}

void Throttle::finish(Answered how, TimePoint started, std::optional<Duration> retry_after) {
  const sys::Lock lock(mutex_);
  core_.finish(how, started, clock_.now(), retry_after, random_());
  changed_.notify_all();
}

double Throttle::limit() const {
  const sys::Lock lock(mutex_);
  return core_.limit();
}

void Throttle::Permit::finish(Answered how, std::optional<Duration> retry_after) {
  if (owner_ != nullptr) std::exchange(owner_, nullptr)->finish(how, started_, retry_after);
}

std::shared_ptr<Throttle> EndpointThrottles::of(const std::string& endpoint) {
  const sys::Lock lock(mutex_);
  auto& throttle = all_[endpoint];
  if (!throttle) throttle = std::make_shared<Throttle>(clock_);
  return throttle;
}

}  // namespace slipway::objects
