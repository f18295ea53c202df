// Keeps the feeds fresh, for a process that runs for long: owns them as soon as nobody else does, goes on with what was
// left, syncs what is due again and again, and serves others.
//
// Feeds that cannot be opened are a line in the log; it is tried again.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "base/time.h"
#include "service/feeds_client.h"
#include "service/feeds_owner.h"
#include "service/feeds_server.h"
#include "sys/clock.h"
#include "sys/mutex.h"

namespace slipway::service {

struct FeedsRhythm {
  Duration interval = std::chrono::hours(24);  // from one good sync to the next
  Duration retry = std::chrono::hours(1);      // after one that failed or could not be begun
  Duration look = std::chrono::minutes(1);     // between two looks at what is due
};

// Not what is under way or paused. Never completed, or longer ago than the interval; after a failure the retry counts,
// and what somebody has stopped waits for a whole interval.
[[nodiscard]] bool is_due(const feeds::ProviderStats& stats, TimePoint now, const FeedsRhythm& rhythm);

// Works on a thread of its own from the beginning to the end of its life; then it ends in an orderly way.
class FeedsKeeper {
 public:
  FeedsKeeper(Feeds feeds, FeedsRhythm rhythm, sys::Clock& clock);
  ~FeedsKeeper();
  FeedsKeeper(const FeedsKeeper&) = delete;
  FeedsKeeper& operator=(const FeedsKeeper&) = delete;

 private:
  void keep(const std::stop_token& stop);
  [[nodiscard]] Result<> open();
  void sync_due();

  const Feeds feeds_;
  const FeedsRhythm rhythm_;
  sys::Clock& clock_;
  std::unique_ptr<FeedsOwner> owner_;    // these three are the thread's
  std::unique_ptr<FeedsServer> server_;  // goes before the owner
  std::map<std::string, TimePoint> tried_;
  std::string complaint_;  // the last one
  sys::Mutex mutex_;
  std::condition_variable changed_;
  std::jthread thread_;
};

}  // namespace slipway::service
