// Where S3 credentials come from, in this order:
//
//   1. given explicitly
//   2. the environment: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN
//   3. the profile AWS_PROFILE (or "default") of ~/.aws/credentials, then of ~/.aws/config; other files by
//      AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE
//   4. the container's metadata: AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI
//   5. the instance's metadata (IMDSv2 only), unless AWS_EC2_METADATA_DISABLED
//   6. none: requests are anonymous
//
// What was set half is an error, not a reason to look further. A secret is never part of a message.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "base/time.h"
#include "net/http_client.h"
#include "objects/sigv4.h"
#include "sys/clock.h"
#include "sys/mutex.h"

namespace slipway::objects {

// The value of an environment variable; nothing when it is not set. An empty value counts as not set here.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;
[[nodiscard]] Environment process_environment();

enum class Found : std::uint8_t {
  kSurely,       // there they are; or there are none
  kUnreachable,  // none for now: the instance's metadata service was not to be reached. Most machines have none
  kFailing,      // none for now: that service is there, and failed to answer
};

struct ResolvedCredentials {
  Credentials credentials{};
  std::string origin = "no credentials were found";  // for people: "the environment", "profile x of ~/.aws/credentials"
  std::optional<TimePoint> expires{};
  Found found = Found::kSurely;
};

// Thread-safe.
class CredentialsProvider {
 public:
  CredentialsProvider() = default;
  CredentialsProvider(const CredentialsProvider&) = delete;
  CredentialsProvider& operator=(const CredentialsProvider&) = delete;
  virtual ~CredentialsProvider() = default;

  // May wait for a metadata service.
  [[nodiscard]] virtual Result<ResolvedCredentials> get(std::stop_token stop) = 0;
  // The server says that what it was sent has expired. True when get() will now ask for new ones, whatever the time
  // says.
  [[nodiscard]] virtual bool refused() { return false; }
};

// Always the same; anonymous when empty.
[[nodiscard]] std::shared_ptr<CredentialsProvider> fixed_credentials(Credentials credentials);

struct CredentialsChainOptions {
  std::optional<Credentials> given{};
  Environment environment{};
  std::filesystem::path home{};  // empty: no files unless the environment names them
  Logger log{};
};

// The list above. Expiring credentials are asked for again five minutes ahead, by one thread at a time, every half a
// minute until there are younger ones; the old ones are used while they hold. "None for now" is asked about again after
// half a minute, then ever more seldom: a machine without a metadata service is not to wait for it. Everything else is
// asked for once.
class CredentialsChain final : public CredentialsProvider {
 public:
  CredentialsChain(CredentialsChainOptions options, sys::Clock& clock);
  ~CredentialsChain() override;

  [[nodiscard]] Result<ResolvedCredentials> get(std::stop_token stop) override SLIPWAY_EXCLUDES(mutex_);
  [[nodiscard]] bool refused() override SLIPWAY_EXCLUDES(mutex_);

 private:
  [[nodiscard]] Result<ResolvedCredentials> find(const std::stop_token& stop) const;
  [[nodiscard]] Result<ResolvedCredentials> take(Result<ResolvedCredentials> found) SLIPWAY_REQUIRES(mutex_);
  [[nodiscard]] bool fresh() const SLIPWAY_REQUIRES(mutex_);
  [[nodiscard]] bool holds() const SLIPWAY_REQUIRES(mutex_);

  const CredentialsChainOptions options_;
  sys::Clock& clock_;
  sys::Mutex mutex_;
  std::condition_variable changed_;
  std::optional<ResolvedCredentials> current_ SLIPWAY_GUARDED_BY(mutex_);
  TimePoint next_try_ SLIPWAY_GUARDED_BY(mutex_) = TimePoint::min();
  Duration pause_ SLIPWAY_GUARDED_BY(mutex_){};  // before the next try for "none for now"
  TimePoint refusals_heard_until_ SLIPWAY_GUARDED_BY(mutex_) = TimePoint::min();  // those of what was renewed since
  bool refreshing_ SLIPWAY_GUARDED_BY(mutex_) = false;
};

}  // namespace slipway::objects
