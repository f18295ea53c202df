// The owner of the feeds: the one process that may write their database and run their machines.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/error.h"
#include "feeds/feed_store.h"
#include "feeds/macro_machine.h"
#include "service/feeds_wire.h"
#include "sys/owner_lock.h"

namespace slipway::service {

struct FeedsSetup {
  std::filesystem::path database{};
  // Makes the providers. What they use besides must live as long as this function does.
  std::function<Result<std::vector<feeds::Registration>>()> providers{};
  feeds::MacroOptions options{};
};

// What is under way is left on disk as it is when this goes: the next owner goes on with it.
class FeedsOwner {
 public:
  // kConflict when another process has them: its message names the process. Begins nothing.
  [[nodiscard]] static Result<std::unique_ptr<FeedsOwner>> open(const FeedsSetup& setup);
  FeedsOwner(const FeedsOwner&) = delete;
  FeedsOwner& operator=(const FeedsOwner&) = delete;
  ~FeedsOwner() = default;

  // kPause and kStop of what an earlier process has left, on disk. Not after begin(). kConflict where the table of
  // states has no such move, kNotFound for ids that nobody has; then none is moved.
  [[nodiscard]] Result<> move_saved(FeedsVerb verb, std::span<const std::string> ids);

  // Makes the machines and goes on with what an earlier process has left. Once.
  [[nodiscard]] Result<> begin();
  [[nodiscard]] feeds::MacroMachine& machine() { return *machine_; }  // after begin()

 private:
  FeedsOwner(const FeedsSetup& setup, sys::OwnerLock lock, std::unique_ptr<feeds::FeedStore> store);

  // In this order: the lock is let go of last.
  const FeedsSetup setup_;
  sys::OwnerLock lock_;
  std::unique_ptr<feeds::FeedStore> store_;
  std::unique_ptr<feeds::MacroMachine> machine_;
};

[[nodiscard]] FeedsStats stats_of(feeds::MacroMachine& machine);
// Neither under way, nor about to be: it has ended, is idle, or paused.
[[nodiscard]] bool is_at_rest(const feeds::ProviderStats& stats);

// The verb for each of them in turn. The ids are checked first; an error names the one that it is about.
[[nodiscard]] Result<> command(feeds::MacroMachine& machine, FeedsVerb verb, std::span<const std::string> ids);

using OnStats = std::function<void(const FeedsStats&)>;

// Until all of `ids` (none: all there are) are at rest; tells how it goes several times a second. kCancelled by the
// stop.
[[nodiscard]] Result<FeedsStats> follow_feeds(feeds::MacroMachine& machine, std::span<const std::string> ids,
                                              const OnStats& on_stats, const std::stop_token& stop);

}  // namespace slipway::service
