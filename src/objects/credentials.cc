#include "objects/credentials.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "objects/metadata_credentials.h"
#include "objects/profile_file.h"

namespace slipway::objects {
namespace {

constexpr Duration kAhead = std::chrono::minutes(5);
constexpr Duration kBetweenTries = std::chrono::seconds(30);
constexpr Duration kLongestPause = std::chrono::hours(1);

class Fixed final : public CredentialsProvider {
 public:
  explicit Fixed(Credentials credentials) {
    if (!credentials.anonymous()) always_.origin = "the settings";
    always_.credentials = std::move(credentials);
  }
  Result<ResolvedCredentials> get(std::stop_token /*stop*/) override { return always_; }

 private:
  ResolvedCredentials always_;
};

}  // namespace

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  };
}

std::shared_ptr<CredentialsProvider> fixed_credentials(Credentials credentials) {
  return std::make_shared<Fixed>(std::move(credentials));
}

CredentialsChain::CredentialsChain(CredentialsChainOptions options, sys::Clock& clock)
    : options_(std::move(options)), clock_(clock) {}

CredentialsChain::~CredentialsChain() = default;

bool CredentialsChain::holds() const { return current_ && (!current_->expires || clock_.now() < *current_->expires); }

bool CredentialsChain::fresh() const {
  if (!holds()) return false;
  if (clock_.now() < next_try_) return true;
  if (current_->found != Found::kSurely) return false;
  return !current_->expires || clock_.now() < *current_->expires - kAhead;
}

Result<ResolvedCredentials> CredentialsChain::get(std::stop_token stop) {
  const std::stop_callback wake(stop, [this] {
    const sys::Lock lock(mutex_);
    changed_.notify_all();
  });
  const sys::Lock lock(mutex_);
  while (!fresh() && refreshing_) {
    if (holds()) return *current_;  // somebody else is at it
    if (stop.stop_requested()) return fail(ErrorKind::kCancelled, "stopped while waiting for credentials");
    sys::Borrowed borrowed(mutex_);
    changed_.wait(borrowed.lock());
  }
  if (fresh()) return *current_;
  refreshing_ = true;
  Result<ResolvedCredentials> found = fail(ErrorKind::kInternal, "not asked");
  {
    const sys::Unlock unlocked(mutex_);
    found = find(stop);
  }
  refreshing_ = false;
  changed_.notify_all();
  return take(std::move(found));
}

Result<ResolvedCredentials> CredentialsChain::take(Result<ResolvedCredentials> found) {
  next_try_ = later(clock_.now(), kBetweenTries);
  // Credentials that expire do not turn into none because the service has a bad day.
  const bool had_some = current_ && !current_->credentials.anonymous();
  const bool worse = !found || (found->credentials.anonymous() && had_some);
  if (worse && had_some && holds()) {
    options_.log.warn("new S3 credentials could not be had, the old ones are used while they hold: {}",
                      found ? found->origin : found.error().message());
    return *current_;
  }
  if (!found) return found.error().during("find S3 credentials");
  if (found->found != Found::kSurely && had_some) {
    return fail(ErrorKind::kUnavailable, "the S3 credentials have expired: {}", found->origin);
  }
  if (found->found != Found::kSurely) {
    pause_ = pause_ == Duration{} ? kBetweenTries : std::min(pause_ * 2, kLongestPause);
    next_try_ = later(clock_.now(), pause_);
  } else {
    pause_ = Duration{};
  }
  if (found->found == Found::kFailing) {
    options_.log.warn("requests to S3 are anonymous for now: {}", found->origin);
  }
  current_ = *found;
  return found;
}

bool CredentialsChain::refused() {
  const sys::Lock lock(mutex_);
  if (!current_) return true;  // somebody else was told, too
  if (!current_->expires) return false;
  // Answers to requests that were signed with the ones before may come late: they are no word on the new ones.
  if (clock_.now() < refusals_heard_until_) return true;
  refusals_heard_until_ = later(clock_.now(), kBetweenTries);
  next_try_ = TimePoint::min();
  current_.reset();
  return true;
}

Result<ResolvedCredentials> CredentialsChain::find(const std::stop_token& stop) const {
  if (options_.given) {
    return ResolvedCredentials{.credentials = *options_.given,
                               .origin = options_.given->anonymous() ? "s3_anonymous asks for that" : "the settings"};
  }
  const Environment environment = [&](const std::string& name) -> std::optional<std::string> {
    auto value = options_.environment ? options_.environment(name) : std::nullopt;
    if (value && value->empty()) return std::nullopt;
    return value;
  };
  auto found = credentials_from_environment(environment);
  if (found && !*found) found = credentials_from_files(environment, options_.home);
  if (found && !*found) {
    net::HttpClient client(metadata_client_options());
    found = credentials_from_container(environment, client, stop);
    if (found && !*found) found = credentials_from_instance(environment, client, stop);
  }
  if (!found) return fail(found.error());
  return found->value_or(ResolvedCredentials{});
}

}  // namespace slipway::objects
