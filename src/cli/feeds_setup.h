// From settings to the feeds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "cli/command.h"
#include "feeds/query/feed_reader.h"
#include "service/feeds_client.h"

namespace slipway::cli {

// To have them do something. The session must outlive it.
[[nodiscard]] service::Feeds feeds_of(const Session& session, const Logger& log);

// The ids of the providers that there are, in the order in which they are listed.
[[nodiscard]] Result<std::vector<std::string>> provider_ids(const Session& session);
// kInvalid when one of them is none, with the nearest that is.
[[nodiscard]] Result<> check_provider_ids(const Session& session, const std::vector<std::string>& ids);

// To ask them. kNotFound, with a hint, when nothing was ever synced.
[[nodiscard]] Result<std::unique_ptr<feeds::FeedReader>> open_feeds(const Session& session);

}  // namespace slipway::cli
