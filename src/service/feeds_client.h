// Having the feeds do something, whoever owns them: this process when nobody does, else the owner, over its socket.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "service/feeds_owner.h"
#include "service/feeds_wire.h"

namespace slipway::service {

struct Feeds {
  FeedsSetup setup{};
  std::filesystem::path socket{};
  Settings settings{};  // that this process works with; an owner must have the same
  std::function<void(bool here)> on_owner{};
  Logger log{};
  std::chrono::milliseconds patience{15'000};  // as those of OwnerSearch
  std::chrono::milliseconds silence{5'000};
};

// Syncs these (none: all) and follows them until they are at rest, done here until everything is. When the owner ends
// before, what is left of it is taken over. How the providers ended is in the answer. kCancelled by the stop: what was
// done here is resumable, what elsewhere goes on there.
[[nodiscard]] Result<FeedsStats> sync_feeds(const Feeds& feeds, std::span<const std::string> ids,
                                            const OnStats& on_stats, const std::stop_token& stop);

// Has the owner do it, and returns when that is done. Without an owner: kPause and kStop change what is on disk, and
// there are no statistics; kStart and kResume are done here, until everything is at rest.
[[nodiscard]] Result<std::optional<FeedsStats>> command_feeds(const Feeds& feeds, FeedsVerb verb,
                                                              std::span<const std::string> ids, const OnStats& on_stats,
                                                              const std::stop_token& stop);

// Of the owner; none when there is no owner, or it does not answer in time.
[[nodiscard]] std::optional<FeedsStats> ask_feeds(const std::filesystem::path& socket,
                                                  std::chrono::milliseconds patience = std::chrono::seconds(2));

}  // namespace slipway::service
